//! Spans with OpenTelemetry's names for memory operations, sent to a collector beside the function.
//!
//! One span a call, as OTLP JSON over plain HTTP. Best effort: a collector that does not answer at once is
//! not waited for.

use std::time::Duration;

use conversation::ports::Entropy;
use serde_json::{Value, json};
use system::SystemEntropy;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::log::Invocation;
use crate::record::Outcome;
use crate::route::Operation;

const PATIENCE: Duration = Duration::from_millis(100);

/// A collector of traces.
#[derive(Clone, Debug)]
pub struct Collector {
    address: String,
    service: String,
    memory: String,
}

impl Collector {
    /// The collector at `host:port`, for the spans of a function over a memory.
    #[must_use]
    pub fn new(address: &str, service: &str, memory: &str) -> Self {
        Self {
            address: address.to_owned(),
            service: service.to_owned(),
            memory: memory.to_owned(),
        }
    }

    /// Sends the span of a call.
    pub async fn send(&self, invocation: &Invocation, outcome: &Outcome) {
        let body = self
            .document(invocation, outcome, &SystemEntropy::new())
            .to_string();
        // A lost span is no reason to fail, or to say anything: the log line of the call is there.
        let _ = tokio::time::timeout(PATIENCE, self.post(&body)).await;
    }

    async fn post(&self, body: &str) -> std::io::Result<()> {
        let mut stream = TcpStream::connect(&self.address).await?;
        let head = format!(
            "POST /v1/traces HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body.as_bytes()).await?;
        // The first byte of the answer says that the request has arrived whole.
        stream.read_u8().await?;
        Ok(())
    }

    fn document(
        &self,
        invocation: &Invocation,
        outcome: &Outcome,
        entropy: &impl Entropy,
    ) -> Value {
        json!({"resourceSpans": [{
            "resource": {"attributes": [text("service.name", &self.service)]},
            "scopeSpans": [{"scope": {"name": "colloquy"}, "spans": [self.span(invocation, outcome, entropy)]}]
        }]})
    }

    fn span(&self, invocation: &Invocation, outcome: &Outcome, entropy: &impl Entropy) -> Value {
        let name = operation_name(outcome.operation);
        let (trace_id, parent) = trace(invocation, entropy);
        let mut attributes = vec![
            text("gen_ai.operation.name", name),
            text("gen_ai.provider.name", "aws.bedrock"),
            text("gen_ai.memory.store.id", &self.memory),
            text("faas.invocation_id", &invocation.request_id),
            flag("faas.coldstart", invocation.cold_start),
            number("gen_ai.memory.record.count", outcome.messages),
        ];
        attributes.extend(
            outcome
                .session
                .as_deref()
                .map(|session| text("gen_ai.conversation.id", session)),
        );
        attributes.extend(outcome.error.map(|code| text("error.type", code)));
        // Code 2 is an error, 0 is unset; spans never call themselves a success.
        let status = if outcome.error.is_some() { 2 } else { 0 };
        let mut span = json!({
            "traceId": trace_id,
            "spanId": format!("{:016x}", entropy.next_u64()),
            "name": format!("{name} {}", self.memory),
            "kind": 2,
            "startTimeUnixNano": nanos(outcome.started_ms),
            "endTimeUnixNano": nanos(outcome.ended_ms),
            "attributes": attributes,
            "status": {"code": status},
        });
        if let (Some(parent), Value::Object(fields)) = (parent, &mut span) {
            fields.insert("parentSpanId".to_owned(), parent.into());
        }
        span
    }
}

fn operation_name(operation: Operation) -> &'static str {
    match operation {
        Operation::Load => "search_memory",
        Operation::Store => "create_memory",
        Operation::Summarize => "update_memory",
    }
}

/// The trace and parent an `X-Amzn-Trace-Id` names, or a new trace.
fn trace(invocation: &Invocation, entropy: &impl Entropy) -> (String, Option<String>) {
    let header = invocation.trace.as_deref().unwrap_or_default();
    let part = |name: &str| {
        header
            .split(';')
            .find_map(|part| part.trim().strip_prefix(name))
    };
    let is_hex = |text: &str, length| {
        text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let root = part("Root=1-")
        .map(|root| root.replace('-', ""))
        .filter(|root| is_hex(root, 32));
    match root {
        Some(root) => (
            root,
            part("Parent=")
                .filter(|parent| is_hex(parent, 16))
                .map(str::to_owned),
        ),
        None => (
            format!("{:016x}{:016x}", entropy.next_u64(), entropy.next_u64()),
            None,
        ),
    }
}

/// 64-bit integers are strings in OTLP's JSON.
fn nanos(ms: i64) -> String {
    ms.saturating_mul(1_000_000).to_string()
}

fn text(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

fn number(key: &str, value: u64) -> Value {
    json!({"key": key, "value": {"intValue": value.to_string()}})
}

fn flag(key: &str, value: bool) -> Value {
    json!({"key": key, "value": {"boolValue": value}})
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::Collector;
    use crate::log::Invocation;
    use crate::record::Outcome;
    use crate::route::Operation;

    fn outcome() -> Outcome {
        Outcome {
            operation: Operation::Load,
            started_ms: 1_000,
            ended_ms: 1_012,
            session: Some("s".to_owned()),
            messages: 3,
            error: Some("throttled"),
        }
    }

    fn invocation() -> Invocation {
        Invocation {
            trace: Some(
                "Root=1-67891233-abcdef012345678912345678;Parent=53995c3f42cd8ad8;Sampled=1"
                    .to_owned(),
            ),
            ..Invocation::default()
        }
    }

    #[tokio::test]
    async fn a_span_reaches_the_collector() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let received = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut text = String::new();
            while !text.ends_with("]}") {
                let mut buffer = [0; 4096];
                let read = stream.read(&mut buffer).await.unwrap();
                text.push_str(std::str::from_utf8(&buffer[..read]).unwrap());
            }
            stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
                .await
                .unwrap();
            text
        });
        Collector::new(&address, "load", "m")
            .send(&invocation(), &outcome())
            .await;
        let request = received.await.unwrap();
        assert!(
            request.starts_with("POST /v1/traces HTTP/1.1\r\n"),
            "{request}"
        );
        let body: Value = serde_json::from_str(request.split("\r\n\r\n").nth(1).unwrap()).unwrap();
        let span = &body["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
        assert_eq!(span["name"], "search_memory m");
        assert_eq!(span["traceId"], "67891233abcdef012345678912345678");
        assert_eq!(span["parentSpanId"], "53995c3f42cd8ad8");
        assert_eq!(span["status"], json!({"code": 2}));
        assert_eq!(span["endTimeUnixNano"], "1012000000");
    }

    #[tokio::test]
    async fn a_collector_that_is_not_there_costs_nothing() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let silent = listener.local_addr().unwrap().to_string();
        let started = std::time::Instant::now();
        Collector::new(&silent, "load", "m")
            .send(&Invocation::default(), &outcome())
            .await;
        drop(listener);
        Collector::new(&silent, "load", "m")
            .send(&Invocation::default(), &outcome())
            .await;
        assert!(started.elapsed().as_secs() < 2);
    }
}
