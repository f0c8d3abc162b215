//! How large payload items are on the wire.

use serde_json::Value;

use crate::error::EncodeError;
use crate::json;
use crate::limits::Limits;
use crate::payload::Payload;

/// More than the JSON around the text of any item, its comma included.
pub(super) const ITEM_OVERHEAD: usize = 80;

/// No byte of a text takes more than this inside a JSON string.
const WORST_EXPANSION: usize = 6;

/// Whether the items may be one event.
pub(super) fn check(payloads: &[Payload], limits: &Limits) -> Result<(), EncodeError> {
    if payloads.len() > limits.items {
        return Err(EncodeError::TooManyItems {
            items: payloads.len(),
            limit: limits.items,
        });
    }
    let raw: usize = payloads.iter().map(|payload| text(payload).len()).sum();
    if raw * WORST_EXPANSION + payloads.len() * ITEM_OVERHEAD <= limits.event_bytes {
        return Ok(());
    }
    let bytes = bytes(payloads);
    if bytes > limits.event_bytes {
        return Err(EncodeError::TooLarge {
            bytes,
            limit: limits.event_bytes,
        });
    }
    Ok(())
}

/// The size of the items as JSON, or a little more.
pub(super) fn bytes(payloads: &[Payload]) -> usize {
    payloads.iter().map(item_bytes).sum()
}

/// The size of one item as JSON, or a little more.
pub(super) fn item_bytes(payload: &Payload) -> usize {
    ITEM_OVERHEAD + json::escaped_len(text(payload))
}

/// The text of an item that was encoded: all of them are texts or blobs that are texts.
fn text(payload: &Payload) -> &str {
    match payload {
        Payload::Conversational { text, .. } | Payload::Blob(Value::String(text)) => text,
        Payload::Blob(_) | Payload::Json(_) | Payload::Unknown(_) => "",
    }
}
