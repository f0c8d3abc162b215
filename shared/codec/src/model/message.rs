//! A message, one variant a role.

use super::{Content, Fields, Label, ToolCall, ToolResult};

/// One entry of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Instructions to the model. Part of the conversation's context, never of the event log.
    System(SystemMessage),
    /// What a person, or a program on a person's behalf, said.
    User(UserMessage),
    /// What the model said, and which tools it asked for.
    Assistant(AssistantMessage),
    /// What the tools answered (`role: tool_call_result`).
    ToolResult(ToolResultMessage),
}

/// `role: system`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SystemMessage {
    /// The instructions.
    pub content: Vec<Content>,
    /// Free-form facts about the message.
    pub metadata: Fields,
    /// Fields this version does not know.
    pub extra: Fields,
}

/// `role: user`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UserMessage {
    /// Who is speaking, where several people share a conversation.
    pub name: Option<Label>,
    /// What was said.
    pub content: Vec<Content>,
    /// Free-form facts about the message.
    pub metadata: Fields,
    /// Fields this version does not know.
    pub extra: Fields,
}

/// `role: assistant`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AssistantMessage {
    /// What was said.
    pub content: Vec<Content>,
    /// The tools the model wants run, in order.
    pub tool_calls: Vec<ToolCall>,
    /// The model that answered.
    pub model_id: Option<Label>,
    /// The provider's id of the answer.
    pub message_id: Option<Label>,
    /// Why the model stopped: `STOP`, `LENGTH`, `TOOL_USE`, … or any other word, kept verbatim.
    pub stop_reason: Option<Label>,
    /// Free-form facts about the message.
    pub metadata: Fields,
    /// Fields this version does not know.
    pub extra: Fields,
}

/// `role: tool_call_result`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResultMessage {
    /// One answer a tool call.
    pub results: Vec<ToolResult>,
    /// Free-form facts about the message.
    pub metadata: Fields,
    /// Fields this version does not know.
    pub extra: Fields,
}
