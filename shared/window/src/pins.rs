//! Pinned messages: kept however old they are.

use codec::model::{Message, Object};
use serde_json::Value;

use crate::facts::tool_ids;

/// Whether the message itself says that it is pinned (`metadata.custom.pinned` is `true`).
#[must_use]
pub fn is_marked(message: &Message) -> bool {
    let metadata = match message {
        Message::System(message) => &message.metadata,
        Message::User(message) => &message.metadata,
        Message::Assistant(message) => &message.metadata,
        Message::ToolResult(message) => &message.metadata,
    };
    marked(metadata)
}

/// How many of the messages say that they are pinned.
#[must_use]
pub fn count(messages: &[Message]) -> u64 {
    messages.iter().filter(|message| is_marked(message)).count() as u64
}

fn marked(metadata: &Object) -> bool {
    let custom = metadata.get("custom");
    custom.and_then(|custom| custom.get("pinned")) == Some(&Value::Bool(true))
}

/// Whether the message at `index` stays: marked itself, or the other half of a marked tool call.
pub(crate) fn is_pinned(messages: &[Message], index: usize) -> bool {
    let Some(message) = messages.get(index) else {
        return false;
    };
    let before = index.checked_sub(1).and_then(|index| messages.get(index));
    let mut neighbours = before.into_iter().chain(messages.get(index + 1));
    is_marked(message) || neighbours.any(|other| is_marked(other) && share_a_call(message, other))
}

fn share_a_call(a: &Message, b: &Message) -> bool {
    tool_ids(a).any(|id| tool_ids(b).any(|other| id == other))
}
