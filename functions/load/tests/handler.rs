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
