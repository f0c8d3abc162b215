//! The function that summarises, as a process: every trigger, every way to fail, and what it needs to be told.

use std::time::Duration;

use emulator::{FaultAction, FaultPlan, FaultRule, ModelAnswer};
use serde_json::{Value, json};
use tests::lambda::{Caller, Deployment, Function, Trigger, Wanted, texts, turn};

const MODEL: (&str, &str) = ("MODEL_ID", "stand-in");

/// A deployment, and the third function with these variables.
async fn start(variables: &[(&str, &str)]) -> (Deployment, Function) {
    let deployment = Deployment::start().await;
    let summarize = Deployment::function("summarize", &deployment.world, variables).await;
    (deployment, summarize)
}

async fn talk(deployment: &Deployment, session: &str, turns: usize) {
    for number in 0..turns {
        let fields = turn(&format!("question {number}."), &format!("answer {number}."));
        let store = Wanted::store("alice", session, fields);
        let stored = deployment.ask(Trigger::Direct, &store).await.body();
        assert_eq!(stored["stored"], 2);
    }
}

async fn loaded(deployment: &Deployment, session: &str) -> Value {
    let load = Wanted::load("alice", session, json!({"window": "summarizing"}));
    deployment.ask(Trigger::Direct, &load).await.body()
}

fn always(deployment: &Deployment, operation: &str, action: FaultAction) {
    let rules = vec![FaultRule::always(operation, action)];
    deployment
        .world
        .emulator
        .set_faults(FaultPlan { seed: 1, rules });
}

#[tokio::test(flavor = "multi_thread")]
async fn every_trigger_gets_the_same_answer() {
    let (deployment, summarize) = start(&[MODEL]).await;
    for trigger in Trigger::ALL {
        let session = trigger.name();
        talk(&deployment, session, 10).await;
        deployment
            .world
            .emulator
            .script_model([ModelAnswer::text("They talked.")]);
        let wanted = Wanted::summarize("alice", session, json!({"ratio": 0.4}));
        let answer = summarize.invoke(wanted.by(trigger)).await.success(trigger);
        assert_eq!(answer["summarized"], 8, "{answer}");
        assert_eq!(answer["summary"]["text"], "They talked.");
        assert_eq!(answer["summary"]["model"], "stand-in");
        assert_eq!(answer["context"]["storedMessageCount"], 20);
        let loaded = loaded(&deployment, session).await;
        assert_eq!(loaded["context"]["summary"], answer["summary"]);
        assert_eq!(loaded["head"], answer["head"]);
        let texts = texts(&loaded);
        assert!(texts[0].contains("They talked."), "{texts:?}");
        assert_eq!((texts.len(), texts[1].as_str()), (13, "question 4."));
        // Nothing more than the ten newest is left to stay as it is.
        let again = Wanted::summarize("alice", session, json!({"preserveRecent": 12}));
        let again = summarize.invoke(again.by(trigger)).await.success(trigger);
        assert_eq!(
            (&again["summarized"], &again["summary"]),
            (&json!(0), &answer["summary"])
        );
    }
    let written = summarize.written();
    assert!(written.contains("conversation summarized"), "{written}");
    assert!(written.contains("\"ModelInputTokens\""), "{written}");
    assert!(!written.contains("They talked") && !written.contains("question 0."));
}

/// What fails, and how that looks: HTTP status, code, error type.
type Row = (&'static str, FaultAction, u64, &'static str, &'static str);

const FAILURES: [Row; 12] = [
    (
        "Converse",
        FaultAction::Throttle,
        429,
        "model_throttled",
        "Throttled",
    ),
    (
        "Converse",
        FaultAction::ModelTimeout,
        503,
        "model_unavailable",
        "Unavailable",
    ),
    (
        "Converse",
        FaultAction::ModelError,
        503,
        "model_unavailable",
        "Unavailable",
    ),
    (
        "Converse",
        FaultAction::Error500,
        503,
        "model_unavailable",
        "Unavailable",
    ),
    (
        "Converse",
        FaultAction::EmptyAnswer,
        502,
        "model_empty",
        "ModelRefused",
    ),
    (
        "Converse",
        FaultAction::MaxTokens,
        502,
        "model_cut_off",
        "ModelRefused",
    ),
    (
        "Converse",
        FaultAction::Guardrail,
        502,
        "model_refused",
        "ModelRefused",
    ),
    (
        "Converse",
        FaultAction::InputTooLong,
        502,
        "model_input_too_long",
        "ModelRefused",
    ),
    (
        "Converse",
        FaultAction::Denied403,
        500,
        "model_access_denied",
        "AccessDenied",
    ),
    (
        "Converse",
        FaultAction::DelayMs(20_000),
        504,
        "deadline_exceeded",
        "DeadlineExceeded",
    ),
    (
        "ListEvents",
        FaultAction::Denied403,
        500,
        "access_denied",
        "AccessDenied",
    ),
    (
        "ListEvents",
        FaultAction::Throttle,
        429,
        "throttled",
        "Throttled",
    ),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_failure_has_its_name_and_changes_nothing() {
    let (deployment, summarize) = start(&[MODEL]).await;
    talk(&deployment, "fails", 10).await;
    let before = loaded(&deployment, "fails").await;
    for (operation, action, status, code, name) in FAILURES {
        always(&deployment, operation, action);
        for trigger in [Trigger::HttpApi, Trigger::StepFunctions] {
            let wanted = Wanted::summarize("alice", "fails", json!({}));
            let time = Duration::from_secs(3);
            let outcome = summarize.invoke_within(wanted.by(trigger), time).await;
            if trigger.is_http() {
                let response = outcome.response();
                assert_eq!(
                    (response.status, &response.body["code"]),
                    (status, &json!(code))
                );
            } else {
                let (error_type, document) = outcome.problem();
                assert_eq!(
                    (error_type.as_str(), &document["code"]),
                    (name, &json!(code))
                );
            }
        }
        deployment.world.emulator.set_faults(FaultPlan::default());
    }
    assert_eq!(
        loaded(&deployment, "fails").await["messages"],
        before["messages"]
    );
    assert_eq!(
        loaded(&deployment, "fails").await["context"],
        before["context"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_request_is_refused_and_anothers_conversation_not_shown() {
    let (deployment, summarize) = start(&[MODEL]).await;
    talk(&deployment, "mine", 10).await;
    for fields in [
        json!({"ratio": 7}),
        json!({"messages": []}),
        json!({"reason": "whim"}),
    ] {
        for trigger in Trigger::ALL {
            let wanted = Wanted::summarize("alice", "mine", fields.clone());
            let outcome = summarize.invoke(wanted.by(trigger)).await;
            if trigger.is_http() {
                assert_eq!(outcome.response().status, 400);
            } else {
                assert_eq!(outcome.problem().0, "Invalid");
            }
        }
    }
    let wanted = Wanted::summarize("alice", "mine", json!({}));
    for (caller, status) in [(Caller::Subject("eve"), 403), (Caller::Nobody, 401)] {
        for trigger in [Trigger::HttpApi, Trigger::RestApi] {
            let outcome = summarize.invoke(wanted.by_caller(trigger, caller)).await;
            assert_eq!(outcome.response().status, status);
        }
    }
    assert_eq!(
        deployment.world.emulator.model_requests().len(),
        0,
        "no model was asked"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_model_is_asked_where_the_first_fails_for_good() {
    let variables = [
        MODEL,
        ("FALLBACK_MODEL_ID", "cheaper"),
        ("REDACT", "builtin"),
    ];
    let (deployment, summarize) = start(&variables).await;
    let fields = turn("I am ann@example.com.", "Hello.");
    let first = Wanted::store("alice", "fallback", fields);
    let stored = deployment.ask(Trigger::Direct, &first).await.body();
    assert_eq!(stored["stored"], 2);
    talk(&deployment, "fallback", 10).await;
    let rules = vec![FaultRule::nth("Converse", 1, FaultAction::Guardrail)];
    deployment
        .world
        .emulator
        .set_faults(FaultPlan { seed: 1, rules });
    let wanted = Wanted::summarize("alice", "fallback", json!({}));
    let answer = summarize.invoke(wanted.by(Trigger::Direct)).await.body();
    assert_eq!(answer["summary"]["model"], "cheaper");
    let asked = deployment.world.emulator.model_requests();
    let models: Vec<&str> = asked
        .iter()
        .map(|request| request.model_id.as_str())
        .collect();
    assert_eq!(models, ["stand-in", "cheaper"]);
    let said = asked[1].body.to_string();
    assert!(said.contains("I am [e-mail]") && !said.contains("ann@example.com"));
    assert_eq!(asked[1].body["inferenceConfig"]["maxTokens"], 2048);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_sentences_are_picked() {
    let (deployment, summarize) = start(&[]).await;
    talk(&deployment, "none", 10).await;
    let wanted = Wanted::summarize("alice", "none", json!({}));
    let answer = summarize
        .invoke(wanted.by(Trigger::StepFunctions))
        .await
        .body();
    assert_eq!(answer["summary"]["model"], "extractive/1");
    assert!(
        answer["summary"]["text"]
            .as_str()
            .unwrap()
            .contains("question 2.")
    );
    assert_eq!(deployment.world.emulator.model_requests().len(), 0);
}
