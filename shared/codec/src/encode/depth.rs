//! Refuses values that no reader would take back: JSON readers stop at a fixed nesting.

use serde_json::Value;

use crate::error::EncodeError;
use crate::limits::MAX_DEPTH;
use crate::model::{Content, Fields, Json, Message, Object, ToolCall, ToolResult};

/// Whether every value of the message is shallow enough. The check itself never goes deeper than the limit.
pub(super) fn check(message: &Message) -> Result<(), EncodeError> {
    if fits_message(message) {
        Ok(())
    } else {
        Err(EncodeError::TooDeep { limit: MAX_DEPTH })
    }
}

fn fits_message(message: &Message) -> bool {
    match message {
        Message::System(message) => {
            fits(&message.metadata) && fits(&message.extra) && fits_blocks(&message.content)
        }
        Message::User(message) => {
            fits(&message.metadata) && fits(&message.extra) && fits_blocks(&message.content)
        }
        Message::Assistant(message) => {
            fits(&message.metadata)
                && fits(&message.extra)
                && fits_blocks(&message.content)
                && message.tool_calls.iter().all(fits_call)
        }
        Message::ToolResult(message) => {
            fits(&message.metadata)
                && fits(&message.extra)
                && message.results.iter().all(fits_result)
        }
    }
}

fn fits_call(call: &ToolCall) -> bool {
    fits(&call.arguments) && fits(&call.extra)
}

fn fits_result(result: &ToolResult) -> bool {
    fits(&result.properties) && fits_blocks(&result.content)
}

fn fits_blocks(blocks: &[Content]) -> bool {
    blocks.iter().all(|block| match block {
        Content::Text {
            metadata, extra, ..
        } => fits(metadata) && fits(extra),
        Content::Document {
            document: value,
            metadata,
            extra,
        }
        | Content::Object {
            content: value,
            metadata,
            extra,
        }
        | Content::Reasoning {
            payload: value,
            metadata,
            extra,
            ..
        }
        | Content::Provider {
            payload: value,
            metadata,
            extra,
            ..
        } => json_fits(value) && fits(metadata) && fits(extra),
        Content::Unknown(fields) => fits(fields),
    })
}

/// A text knows how deep it is.
fn fits(fields: &Fields) -> bool {
    match fields.depth() {
        Some(depth) => depth <= MAX_DEPTH,
        None => fields.is_empty() || object_fits(fields, MAX_DEPTH),
    }
}

fn json_fits(json: &Json) -> bool {
    match json.depth() {
        Some(depth) => depth <= MAX_DEPTH,
        None => value_fits(json, MAX_DEPTH),
    }
}

fn object_fits(fields: &Object, levels: usize) -> bool {
    levels
        .checked_sub(1)
        .is_some_and(|levels| fields.values().all(|value| value_fits(value, levels)))
}

fn value_fits(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels
            .checked_sub(1)
            .is_some_and(|levels| items.iter().all(|item| value_fits(item, levels))),
        Value::Object(fields) => object_fits(fields, levels),
        _ => true,
    }
}
