//! A function's answer as a response.

use std::collections::BTreeMap;

use edge::{Fault, Problem};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use serde::Deserialize;
use serde_json::Value;

/// A response whose body is there already.
pub(crate) type Answer = Response<Full<Bytes>>;

const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    status_code: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    body: String,
}

/// The response for what a function gave.
pub(crate) fn of_function(outcome: Result<String, Fault>) -> Answer {
    match outcome {
        Ok(text) => match serde_json::from_str::<Envelope>(&text) {
            Ok(envelope) => of_envelope(envelope),
            Err(_) => bare(StatusCode::BAD_GATEWAY),
        },
        // What the function did not even recognise as a request: its message is the problem document.
        Err(fault) => {
            let document: Option<Value> = serde_json::from_str(&fault.error_message).ok();
            let status = document
                .as_ref()
                .and_then(|document| document.get("status")?.as_u64());
            of_document(
                status
                    .and_then(|status| u16::try_from(status).ok())
                    .unwrap_or(500),
                fault.error_message,
            )
        }
    }
}

/// The response for a problem of the API itself. The connection is closed after it: there may be an unread
/// body on it.
pub(crate) fn of_problem(problem: &Problem, request_id: &str) -> Answer {
    let mut answer = of_document(problem.status, problem.document(request_id).to_string());
    if let Some(seconds) = problem.retry_after {
        answer
            .headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    answer
        .headers_mut()
        .insert(CONNECTION, HeaderValue::from_static("close"));
    answer
}

fn of_envelope(envelope: Envelope) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(envelope.body)));
    *answer.status_mut() =
        StatusCode::from_u16(envelope.status_code).unwrap_or(StatusCode::BAD_GATEWAY);
    for (name, value) in envelope.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            answer.headers_mut().append(name, value);
        }
    }
    answer
}

fn of_document(status: u16, document: String) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(document)));
    *answer.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    answer.headers_mut().insert(CONTENT_TYPE, PROBLEM_JSON);
    answer
}

fn bare(status: StatusCode) -> Answer {
    let mut answer = Response::new(Full::default());
    *answer.status_mut() = status;
    answer
}
