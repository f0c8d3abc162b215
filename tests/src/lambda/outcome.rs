//! What came of an invocation.

use std::collections::BTreeMap;

use serde_json::Value;

use super::event::Trigger;

/// What a function gave back to Lambda.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The text it returned.
    Answer(String),
    /// The error it reported.
    Fault {
        /// The name workflows match.
        error_type: String,
        /// What it said.
        error_message: String,
    },
}

/// An answer as a gateway passes it on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u64,
    /// The headers.
    pub headers: BTreeMap<String, String>,
    /// The body, which is always JSON.
    pub body: Value,
}

impl Outcome {
    /// The text, whichever way it went.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Answer(text) => text,
            Self::Fault { error_message, .. } => error_message,
        }
    }

    /// The body of a direct answer.
    #[must_use]
    pub fn body(&self) -> Value {
        match self {
            Self::Answer(text) => serde_json::from_str(text).expect("JSON"),
            Self::Fault {
                error_type,
                error_message,
            } => panic!("{error_type}: {error_message}"),
        }
    }

    /// The response a gateway makes of it.
    #[must_use]
    pub fn response(&self) -> Response {
        let envelope = self.body();
        let headers = envelope["headers"].as_object().expect("headers");
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        Response {
            status: envelope["statusCode"].as_u64().expect("a status"),
            headers: headers
                .iter()
                .map(|(name, value)| (name.clone(), text(value)))
                .collect(),
            body: serde_json::from_str(envelope["body"].as_str().expect("a body")).expect("JSON"),
        }
    }

    /// The body of a success, however the function was called.
    #[must_use]
    pub fn success(&self, trigger: Trigger) -> Value {
        if !trigger.is_http() {
            return self.body();
        }
        let response = self.response();
        assert_eq!(response.status, 200, "{}", response.body);
        response.body
    }

    /// The error type and the problem document of a direct failure.
    #[must_use]
    pub fn problem(&self) -> (String, Value) {
        match self {
            Self::Answer(text) => panic!("no failure: {text}"),
            Self::Fault {
                error_type,
                error_message,
            } => (
                error_type.clone(),
                serde_json::from_str(error_message).expect("JSON"),
            ),
        }
    }
}
