//! What the rules ask of a message, answered in one place.

use codec::model::Message;
use serde_json::Value;

/// What a message is to the rules.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// A turn starts here: a person speaks. Tool results do not start one, and neither do the documents
    /// a tool result brought along in a user message of their own.
    pub(crate) starts_turn: bool,
    /// The synthetic user message that carries documents taken from the tool results before it.
    pub(crate) is_document: bool,
    /// The answer to tool calls.
    pub(crate) is_result: bool,
    /// It calls tools.
    pub(crate) calls: bool,
}

impl Facts {
    pub(crate) fn of(message: &Message) -> Self {
        let is_document = match message {
            Message::User(user) => {
                user.metadata.get("toolCallDocuments") == Some(&Value::Bool(true))
            }
            _ => false,
        };
        Self {
            starts_turn: matches!(message, Message::User(_)) && !is_document,
            is_document,
            is_result: matches!(message, Message::ToolResult(_)),
            calls: match message {
                Message::Assistant(assistant) => !assistant.tool_calls.is_empty(),
                _ => false,
            },
        }
    }

    /// Whether a window may open with the message: never with what belongs to the message before, a tool
    /// result or its documents.
    pub(crate) fn may_open(self) -> bool {
        !self.is_result && !self.is_document
    }
}

/// Whether a person speaks in this message, so that a turn starts with it.
#[must_use]
pub fn starts_turn(message: &Message) -> bool {
    Facts::of(message).starts_turn
}
