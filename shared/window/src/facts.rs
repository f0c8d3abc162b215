//! What the rules ask of a message, answered in one place.

use codec::model::{Message, ToolCall};
use serde_json::Value;

/// Whether a turn starts here: a person speaks. Tool results do not start one, and neither do the
/// documents a tool result brought along in a user message of their own.
pub(crate) fn starts_turn(message: &Message) -> bool {
    matches!(message, Message::User(_)) && !is_document_message(message)
}

/// The synthetic user message that carries documents taken from the tool results before it.
pub(crate) fn is_document_message(message: &Message) -> bool {
    match message {
        Message::User(user) => user.metadata.get("toolCallDocuments") == Some(&Value::Bool(true)),
        _ => false,
    }
}

/// The tool calls of a message; none for all but assistant messages.
pub(crate) fn tool_calls(message: &Message) -> &[ToolCall] {
    match message {
        Message::Assistant(assistant) => &assistant.tool_calls,
        _ => &[],
    }
}

/// Whether this is the answer to tool calls.
pub(crate) fn is_tool_result(message: &Message) -> bool {
    matches!(message, Message::ToolResult(_))
}

/// The ids of the tool calls a message makes or answers.
pub(crate) fn tool_ids(message: &Message) -> impl Iterator<Item = &str> {
    let calls = tool_calls(message).iter().map(|call| call.id.as_str());
    let results = match message {
        Message::ToolResult(answer) => answer.results.as_slice(),
        _ => &[],
    };
    calls.chain(results.iter().filter_map(|result| result.id.as_deref()))
}

/// Whether a window may open with `message`, given the one before it: never with what belongs to the
/// message before, a tool result or its documents.
pub(crate) fn may_open(message: &Message) -> bool {
    !is_tool_result(message) && !is_document_message(message)
}
