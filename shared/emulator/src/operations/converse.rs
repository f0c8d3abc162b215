//! Bedrock `Converse`: a stand-in whose answers follow from the script or the input.

use serde_json::{Map, Value, json};

use crate::error::{ApiError, Shape};
use crate::faults::FaultAction;
use crate::model::{ModelAnswer, ModelRequest, estimate_tokens};
use crate::route::Labels;
use crate::validate::{Violations, list_member, text_member};
use crate::world::{Context, Reply, lock};

pub(super) fn run(
    context: &Context<'_>,
    labels: &Labels,
    body: &Map<String, Value>,
) -> Result<Reply, ApiError> {
    check(labels, body)?;
    let request = ModelRequest {
        model_id: labels.model.clone(),
        body: Value::Object(body.clone()),
    };
    let input_tokens = estimate_tokens(&request.body);
    let scripted = Ok(lock(&context.world.model).answer(request));
    let answer = context.faults.iter().fold(scripted, apply)?;
    let stop_reason = answer
        .stop_reason
        .unwrap_or_else(|| stop_reason(&answer.content).to_owned());
    let output = json!({"message": {"role": "assistant", "content": answer.content}});
    let output_tokens = estimate_tokens(&output);
    let reply = json!({
        "output": output,
        "stopReason": stop_reason,
        "usage": {
            "inputTokens": input_tokens,
            "outputTokens": output_tokens,
            "totalTokens": input_tokens + output_tokens,
        },
        "metrics": {"latencyMs": 1},
    });
    Ok(Reply::new(200, reply.to_string()))
}

/// What the service itself refuses before any model runs.
fn check(labels: &Labels, body: &Map<String, Value>) -> Result<(), ApiError> {
    let mut violations = Violations::default();
    violations.length("modelId", labels.model.chars().count(), 1, 2048);
    let messages = list_member(body, "messages")?
        .map(Vec::as_slice)
        .unwrap_or_default();
    if messages.is_empty() {
        violations.missing("messages");
    }
    violations.finish()?;
    let refuse = |message: &str| Err(ApiError::new(Shape::Validation, message));
    let mut expected = "user";
    for message in messages {
        let Some(message) = message.as_object() else {
            return refuse("Each message must be an object");
        };
        if text_member(message, "role")? != Some(expected) {
            return refuse(if expected == "user" {
                "A conversation must start with a user message, and roles must alternate between user and assistant"
            } else {
                "Roles must alternate between user and assistant"
            });
        }
        if list_member(message, "content")?.is_none_or(Vec::is_empty) {
            return refuse("The content field of a message is empty");
        }
        expected = if expected == "user" {
            "assistant"
        } else {
            "user"
        };
    }
    Ok(())
}

/// The effect of one fault on the answer. The order of faults is the order of the plan.
fn apply(
    answer: Result<ModelAnswer, ApiError>,
    fault: &FaultAction,
) -> Result<ModelAnswer, ApiError> {
    let answer = answer?;
    let stopped = |content: Vec<Value>, reason: &str| ModelAnswer {
        content,
        stop_reason: Some(reason.to_owned()),
    };
    match fault {
        FaultAction::InputTooLong => Err(ApiError::new(
            Shape::Validation,
            "Input is too long for requested model.",
        )),
        FaultAction::ModelTimeout => Err(ApiError::new(
            Shape::ModelTimeout,
            "The model took too long to answer",
        )),
        FaultAction::ModelError => Err(ApiError::new(
            Shape::ModelError,
            "The model failed while it was answering",
        )),
        FaultAction::EmptyAnswer => Ok(stopped(Vec::new(), "end_turn")),
        FaultAction::MaxTokens => Ok(stopped(cut(&answer.content), "max_tokens")),
        FaultAction::Guardrail => Ok(stopped(
            vec![json!({"text": "The answer was blocked by a guardrail."})],
            "guardrail_intervened",
        )),
        _ => Ok(answer),
    }
}

fn cut(content: &[Value]) -> Vec<Value> {
    let text = content
        .iter()
        .find_map(|block| block.get("text").and_then(Value::as_str))
        .unwrap_or_default();
    let half: String = text.chars().take(text.chars().count() / 2).collect();
    vec![json!({"text": half})]
}

fn stop_reason(content: &[Value]) -> &'static str {
    let uses_tool = content.iter().any(|block| block.get("toolUse").is_some());
    if uses_tool { "tool_use" } else { "end_turn" }
}
