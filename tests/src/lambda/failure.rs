//! A failure as callers see it, the same whichever way they called.

use std::time::Duration;

use serde_json::{Value, json};

use super::deployment::Deployment;
use super::event::{Trigger, Wanted};
use super::outcome::Outcome;

/// How a failure looks: HTTP status, code, error type.
pub type Failure = (u64, &'static str, &'static str);

/// Enough for any call that works, and not long to wait for those that are repeated until the time is up.
const SHORT: Duration = Duration::from_secs(3);

/// Asks by every trigger, and expects the same failure each time.
pub async fn fails(deployment: &Deployment, wanted: &Wanted<'_>, failure: Failure) {
    for trigger in Trigger::ALL {
        let outcome = deployment.ask_within(trigger, wanted, SHORT).await;
        is_failure(&outcome, trigger, failure);
    }
}

/// Expects a failure, in the form the trigger has for it.
pub fn is_failure(outcome: &Outcome, trigger: Trigger, (status, code, name): Failure) {
    if trigger.is_http() {
        let response = outcome.response();
        assert_eq!(
            (response.status, &response.body["code"]),
            (status, &json!(code)),
            "{}",
            response.body
        );
        assert_eq!(response.headers["content-type"], "application/problem+json");
        is_document(&response.body, status, code);
        let retry = response.body.get("retryAfter").map(ToString::to_string);
        assert_eq!(response.headers.get("retry-after"), retry.as_ref());
    } else {
        let (error_type, document) = outcome.problem();
        assert_eq!(
            (error_type.as_str(), &document["code"]),
            (name, &json!(code)),
            "{document}"
        );
        is_document(&document, status, code);
    }
}

fn is_document(document: &Value, status: u64, code: &str) {
    assert_eq!(document["type"], format!("urn:colloquy:problem:{code}"));
    assert_eq!(document["status"], status);
    for text in ["title", "detail", "requestId"] {
        assert!(
            document[text].as_str().is_some_and(|text| !text.is_empty()),
            "{document}"
        );
    }
}
