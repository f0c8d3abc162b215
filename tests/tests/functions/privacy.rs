//! Canaries: strings planted wherever content can be, and looked for wherever the functions write.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use emulator::{FaultAction, FaultPlan, FaultRule, ModelAnswer, Options};
use serde_json::{Value, json};
use tests::lambda::{Deployment, Function, Trigger, Wanted, turn};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Every canary has this in it, and nothing else has.
const CANARY: &str = "CANARY";

/// A turn with a canary in every place that holds what people said.
fn planted() -> Value {
    json!({
        "messages": [
            {"role": "user", "name": "CANARY-name", "metadata": {"CANARY-key": "CANARY-metadata"}, "content": [
                {"type": "text", "text": "CANARY-text", "metadata": {"note": "CANARY-block"}},
                {"type": "object", "content": {"CANARY-field": "CANARY-object"}}
            ]},
            {"role": "assistant", "content": [{"type": "text", "text": "CANARY-answer"}],
             "toolCalls": [{"id": "CANARY-call", "name": "CANARY_tool", "arguments": {"q": "CANARY-argument"}}]},
            {"role": "tool_call_result", "results": [
                {"id": "CANARY-call", "name": "CANARY_tool", "content": "CANARY-result"}
            ]}
        ],
        "systemMessage": "CANARY-system",
        "state": {"agent": {"value": {"CANARY-state": "CANARY-value"}}},
        "idempotencyKey": "CANARY-idempotency"
    })
}

/// Requests that fail, each with canaries in the part that is at fault.
fn faulty() -> Vec<Value> {
    let message = |message: Value| json!({"messages": [message]});
    vec![
        json!({"messages": "CANARY-type"}),
        json!({"messages": ["CANARY-item"]}),
        message(json!({"role": "CANARY-role", "content": []})),
        message(json!({"role": "user", "content": "CANARY-content"})),
        message(json!({"role": "assistant", "toolCalls": [{"id": 7, "name": "CANARY-tool"}]})),
        json!({"messages": [{"role": "user", "content": [{"type": "text", "text": "CANARY"}]}], "mode": "CANARY-mode"}),
        json!({"messages": [{"role": "user", "content": [{"type": "text", "text": "CANARY"}]}], "head": "CANARY-head"}),
        json!({"systemMessage": {"role": "user", "content": [{"type": "text", "text": "CANARY"}]}}),
        json!({"state": {"agent": {"value": "CANARY-state"}}}),
        json!({"state": {"agent": {"value": {"CANARY": "CANARY"}, "version": "CANARY-version"}}}),
        Value::String(
            r#"{"messages": [{"role": "user", "content": [{"type": "text", "text": "CANARY-cut"#
                .to_owned(),
        ),
        Value::String("CANARY-no-json".to_owned()),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn content_is_in_no_log_metric_trace_or_error() {
    for level in ["ERROR", "WARN", "INFO", "DEBUG"] {
        let collector = Collector::start().await;
        let variables = [
            ("LOG_LEVEL", level),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str()),
        ];
        let deployment = Deployment::with(Options::default(), &variables).await;
        let variables = [variables[0], variables[1], ("MODEL_ID", "stand-in")];
        let summarize = Deployment::function("summarize", &deployment.world, &variables).await;
        successes(&deployment).await;
        let mut said = refusals(&deployment).await;
        said.extend(failures(&deployment).await);
        said.extend(summaries(&deployment, &summarize).await);
        for text in &said {
            assert!(!text.contains(CANARY), "an error says {text}");
        }
        let written = format!(
            "{}{}{}",
            deployment.load.written(),
            deployment.store.written(),
            summarize.written()
        );
        holds_no_canary("the log", &written);
        let spans = collector.text();
        holds_no_canary("a trace", &spans);
        // All of it was there to be looked at.
        assert!(
            written.contains("\"_aws\""),
            "{level}: no metrics in {written}"
        );
        assert!(
            written.contains("call failed"),
            "{level}: no failures in {written}"
        );
        assert_eq!(
            written.contains("turn stored"),
            ["INFO", "DEBUG"].contains(&level),
            "{level}"
        );
        assert_eq!(
            written.contains("conversation summarized"),
            ["INFO", "DEBUG"].contains(&level),
            "{level}"
        );
        assert!(
            spans.contains("gen_ai.operation.name"),
            "{level}: no spans in {spans}"
        );
    }
}

/// Calls that succeed. Their answers are content, and not looked at.
async fn successes(deployment: &Deployment) {
    for trigger in Trigger::ALL {
        let store = Wanted::store("alice", trigger.name(), planted());
        let stored = deployment.ask(trigger, &store).await.success(trigger);
        // A store gives nothing back that it was given, but for the context, which has the system message.
        assert!(
            !stored["head"].to_string().contains(CANARY) && stored["stored"] == 3,
            "{stored}"
        );
        for format in ["messages", "converse", "prompt"] {
            let load = Wanted::load("alice", trigger.name(), json!({"format": format}));
            let loaded = deployment.ask(trigger, &load).await.success(trigger);
            assert!(
                loaded.to_string().contains("CANARY-text"),
                "{format}: {loaded}"
            );
        }
    }
}

async fn refusals(deployment: &Deployment) -> Vec<String> {
    let mut said = Vec::new();
    for fields in faulty() {
        for trigger in Trigger::ALL {
            if fields.is_string() && !trigger.is_http() {
                continue;
            }
            let outcome = deployment
                .ask(trigger, &Wanted::store("alice", "faulty", fields.clone()))
                .await;
            let is_error = !trigger.is_http() || outcome.response().status >= 400;
            assert!(is_error, "{fields} is not refused");
            if !trigger.is_http() {
                assert_eq!(outcome.problem().0, "Invalid");
            }
            said.push(outcome.text().to_owned());
        }
    }
    for fields in [
        json!({"window": "CANARY"}),
        json!({"format": "CANARY"}),
        json!({"maxBytes": "CANARY"}),
    ] {
        let outcome = deployment
            .ask(Trigger::HttpApi, &Wanted::load("alice", "faulty", fields))
            .await;
        assert_eq!(outcome.response().status, 400);
        said.push(outcome.text().to_owned());
    }
    said
}

/// Good requests that meet failing services, a conflict or a lack of time.
async fn failures(deployment: &Deployment) -> Vec<String> {
    let mut said = Vec::new();
    for action in [
        FaultAction::Throttle,
        FaultAction::Error500,
        FaultAction::Denied403,
        FaultAction::Quota402,
    ] {
        let rules = vec![FaultRule::always("*", action)];
        deployment
            .world
            .emulator
            .set_faults(FaultPlan { seed: 1, rules });
        let store = Wanted::store("alice", "failing", planted());
        let outcome = deployment
            .ask_within(Trigger::Direct, &store, Duration::from_secs(1))
            .await;
        assert_eq!(
            outcome.problem().1["requestId"].as_str().map(str::len),
            Some(36)
        );
        said.push(outcome.text().to_owned());
    }
    deployment.world.emulator.set_faults(FaultPlan::default());
    let mut other = planted();
    other["messages"] =
        json!([{"role": "user", "content": [{"type": "text", "text": "CANARY-other"}]}]);
    let conflict = deployment
        .ask(Trigger::Direct, &Wanted::store("alice", "direct", other))
        .await;
    assert_eq!(conflict.problem().0, "Conflict");
    said.push(conflict.text().to_owned());
    let store = Wanted::store("alice", "late", planted()).by(Trigger::HttpApi);
    let late = deployment.store.invoke_within(store, Duration::ZERO).await;
    assert_eq!(late.response().status, 504);
    said.push(late.text().to_owned());
    said
}

/// Summaries that are made, and some that are not: each model sees canaries, and writes one.
async fn summaries(deployment: &Deployment, summarize: &Function) -> Vec<String> {
    let emulator = &deployment.world.emulator;
    let fields = json!({"preserveRecent": 0, "ratio": 0.8});
    let mut said = Vec::new();
    for trigger in Trigger::ALL {
        // A summary ends before something a user says.
        let more = Wanted::store("alice", trigger.name(), turn("CANARY-more", "CANARY-last"));
        let stored = deployment.ask(trigger, &more).await.success(trigger);
        assert_eq!(stored["stored"], 2);
        let wanted = Wanted::summarize("alice", trigger.name(), fields.clone());
        for action in [
            FaultAction::Guardrail,
            FaultAction::EmptyAnswer,
            FaultAction::InputTooLong,
            FaultAction::Error500,
        ] {
            let rules = vec![FaultRule::always("Converse", action)];
            emulator.set_faults(FaultPlan { seed: 1, rules });
            let time = Duration::from_secs(2);
            let outcome = summarize.invoke_within(wanted.by(trigger), time).await;
            assert!(!trigger.is_http() || outcome.response().status >= 500);
            said.push(outcome.text().to_owned());
        }
        emulator.set_faults(FaultPlan::default());
        emulator.script_model([ModelAnswer::text("CANARY-summary")]);
        let made = summarize.invoke(wanted.by(trigger)).await.success(trigger);
        assert_eq!(made["summary"]["text"], "CANARY-summary", "{made}");
        let load = Wanted::load("alice", trigger.name(), json!({"window": "summarizing"}));
        let loaded = deployment.ask(trigger, &load).await.success(trigger);
        assert!(loaded.to_string().contains("CANARY-summary"), "{loaded}");
    }
    let asked = emulator.model_requests();
    assert!(
        asked
            .iter()
            .any(|request| request.body.to_string().contains("CANARY-text"))
    );
    said
}

fn holds_no_canary(place: &str, text: &str) {
    let line = text.lines().find(|line| line.contains(CANARY));
    assert_eq!(line, None, "in {place}");
}

/// A collector of traces that keeps every byte it is sent.
struct Collector {
    url: String,
    bytes: Arc<Mutex<Vec<u8>>>,
}

impl Collector {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&bytes);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let kept = Arc::clone(&kept);
                tokio::spawn(async move {
                    let mut piece = [0; 16_384];
                    while let Ok(size @ 1..) = stream.read(&mut piece).await {
                        kept.lock().unwrap().extend_from_slice(&piece[..size]);
                        let _ = stream
                            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
                            .await;
                    }
                });
            }
        });
        Self { url, bytes }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes.lock().unwrap()).into_owned()
    }
}
