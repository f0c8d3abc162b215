//! The stand-in for Bedrock Converse.

use aws_sdk_bedrockruntime::operation::converse::{ConverseError, ConverseOutput};
use aws_sdk_bedrockruntime::types::{ContentBlock, ConversationRole, Message, StopReason};
use emulator::{FaultAction, FaultPlan, FaultRule, ModelAnswer};
use serde_json::json;

use super::clients::{Bench, start};

const MODEL: &str = "anthropic.claude-3-haiku-20240307-v1:0";

fn message(role: ConversationRole, text: &str) -> Message {
    Message::builder()
        .role(role)
        .content(ContentBlock::Text(text.to_owned()))
        .build()
        .unwrap()
}

async fn converse(bench: &Bench, messages: Vec<Message>) -> Result<ConverseOutput, ConverseError> {
    let sent = bench
        .model
        .converse()
        .model_id(MODEL)
        .set_messages(Some(messages))
        .send()
        .await;
    sent.map_err(aws_sdk_bedrockruntime::error::SdkError::into_service_error)
}

fn hello() -> Vec<Message> {
    vec![message(ConversationRole::User, "hello there")]
}

fn content(output: ConverseOutput) -> Vec<ContentBlock> {
    output.output.unwrap().as_message().unwrap().content.clone()
}

#[tokio::test]
async fn answers_follow_from_the_input_and_are_counted() {
    let bench = start().await;
    let first = converse(&bench, hello()).await.unwrap();
    assert_eq!(first.stop_reason, StopReason::EndTurn);
    let usage = first.usage.clone().unwrap();
    assert!(
        usage.input_tokens > 5 && usage.total_tokens == usage.input_tokens + usage.output_tokens
    );
    let text = content(first);
    assert_eq!(text, content(converse(&bench, hello()).await.unwrap()));
    assert_eq!(
        text[0].as_text().unwrap(),
        "Summary of 1 messages:\n- user: hello there"
    );
    let requests = bench.emulator.model_requests();
    assert_eq!(requests[0].model_id, MODEL);
    assert_eq!(
        requests[0].body["messages"][0]["content"],
        json!([{"text": "hello there"}])
    );
}

#[tokio::test]
async fn scripted_answers_come_first_and_in_order() {
    let bench = start().await;
    let tool = json!({"toolUse": {"toolUseId": "t1", "name": "clock", "input": {"zone": "UTC"}}});
    bench.emulator.script_model([
        ModelAnswer {
            content: vec![json!({"text": "Let me see."}), tool],
            stop_reason: None,
        },
        ModelAnswer::text("Done."),
    ]);
    let first = converse(&bench, hello()).await.unwrap();
    assert_eq!(first.stop_reason, StopReason::ToolUse);
    assert_eq!(content(first)[1].as_tool_use().unwrap().name, "clock");
    assert_eq!(
        content(converse(&bench, hello()).await.unwrap())[0]
            .as_text()
            .unwrap(),
        "Done."
    );
}

#[tokio::test]
async fn conversations_a_model_would_refuse_are_refused() {
    let bench = start().await;
    let assistant = || message(ConversationRole::Assistant, "x");
    let user = || message(ConversationRole::User, "x");
    let empty = Message::builder()
        .role(ConversationRole::User)
        .set_content(Some(vec![]))
        .build()
        .unwrap();
    for messages in [
        vec![],
        vec![assistant()],
        vec![user(), user()],
        vec![user(), assistant(), assistant()],
        vec![empty],
    ] {
        let error = converse(&bench, messages).await.unwrap_err();
        assert!(error.is_validation_exception(), "{error:?}");
    }
    assert!(
        converse(&bench, vec![user(), assistant(), user()])
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn faults_of_the_model_have_its_shapes() {
    let bench = start().await;
    let fault = |action: FaultAction| {
        let rules = vec![FaultRule::always("Converse", action)];
        bench.emulator.set_faults(FaultPlan { seed: 0, rules });
    };
    fault(FaultAction::Throttle);
    assert!(
        converse(&bench, hello())
            .await
            .unwrap_err()
            .is_throttling_exception()
    );
    fault(FaultAction::InputTooLong);
    let error = converse(&bench, hello()).await.unwrap_err();
    let ConverseError::ValidationException(error) = error else {
        panic!("{error:?}")
    };
    assert_eq!(
        error.message.as_deref(),
        Some("Input is too long for requested model.")
    );
    fault(FaultAction::ModelTimeout);
    assert!(
        converse(&bench, hello())
            .await
            .unwrap_err()
            .is_model_timeout_exception()
    );
    fault(FaultAction::ModelError);
    assert!(
        converse(&bench, hello())
            .await
            .unwrap_err()
            .is_model_error_exception()
    );
    fault(FaultAction::Error500);
    assert!(
        converse(&bench, hello())
            .await
            .unwrap_err()
            .is_internal_server_exception()
    );
    fault(FaultAction::EmptyAnswer);
    assert!(content(converse(&bench, hello()).await.unwrap()).is_empty());
    fault(FaultAction::MaxTokens);
    let cut = converse(&bench, hello()).await.unwrap();
    assert_eq!(cut.stop_reason, StopReason::MaxTokens);
    fault(FaultAction::Guardrail);
    assert_eq!(
        converse(&bench, hello()).await.unwrap().stop_reason,
        StopReason::GuardrailIntervened
    );
}
