//! Bodies made to break things: refused at once, within bounds, and the function goes on.

// A failed expectation is how a test speaks; that also goes for its helpers.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tests::lambda::{Deployment, Function, Outcome, Trigger, Wanted, texts, turn};

/// A refusal takes no longer. What counts is the best of a few tries, since the machine may be busy with
/// something else. Without optimisation the same work takes many times as long.
const QUICK: Duration = Duration::from_millis(if cfg!(debug_assertions) { 4_000 } else { 50 });
const TRIES: usize = 3;

/// The most memory a function ever uses, in kilobytes: what the smallest Lambda function has.
const MEMORY_KB: u64 = 128 * 1_024;

fn bodies() -> Vec<(&'static str, String)> {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let message =
        |content: &str| format!(r#"{{"messages":[{{"role":"user","content":{content}}}]}}"#);
    vec![
        ("nothing", String::new()),
        ("no JSON", "hello".to_owned()),
        ("cut off", r#"{"messages":[{"role":"#.to_owned()),
        ("trailing text", r#"{"messages":[]} x"#.to_owned()),
        ("a number", "7".to_owned()),
        ("a list", "[]".to_owned()),
        ("null", "null".to_owned()),
        (
            "control characters",
            "{\"messages\":[\"\u{1}\"]}".to_owned(),
        ),
        (
            "half a surrogate pair",
            message(r#"[{"type":"text","text":"\ud800"}]"#),
        ),
        (
            "deep lists",
            format!(r#"{{"messages":{}}}"#, nested(200_000)),
        ),
        (
            "deep objects",
            format!(
                r#"{{"messages":{}1{}}}"#,
                r#"{"a":"#.repeat(100_000),
                "}".repeat(100_000)
            ),
        ),
        (
            "deep state",
            format!(
                r#"{{"state":{{"a":{{"value":{{"x":{}}}}}}}}}"#,
                nested(50_000)
            ),
        ),
        (
            "an endless number",
            format!(r#"{{"messages":{}}}"#, "9".repeat(1_000_000)),
        ),
        (
            "many nulls",
            format!(r#"{{"messages":[{}null]}}"#, "null,".repeat(500_000)),
        ),
        (
            "many blocks",
            message(&format!(
                "[{}7]",
                r#"{"type":"text","text":"x"},"#.repeat(100_000)
            )),
        ),
        (
            "a long unknown field",
            format!(r#"{{"{}":1}}"#, "f".repeat(2_000_000)),
        ),
        ("many unknown fields", {
            let fields: Vec<String> = (0..200_000)
                .map(|number| format!(r#""f{number}":1"#))
                .collect();
            format!("{{{}}}", fields.join(","))
        }),
        (
            "a repeated field",
            format!(
                r#"{{{}"messages":[]}}"#,
                r#""messages":[],"#.repeat(100_000)
            ),
        ),
        (
            "both spellings",
            r#"{"session_id":"s","sessionId":"s","messages":[]}"#.to_owned(),
        ),
        ("spaces", " ".repeat(6_000_000)),
        ("quotes", "\"".repeat(3_000_000)),
        ("too much", "x".repeat(8_000_000)),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_bodies_are_refused_quickly() {
    let deployment = Deployment::start().await;
    for (name, body) in bodies() {
        let wanted = Wanted::store("alice", "s", Value::String(body.clone()));
        for trigger in [Trigger::HttpApi, Trigger::RestApi] {
            let outcome = quickly(&deployment.store, &wanted.by(trigger).to_string(), name).await;
            let status = outcome.response().status;
            assert!((400..500).contains(&status), "{name}: {status}");
        }
    }
    // What was refused did no harm.
    still_works(&deployment).await;
    for function in [&deployment.load, &deployment.store] {
        let most = peak_kb(function);
        assert!(most < MEMORY_KB, "{most} kB");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_direct_payloads_are_refused_quickly() {
    let deployment = Deployment::start().await;
    // What is no JSON at all, Lambda itself never passes on.
    for (name, body) in bodies()
        .into_iter()
        .filter(|(_, body)| serde_json::from_str::<serde::de::IgnoredAny>(body).is_ok())
    {
        let outcome = quickly(&deployment.store, &body, name).await;
        let (error_type, _) = outcome.problem();
        assert!(
            ["Invalid", "TooLarge"].contains(&error_type.as_str()),
            "{name}: {error_type}"
        );
    }
    still_works(&deployment).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_envelopes_are_refused() {
    let deployment = Deployment::start().await;
    let wanted = Wanted::store("alice", "s", turn("1", "2"));
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut event = wanted.by(Trigger::HttpApi);
        change(&mut event);
        event
    };
    let base64 = |bytes: &[u8]| {
        let text = STANDARD.encode(bytes);
        changed(&|event| {
            event["body"] = text.clone().into();
            event["isBase64Encoded"] = true.into();
        })
    };
    let events = [
        ("bytes that are no text", base64(b"\xff\xfe{}")),
        (
            "no base64",
            changed(&|event| event["isBase64Encoded"] = true.into()),
        ),
        (
            "a body that is no text",
            changed(&|event| event["body"] = json!({"messages": []})),
        ),
        (
            "headers that are a list",
            changed(&|event| event["headers"] = json!([1])),
        ),
        (
            "a context that is a number",
            changed(&|event| event["requestContext"] = json!(7)),
        ),
        (
            "a path that is a number",
            changed(&|event| event["rawPath"] = json!(7)),
        ),
        (
            "a query that is no query",
            changed(&|event| event["rawQueryString"] = "a=%zz".into()),
        ),
    ];
    for (name, event) in events {
        let response = quickly(&deployment.store, &event.to_string(), name)
            .await
            .response();
        assert!(
            (400..500).contains(&response.status),
            "{name}: {}",
            response.body
        );
    }
    let text =
        json!({"messages": [{"role": "user", "content": [{"type": "text", "text": "encoded"}]}]});
    let outcome = deployment
        .send("store", base64(text.to_string().as_bytes()))
        .await;
    assert_eq!(outcome.response().status, 200, "{}", outcome.text());
    still_works(&deployment).await;
}

async fn quickly(function: &Function, payload: &str, name: &str) -> Outcome {
    let mut best = Duration::MAX;
    for _ in 0..TRIES {
        let start = Instant::now();
        let outcome = function.invoke(payload).await;
        best = best.min(start.elapsed());
        if best <= QUICK {
            return outcome;
        }
    }
    panic!("{name} took {best:?}");
}

async fn still_works(deployment: &Deployment) {
    let session = "after";
    let stored = deployment
        .ask(
            Trigger::RestApi,
            &Wanted::store("bob", session, turn("1", "2")),
        )
        .await;
    assert_eq!(stored.success(Trigger::RestApi)["stored"], 2);
    let loaded = deployment
        .ask(Trigger::Direct, &Wanted::load("bob", session, json!({})))
        .await
        .body();
    assert_eq!(texts(&loaded), ["1", "2"]);
}

/// The most memory the process has used, as the system counts it.
fn peak_kb(function: &Function) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", function.id())).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
