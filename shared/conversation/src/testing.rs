//! Short names for the messages of unit tests.

use codec::model::{
    AssistantMessage, Content, Message, ToolCall, ToolResult, ToolResultMessage, UserMessage,
};

pub(crate) fn user(text: &str) -> Message {
    Message::User(UserMessage {
        content: vec![Content::text(text)],
        ..UserMessage::default()
    })
}

pub(crate) fn assistant(text: &str) -> Message {
    Message::Assistant(AssistantMessage {
        content: vec![Content::text(text)],
        ..AssistantMessage::default()
    })
}

pub(crate) fn call(id: &str) -> Message {
    Message::Assistant(AssistantMessage {
        tool_calls: vec![ToolCall {
            id: id.to_owned(),
            name: "tool".to_owned(),
            ..ToolCall::default()
        }],
        ..AssistantMessage::default()
    })
}

pub(crate) fn result(id: &str) -> Message {
    Message::ToolResult(ToolResultMessage {
        results: vec![ToolResult {
            id: Some(id.to_owned()),
            content: vec![Content::text("done")],
            ..ToolResult::default()
        }],
        ..ToolResultMessage::default()
    })
}
