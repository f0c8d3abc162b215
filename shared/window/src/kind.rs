//! What the rules ask of a message, answered in one place.

use codec::model::{Message, View};

/// What a message is to the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A person speaks, so a turn starts.
    Person,
    /// The synthetic user message that carries documents taken from the tool results before it. Nobody said it.
    Documents,
    /// The assistant calls tools.
    Calls,
    /// The answer to tool calls.
    Results,
    /// Whatever else is said.
    Words,
}

impl Kind {
    pub(crate) fn of(message: &Message) -> Self {
        match message {
            Message::User(user) => match user.metadata.view("toolCallDocuments") {
                Some(mark) if View::is_true(mark) => Self::Documents,
                _ => Self::Person,
            },
            Message::Assistant(assistant) if !assistant.tool_calls.is_empty() => Self::Calls,
            Message::Assistant(_) | Message::System(_) => Self::Words,
            Message::ToolResult(_) => Self::Results,
        }
    }

    /// Whether a window may open with the message: never with what belongs to the message before, a tool
    /// result or its documents.
    pub(crate) fn may_open(self) -> bool {
        !matches!(self, Self::Results | Self::Documents)
    }
}

/// Whether a person speaks in this message, so that a turn starts with it.
#[must_use]
pub fn starts_turn(message: &Message) -> bool {
    Kind::of(message) == Kind::Person
}

/// Whether this is the synthetic user message that carries documents taken from the tool results before it.
#[must_use]
pub fn is_document_message(message: &Message) -> bool {
    Kind::of(message) == Kind::Documents
}
