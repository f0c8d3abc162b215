//! The two handlers over stores in memory: what goes in one way comes out any other.

// A file-level allow, since helpers outside test functions are not covered by the test settings of the lints.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::unwrap_used
)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use conversation::Settings;
use conversation::memory::{ClientTokens, MemoryContext, MemoryLog};
use conversation::ports::Clock;
use edge::{
    ActorClaim, ClaimCheckFailed, ClaimChecks, Deps, Fault, Identity, Invocation, Level, Log,
};
use serde_json::{Value, json};
use system::SystemClock;

type MemoryDeps = Deps<MemoryLog<SystemClock>, MemoryContext, NoShelf>;

/// There is no store of claim checks here.
struct NoShelf;

impl ClaimChecks for NoShelf {
    async fn put(&self, _key: &str, _body: &str) -> Result<String, ClaimCheckFailed> {
        Err(ClaimCheckFailed)
    }
}

/// Keeps what is logged.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn deps(lines: &Lines) -> MemoryDeps {
    let settings = Settings::default();
    let clock = SystemClock::new();
    Deps {
        events: MemoryLog::new(clock, settings.retention, ClientTokens::Honoured),
        context: MemoryContext::new(),
        models: (),
        claim_checks: None,
        memory: "m-0123456789".to_owned(),
        settings,
        identity: Identity::Verified(ActorClaim::default()),
        log: Log::new("colloquy", "f", Level::Debug, Box::new(lines.clone())),
        collector: None,
        clock,
    }
}

fn invocation(deps: &MemoryDeps) -> Invocation {
    let now = u64::try_from(deps.clock.now_ms()).unwrap();
    Invocation {
        request_id: "r".to_owned(),
        deadline_ms: now + 10_000,
        ..Invocation::default()
    }
}

async fn load(deps: &MemoryDeps, payload: &str) -> Result<Value, Fault> {
    let answer = load::handle(deps, &invocation(deps), payload).await?;
    Ok(serde_json::from_str(&answer).expect("an answer is JSON"))
}

async fn store(deps: &MemoryDeps, payload: &str) -> Result<Value, Fault> {
    let answer = store::handle(deps, &invocation(deps), payload).await?;
    Ok(serde_json::from_str(&answer).expect("an answer is JSON"))
}

fn event(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../events")
        .join(name);
    fs::read_to_string(path).expect("the event is there")
}

/// The body inside an HTTP response.
fn body(response: &Value) -> Value {
    serde_json::from_str(response["body"].as_str().expect("a body")).expect("a body is JSON")
}

fn turn(text: &str) -> String {
    let messages = json!([{"role": "user", "content": [{"type": "text", "text": text}]}]);
    json!({"actorId": "alice", "sessionId": "monday", "messages": messages}).to_string()
}

#[tokio::test]
async fn a_turn_stored_by_any_trigger_is_stored_once_and_loaded_by_all() {
    let deps = deps(&Lines::default());
    let mut replayed = Vec::new();
    for name in ["store-direct.json", "store-step-functions.json"] {
        replayed.push(store(&deps, &event(name)).await.unwrap()["replayed"].clone());
    }
    for name in ["store-http-v2.json", "store-rest.json"] {
        let response = store(&deps, &event(name)).await.unwrap();
        assert_eq!(response["statusCode"], 200, "{response}");
        replayed.push(body(&response)["replayed"].clone());
    }
    assert_eq!(
        replayed,
        [false, true, true, true],
        "the same idempotency key each time"
    );

    let direct = load(&deps, &event("load-direct.json")).await.unwrap();
    assert_eq!(direct["context"]["storedMessageCount"], 2);
    assert_eq!(direct["context"]["conversationId"], "monday");
    assert_eq!(
        direct["messages"][0]["content"][0]["text"],
        "My name is Alice and I love pizza"
    );
    assert_eq!(
        load(&deps, &event("load-step-functions.json"))
            .await
            .unwrap(),
        direct
    );
    for name in ["load-http-v2.json", "load-rest.json"] {
        let response = load(&deps, &event(name)).await.unwrap();
        assert_eq!(response["statusCode"], 200, "{response}");
        assert_eq!(body(&response), direct, "{name}");
    }
}

#[tokio::test]
async fn the_head_of_an_answer_guards_the_next_store() {
    let deps = deps(&Lines::default());
    let first = store(&deps, &turn("one")).await.unwrap();
    let mut second: Value = serde_json::from_str(&turn("two")).unwrap();
    second["head"] = first["head"].clone();
    store(&deps, &second.to_string()).await.unwrap();
    let mut late: Value = serde_json::from_str(&turn("late")).unwrap();
    late["head"] = first["head"].clone();
    let fault = store(&deps, &late.to_string()).await.unwrap_err();
    assert_eq!(fault.error_type, "Conflict");
    let problem: Value = serde_json::from_str(&fault.error_message).unwrap();
    assert_eq!(
        (&problem["code"], &problem["requestId"]),
        (&json!("head_moved"), &json!("r"))
    );
    let loaded = load(&deps, r#"{"actorId":"alice","sessionId":"monday"}"#)
        .await
        .unwrap();
    assert_eq!(
        problem["head"], loaded["head"],
        "the conflict tells the head there is"
    );
}

#[tokio::test]
async fn sessions_and_actors_do_not_see_each_other() {
    let deps = deps(&Lines::default());
    store(&deps, &turn("private")).await.unwrap();
    for other in [
        r#"{"actorId":"alice","sessionId":"tuesday"}"#,
        r#"{"actorId":"Alice","sessionId":"monday"}"#,
        r#"{"actorId":"bob","sessionId":"monday"}"#,
    ] {
        let loaded = load(&deps, other).await.unwrap();
        assert_eq!(loaded["messages"], json!([]), "{other}");
        assert_eq!(loaded["context"]["storedMessageCount"], 0);
    }
}

#[tokio::test]
async fn every_window_is_served_however_it_is_asked_for() {
    let deps = deps(&Lines::default());
    let text =
        |role: &str, text: &str| json!({"role": role, "content": [{"type": "text", "text": text}]});
    for number in 0..6 {
        let mut question = text("user", &format!("q{number}"));
        if number == 1 {
            question["metadata"] = json!({"custom": {"pinned": true}});
        }
        let messages = json!([question, text("assistant", &format!("a{number}"))]);
        let payload = json!({"actorId": "alice", "sessionId": "monday", "messages": messages});
        let stored = store(&deps, &payload.to_string()).await.unwrap();
        assert_eq!(stored["summarize"]["advised"], false);
    }
    let rows = [
        (
            "none",
            json!({"type": "none"}),
            "q0 a0 q1 a1 q2 a2 q3 a3 q4 a4 q5 a5",
        ),
        (
            "sliding:3",
            json!({"type": "sliding", "size": 3}),
            "q1 q5 a5",
        ),
        (
            "sliding:4:camunda",
            json!({"type": "sliding", "size": 4, "rule": "camunda"}),
            "q1 q4 a4 q5 a5",
        ),
        (
            "turns:2",
            json!({"type": "turns", "size": 2}),
            "q1 q4 a4 q5 a5",
        ),
        ("tokens:3", json!({"type": "tokens", "size": 3}), "q1 q5 a5"),
        (
            "summarizing,turns:1",
            json!(["summarizing", "turns:1"]),
            "q1 q5 a5",
        ),
        (
            "turns:5,tokens:2",
            json!([{"type": "turns", "size": 5}, "tokens:2"]),
            "q1 q5 a5",
        ),
    ];
    for (short, window, expected) in rows {
        let asked = json!({"actorId": "alice", "sessionId": "monday", "window": window});
        let direct = load(&deps, &asked.to_string()).await.unwrap();
        let query = json!({
            "version": "2.0",
            "rawPath": "/v1/actors/alice/sessions/monday",
            "rawQueryString": format!("window={short}"),
            "requestContext": {
                "http": {"method": "GET"},
                "authorizer": {"jwt": {"claims": {"sub": "alice"}}}
            }
        });
        let http = load(&deps, &query.to_string()).await.unwrap();
        assert_eq!(body(&http), direct, "{short}");
        let messages = direct["messages"].as_array().unwrap();
        let texts = messages
            .iter()
            .map(|message| message["content"][0]["text"].as_str().unwrap());
        assert_eq!(texts.collect::<Vec<_>>().join(" "), expected, "{short}");
        let report = &direct["report"];
        assert_eq!(report["returned"], messages.len());
        assert_eq!(report["evicted"], 12 - messages.len());
        assert_eq!(report["tokens"], messages.len(), "two letters are a token");
        assert_eq!(direct["context"]["summary"], Value::Null);
        assert_eq!(direct["summarize"]["advised"], false);
    }
}

#[tokio::test]
async fn converse_messages_are_valid_for_a_model() {
    let deps = deps(&Lines::default());
    let messages = json!([
        {"role": "user", "content": [{"text": "one"}]},
        {"role": "user", "content": [{"text": "two"}]},
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "t", "name": "look", "input": {}}}]},
        {"role": "user", "content": [{"text": "never mind"}]},
    ]);
    let turn =
        json!({"actorId": "a", "sessionId": "s", "format": "converse", "messages": messages});
    store(&deps, &turn.to_string()).await.unwrap();
    let asked = json!({"actorId": "a", "sessionId": "s", "format": "converse", "window": "none"});
    let loaded = load(&deps, &asked.to_string()).await.unwrap();
    let shown = loaded["messages"].as_array().unwrap();
    let roles: Vec<&Value> = shown.iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    assert_eq!(shown[2]["content"][0]["toolResult"]["toolUseId"], "t");
    assert_eq!(
        loaded["report"]["mended"],
        json!({"joined": 1, "missingToolResult": 1})
    );
    assert_eq!(loaded["report"]["returned"], 4, "of the messages stored");
}

#[tokio::test]
async fn no_time_is_said_and_nothing_is_stored() {
    let deps = deps(&Lines::default());
    let late = Invocation {
        deadline_ms: 1,
        ..invocation(&deps)
    };
    let fault = store::handle(&deps, &late, &turn("late"))
        .await
        .unwrap_err();
    assert_eq!(fault.error_type, "DeadlineExceeded");
    let fault = load::handle(&deps, &late, &event("load-direct.json"))
        .await
        .unwrap_err();
    assert_eq!(fault.error_type, "DeadlineExceeded");
    let loaded = load(&deps, &event("load-direct.json")).await.unwrap();
    assert_eq!(loaded["messages"], json!([]));
}

#[tokio::test]
async fn content_is_in_no_log_line_and_no_error() {
    let lines = Lines::default();
    let deps = deps(&lines);
    let canary = "CANARY-7f3a";
    let mut payload: Value = serde_json::from_str(&turn(canary)).unwrap();
    payload["systemMessage"] = json!(canary);
    payload["state"] = json!({"agent": {"value": {"secret": canary}}});
    payload["messages"][0]["metadata"] = json!({"note": canary});
    store(&deps, &payload.to_string()).await.unwrap();
    load(&deps, r#"{"actorId":"alice","sessionId":"monday"}"#)
        .await
        .unwrap();
    let mut faults = Vec::new();
    for broken in [
        json!({"actorId": "alice", "sessionId": "monday", "messages": [{"role": canary}]}),
        json!({"actorId": "alice", "sessionId": "monday", "messages": canary}),
        json!({"actorId": "alice", "sessionId": "monday", "messages": [], "mode": canary}),
        json!({"actorId": "alice", "sessionId": "monday", "messages": [], "head": canary, "systemMessage": "x"}),
    ] {
        faults.push(
            store(&deps, &broken.to_string())
                .await
                .unwrap_err()
                .error_message,
        );
    }
    faults.push(
        store(&deps, &format!("{{\"messages\": {canary}"))
            .await
            .unwrap_err()
            .error_message,
    );
    for fault in faults {
        assert!(!fault.contains(canary), "{fault}");
    }
    let logged = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    assert!(
        logged.lines().count() >= 14,
        "a line and metrics for each call"
    );
    assert!(!logged.contains(canary), "{logged}");
    for line in logged.lines() {
        let line: Value = serde_json::from_str(line).expect("each line is JSON");
        assert!(line["level"].is_string() || line["_aws"].is_object());
    }
}
