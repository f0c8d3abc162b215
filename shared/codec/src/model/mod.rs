//! The message model: what a conversation is made of, whichever way it is stored.
//!
//! Every type keeps the fields it does not know in `extra`, so a message written by a newer version
//! survives a round trip through an older one. Numbers keep the digits they were written with. JSON inside a message
//! ([`Fields`], [`Json`]) stays text until somebody looks into it: most messages are read to be written again.

pub(crate) mod compact;
mod content;
mod fields;
mod json;
mod message;
pub(crate) mod read;
mod tool;
mod write;

pub use crate::json::{Members, View};
pub use compact::to_json;
pub use content::Content;
pub use fields::Fields;
pub(crate) use fields::inside;
pub use json::Json;
pub use message::{AssistantMessage, Message, SystemMessage, ToolResultMessage, UserMessage};
pub use tool::{ToolCall, ToolResult};

/// A short text, such as an id or a name. One of up to 24 bytes lies in its message and takes no memory of its own, so a message
/// is made, and found again in memory, with far fewer steps.
pub type Label = compact_str::CompactString;

/// A JSON object, in the order its keys were written.
pub type Object = serde_json::Map<String, serde_json::Value>;
