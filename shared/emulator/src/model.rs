//! The model behind Converse: scripted answers first, then one that follows from the input alone.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// How much of each message the default answer quotes.
const QUOTED: usize = 80;
/// Requests kept for tests to look at.
const KEPT: usize = 1_000;

/// One scripted answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ModelAnswer {
    /// Content blocks of the answer, as Converse returns them.
    pub content: Vec<Value>,
    /// Stop reason; `end_turn`, or `tool_use` where a block is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
}

impl ModelAnswer {
    /// An answer of plain text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self {
            content: vec![json!({"text": text})],
            stop_reason: None,
        }
    }
}

/// A request that reached the model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelRequest {
    /// Model id of the path.
    pub model_id: String,
    /// Body of the request.
    pub body: Value,
}

/// The script and what was asked so far.
#[derive(Debug, Default)]
pub(crate) struct Model {
    pub(crate) script: VecDeque<ModelAnswer>,
    pub(crate) requests: VecDeque<ModelRequest>,
}

impl Model {
    /// Records the request and gives the answer to it.
    pub(crate) fn answer(&mut self, request: ModelRequest) -> ModelAnswer {
        let answer = self
            .script
            .pop_front()
            .unwrap_or_else(|| default_answer(&request.body));
        if self.requests.len() == KEPT {
            self.requests.pop_front();
        }
        self.requests.push_back(request);
        answer
    }
}

/// Rough number of tokens: a quarter of the bytes, rounded up.
pub(crate) fn estimate_tokens(value: &Value) -> u64 {
    u64::try_from(value.to_string().len())
        .unwrap_or(u64::MAX)
        .div_ceil(4)
}

/// One line per message, quoting its first words, so that tests can tell what went in.
fn default_answer(body: &Value) -> ModelAnswer {
    let empty = Vec::new();
    let messages = body
        .get("messages")
        .and_then(Value::as_array)
        .unwrap_or(&empty);
    let lines: Vec<String> = messages
        .iter()
        .filter_map(Value::as_object)
        .map(line)
        .collect();
    ModelAnswer::text(&format!(
        "Summary of {} messages:\n{}",
        messages.len(),
        lines.join("\n")
    ))
}

fn line(message: &Map<String, Value>) -> String {
    let role = message
        .get("role")
        .and_then(Value::as_str)
        .unwrap_or("unknown");
    let blocks = message.get("content").and_then(Value::as_array);
    let texts: Vec<&str> = blocks
        .into_iter()
        .flatten()
        .filter_map(|block| block.get("text").and_then(Value::as_str))
        .collect();
    let text: String = texts
        .join(" ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let quoted: String = text.chars().take(QUOTED).collect();
    format!("- {role}: {quoted}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_answer_follows_from_the_input() {
        let body = json!({"messages": [{"role": "user", "content": [{"text": "Hello\n  there"}]}]});
        let expected = ModelAnswer::text("Summary of 1 messages:\n- user: Hello there");
        let request = ModelRequest {
            model_id: "m".into(),
            body,
        };
        let mut model = Model::default();
        assert_eq!(model.answer(request.clone()), expected);
        model.script.push_back(ModelAnswer::text("scripted"));
        assert_eq!(model.answer(request.clone()), ModelAnswer::text("scripted"));
        assert_eq!(model.answer(request), expected);
        assert_eq!(model.requests.len(), 3);
    }
}
