//! Short names for messages.

use codec::model::{
    AssistantMessage, Content, Message, SystemMessage, ToolCall, ToolResult, ToolResultMessage,
    UserMessage,
};

pub(crate) fn user(text: &str) -> Message {
    Message::User(UserMessage {
        content: vec![Content::text(text)],
        ..UserMessage::default()
    })
}

/// A user message that is to stay however old it is.
pub(crate) fn pinned(text: &str) -> Message {
    let custom = serde_json::json!({"pinned": true});
    Message::User(UserMessage {
        content: vec![Content::text(text)],
        metadata: [("custom".to_owned(), custom)].into_iter().collect(),
        ..UserMessage::default()
    })
}

pub(crate) fn assistant(text: &str) -> Message {
    Message::Assistant(AssistantMessage {
        content: vec![Content::text(text)],
        ..AssistantMessage::default()
    })
}

pub(crate) fn system(text: &str) -> SystemMessage {
    SystemMessage {
        content: vec![Content::text(text)],
        ..SystemMessage::default()
    }
}

pub(crate) fn call(id: &str) -> Message {
    Message::Assistant(AssistantMessage {
        tool_calls: vec![ToolCall {
            id: id.into(),
            name: "tool".into(),
            ..ToolCall::default()
        }],
        ..AssistantMessage::default()
    })
}

pub(crate) fn result(id: &str) -> Message {
    Message::ToolResult(ToolResultMessage {
        results: vec![ToolResult {
            id: Some(id.into()),
            content: vec![Content::text("done")],
            ..ToolResult::default()
        }],
        ..ToolResultMessage::default()
    })
}

/// The first text of a message.
pub(crate) fn text(message: &Message) -> &str {
    let content = match message {
        Message::System(message) => &message.content,
        Message::User(message) => &message.content,
        Message::Assistant(message) => &message.content,
        Message::ToolResult(_) => return "",
    };
    match content.first() {
        Some(Content::Text { text, .. }) => text,
        _ => "",
    }
}
