//! The outermost layer of an answer: the gateway's envelope over HTTP, the body itself in a direct call.

use serde::Serialize;

use crate::call::Source;
use crate::problem::Problem;

/// What Lambda lets a function return, less some room for what is around it.
const LAMBDA_BYTES: usize = 6_291_556 - 4_096;
/// What a Step Functions state may hold is 256 KiB, and Lambda's own metadata is part of it.
const WORKFLOW_BYTES: usize = 240 * 1_024;

/// A failed direct call, as Lambda reports it: workflows match on the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// One of [`crate::ErrorType`]'s names.
    pub error_type: &'static str,
    /// The problem document as JSON text.
    pub error_message: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<'a> {
    status_code: u16,
    headers: Headers<'a>,
    body: &'a str,
    is_base64_encoded: bool,
    // `cargo lambda watch` insists on it, and a REST API would not stand for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    cookies: Option<[&'a str; 0]>,
}

#[derive(Serialize)]
struct Headers<'a> {
    #[serde(rename = "content-type")]
    content_type: &'a str,
    #[serde(rename = "cache-control")]
    cache_control: &'a str,
    #[serde(rename = "retry-after", skip_serializing_if = "Option::is_none")]
    retry_after: Option<String>,
    #[serde(rename = "allow", skip_serializing_if = "Option::is_none")]
    allow: Option<&'a str>,
}

/// The text a function returns for a body.
pub(crate) fn success(source: Source, body: String) -> String {
    match source {
        Source::Direct => body,
        Source::HttpApi | Source::RestApi => envelope(source, 200, "application/json", &body, None),
    }
}

/// The text, or in a direct call the fault, a function returns for a problem.
pub(crate) fn failure(
    source: Source,
    problem: &Problem,
    request_id: &str,
) -> Result<String, Fault> {
    let document = problem.document(request_id).to_string();
    match source {
        Source::Direct => Err(Fault {
            error_type: problem.error_type.name(),
            error_message: document,
        }),
        Source::HttpApi | Source::RestApi => Ok(envelope(
            source,
            problem.status,
            "application/problem+json",
            &document,
            Some(problem),
        )),
    }
}

/// By how many bytes a body is too long for what comes after it: a workflow's state, or Lambda itself.
pub(crate) fn excess(source: Source, body: &str) -> usize {
    match source {
        Source::Direct => body.len().saturating_sub(WORKFLOW_BYTES),
        Source::HttpApi | Source::RestApi => excess_of_lambda(source, body),
    }
}

/// By how many bytes a body is too long for Lambda. Inside an envelope it is a JSON string, and escaping
/// makes it longer.
pub(crate) fn excess_of_lambda(source: Source, body: &str) -> usize {
    let size = match source {
        Source::Direct => body.len(),
        Source::HttpApi | Source::RestApi => escaped_len(body),
    };
    size.saturating_sub(LAMBDA_BYTES)
}

/// The most bytes an answer has that goes out this way, for messages to callers.
pub(crate) fn limit(source: Source) -> usize {
    match source {
        Source::Direct => WORKFLOW_BYTES,
        Source::HttpApi | Source::RestApi => LAMBDA_BYTES,
    }
}

/// The length of a JSON text inside a JSON string. It has no raw control characters, so only quotes
/// and backslashes grow.
fn escaped_len(body: &str) -> usize {
    body.len()
        + body
            .bytes()
            .filter(|byte| matches!(byte, b'"' | b'\\'))
            .count()
}

fn envelope(
    source: Source,
    status_code: u16,
    content_type: &str,
    body: &str,
    problem: Option<&Problem>,
) -> String {
    let envelope = Envelope {
        status_code,
        headers: Headers {
            content_type,
            // Conversations are private, and the next turn changes them.
            cache_control: "no-store",
            retry_after: problem.and_then(|problem| Some(problem.retry_after?.to_string())),
            allow: problem.and_then(|problem| problem.allow),
        },
        body,
        is_base64_encoded: false,
        cookies: (source == Source::HttpApi).then_some([]),
    };
    // Strings and numbers alone: there is nothing in it that could fail to be written.
    serde_json::to_string(&envelope).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{escaped_len, excess, failure, success};
    use crate::call::Source;
    use crate::failure::Failure;
    use crate::problem::Problem;

    #[test]
    fn a_body_travels_as_the_trigger_wants_it() {
        let body = r#"{"a":"b"}"#.to_owned();
        assert_eq!(success(Source::Direct, body.clone()), body);
        let http: Value = serde_json::from_str(&success(Source::HttpApi, body.clone())).unwrap();
        assert_eq!(http["statusCode"], 200);
        assert_eq!(http["body"], body);
        assert_eq!(http["headers"]["content-type"], "application/json");
        assert_eq!(http["cookies"], json!([]));
        let rest: Value = serde_json::from_str(&success(Source::RestApi, body)).unwrap();
        assert_eq!(rest.get("cookies"), None);
    }

    #[test]
    fn a_problem_is_a_response_or_a_fault() {
        let throttled = Failure::Conversation(conversation::Error::Throttled(
            conversation::Service::EventLog,
        ));
        let problem = Problem::from(&throttled);
        let http: Value =
            serde_json::from_str(&failure(Source::RestApi, &problem, "r").unwrap()).unwrap();
        assert_eq!(http["statusCode"], 429);
        assert_eq!(http["headers"]["retry-after"], "1");
        assert_eq!(http["headers"]["content-type"], "application/problem+json");
        let document: Value = serde_json::from_str(http["body"].as_str().unwrap()).unwrap();
        let expected = json!({
            "type": "urn:colloquy:problem:throttled",
            "title": "Too many requests",
            "status": 429,
            "code": "throttled",
            "detail": "try again later",
            "requestId": "r",
            "retryAfter": 1
        });
        assert_eq!(document, expected);
        let fault = failure(Source::Direct, &problem, "r").unwrap_err();
        assert_eq!(fault.error_type, "Throttled");
        assert_eq!(
            serde_json::from_str::<Value>(&fault.error_message).unwrap(),
            expected
        );
    }

    #[test]
    fn a_wrong_method_is_told_the_right_one() {
        let problem = Problem::from(&Failure::MethodNotAllowed { allow: "GET" });
        let http: Value =
            serde_json::from_str(&failure(Source::HttpApi, &problem, "r").unwrap()).unwrap();
        assert_eq!(
            (&http["statusCode"], &http["headers"]["allow"]),
            (&json!(405), &json!("GET"))
        );
    }

    #[test]
    fn sizes_count_what_escaping_adds() {
        let body = serde_json::to_string(&json!({"a": "b\"\\\n"})).unwrap();
        assert_eq!(
            escaped_len(&body) + 2,
            serde_json::to_string(&body).unwrap().len()
        );
        assert_eq!(excess(Source::Direct, &"x".repeat(245_760)), 0);
        assert_eq!(excess(Source::Direct, &"x".repeat(245_763)), 3);
        assert_eq!(excess(Source::HttpApi, &"x".repeat(6_000_000)), 0);
        assert!(excess(Source::HttpApi, &"\"".repeat(4_000_000)) > 0);
    }
}
