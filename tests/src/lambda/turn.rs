//! Bodies of requests, and what to make of those of answers.

use serde_json::{Value, json};

/// A message of a user.
#[must_use]
pub fn user(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": text}]})
}

/// A message of the model.
#[must_use]
pub fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "text", "text": text}]})
}

/// The fields of a store of one turn: what the user said and what the model answered.
#[must_use]
pub fn turn(said: &str, answered: &str) -> Value {
    json!({"messages": [user(said), assistant(answered)]})
}

/// The texts of the messages a load gave.
#[must_use]
pub fn texts(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array();
    let messages = messages.unwrap_or_else(|| panic!("no messages in {body}"));
    messages
        .iter()
        .map(|message| {
            let text = message["content"][0]["text"].as_str();
            text.expect("a text").to_owned()
        })
        .collect()
}
