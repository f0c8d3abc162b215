//! Bodies made to break things: refused at once, within bounds, and the function goes on.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tests::lambda::{Deployment, Function, Outcome, Trigger, Wanted, hostile_bodies, texts, turn};

/// The processor time a refusal takes at most. The time on the clock is the same on a machine that does nothing else,
/// which is where `just bench-functions` takes it; here it would tell how busy the machine is. Without optimisation
/// the same work takes many times as long.
const QUICK: Duration = Duration::from_millis(if cfg!(debug_assertions) { 4_000 } else { 50 });
const TRIES: usize = 3;

/// The most memory a function ever uses, in kilobytes: three quarters of what the smallest Lambda function has.
const MEMORY_KB: u64 = 96 * 1_024;

#[tokio::test(flavor = "multi_thread")]
async fn hostile_bodies_are_refused_quickly() {
    let deployment = Deployment::start().await;
    let triggers = [Trigger::HttpApi, Trigger::RestApi].into_iter().cycle();
    for ((name, body), trigger) in hostile_bodies().into_iter().zip(triggers) {
        let wanted = Wanted::store("alice", "s", Value::String(body));
        let outcome = quickly(&deployment.store, &wanted.by(trigger).to_string(), name).await;
        let status = outcome.response().status;
        assert!((400..500).contains(&status), "{name}: {status}");
        // Nobody is sent back what nobody should have sent.
        assert!(outcome.text().len() < 2_000, "{name}");
        within_memory(&deployment.store, name);
    }
    // What was refused did no harm.
    still_works(&deployment).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_direct_payloads_are_refused_quickly() {
    let deployment = Deployment::start().await;
    // What is no JSON at all, Lambda itself never passes on.
    for (name, body) in hostile_bodies()
        .into_iter()
        .filter(|(_, body)| serde_json::from_str::<serde::de::IgnoredAny>(body).is_ok())
    {
        let outcome = quickly(&deployment.store, &body, name).await;
        let (error_type, _) = outcome.problem();
        assert!(
            ["Invalid", "TooLarge"].contains(&error_type.as_str()),
            "{name}: {error_type}"
        );
        assert!(outcome.text().len() < 2_000, "{name}");
        within_memory(&deployment.store, name);
    }
    still_works(&deployment).await;
}

/// A body with so many of what it is made of.
type Body = fn(usize) -> String;

/// Bodies that are read to their end before they are refused.
fn growing() -> Vec<(&'static str, Body)> {
    vec![
        ("blocks", |count| {
            let blocks = r#"{"type":"text","text":"x"},"#.repeat(count);
            format!(r#"{{"messages":[{{"role":"user","content":[{blocks}7]}}]}}"#)
        }),
        ("Converse blocks", |count| {
            let blocks = r#"{"text":"x"},"#.repeat(count);
            format!(
                r#"{{"format":"converse","messages":[{{"role":"user","content":[{blocks}7]}}]}}"#
            )
        }),
        ("messages", |count| {
            let messages = r#"{"role":"user","content":[]},"#.repeat(count);
            format!(r#"{{"messages":[{messages}7]}}"#)
        }),
        ("tool results", |count| {
            let results = r#"{"id":"a","content":[]},"#.repeat(count);
            format!(r#"{{"messages":[{{"role":"tool_call_result","results":[{results}7]}}]}}"#)
        }),
        ("members of a message", |count| {
            let members: Vec<String> = (0..count).map(|n| format!(r#""m{n}":0"#)).collect();
            format!(r#"{{"messages":[{{{},"role":7}}]}}"#, members.join(","))
        }),
        ("agents", |count| {
            let agents: Vec<String> = (0..count)
                .map(|n| format!(r#""a{n}":{{"value":{{}}}}"#))
                .collect();
            format!(r#"{{"state":{{{},"z":7}}}}"#, agents.join(","))
        }),
        ("levels of lists", |count| {
            let levels = format!("{}{},", "[".repeat(100), "]".repeat(100)).repeat(count / 50);
            format!(
                r#"{{"messages":[{{"role":"user","metadata":{{"a":[{levels}7]}},"content":7}}]}}"#
            )
        }),
        ("escapes", |count| {
            format!(r#"{{"messages":"{}"}}"#, r"\u00e9\n".repeat(count * 8))
        }),
        ("digits", |count| {
            format!(r#"{{"messages":{}}}"#, "7".repeat(count * 64))
        }),
    ]
}

/// Eight times as much may take a little more than eight times the processor time, since more of it misses the caches;
/// quadratic work takes 64 times as much.
#[tokio::test(flavor = "multi_thread")]
async fn the_work_grows_no_faster_than_the_body() {
    const TIMES: usize = 8;
    const COUNT: usize = 1_600;
    let deployment = Deployment::start().await;
    for (name, body) in growing() {
        let mut work = [Duration::ZERO; 2];
        for (count, work) in [COUNT, TIMES * COUNT].into_iter().zip(&mut work) {
            let wanted = Wanted::store("alice", "s", Value::String(body(count)));
            *work = processor_time(&deployment.store, &wanted.by(Trigger::HttpApi)).await;
        }
        assert!(
            work[1] < work[0] * u32::try_from(TIMES).unwrap() * 5 / 2,
            "{name}: {work:?}"
        );
    }
    within_memory(&deployment.store, "all of them");
}

/// The least processor time in which the function refuses an event.
async fn processor_time(function: &Function, event: &Value) -> Duration {
    let payload = event.to_string();
    let mut least = Duration::MAX;
    for _ in 0..TRIES {
        let before = function.processor_time();
        let response = function.invoke(&payload).await.response();
        assert_eq!(
            (response.status, &response.body["code"]),
            (400, &json!("invalid_request"))
        );
        assert!(
            !response.body["detail"].to_string().contains("values"),
            "{} is refused before it is read",
            response.body
        );
        least = least.min(function.processor_time().saturating_sub(before));
    }
    least
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

/// Lambda passes on JSON alone, so this is for a Lambda that does not.
#[tokio::test(flavor = "multi_thread")]
async fn payloads_that_are_no_json_are_refused() {
    let deployment = Deployment::start().await;
    let payloads: [&[u8]; 6] = [
        b"",
        b"hello",
        b"{",
        b"{} {}",
        b"\xff\xfe",
        b"{\"a\":\"\xff\"}",
    ];
    for payload in payloads {
        let api = &deployment.store.api;
        match api.invoke(payload, Duration::from_secs(20)).await {
            Outcome::Fault { error_type, .. } => assert_eq!(error_type, "Invalid", "{payload:?}"),
            Outcome::Answer(answer) => panic!("{payload:?}: {answer}"),
        }
    }
    still_works(&deployment).await;
}

async fn quickly(function: &Function, payload: &str, name: &str) -> Outcome {
    let mut best = Duration::MAX;
    for _ in 0..TRIES {
        let before = function.processor_time();
        let outcome = function.invoke(payload).await;
        best = best.min(function.processor_time().saturating_sub(before));
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

fn within_memory(function: &Function, name: &str) {
    let most = function.peak_kb();
    assert!(most < MEMORY_KB, "{name}: {most} kB");
}
