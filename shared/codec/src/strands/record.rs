//! The record of one message.

use serde_json::{Value, json};

use crate::converse::{ConverseMessage, ConverseRole, from_converse};
use crate::foreign::{ForeignReason, Found, Item};
use crate::limits::MAX_TEXT_BYTES;
use crate::model::Object;
use crate::payload::{Payload, Role};

/// Reads a session message record, or gives nothing where the fields are of another shape.
///
/// A redacted record keeps its original beside the redacted form. Only the redacted form is ever looked at, and
/// where that is broken the record is, so the original cannot leave by any way.
pub(crate) fn read_record(fields: &Object) -> Option<Item> {
    let original = fields.get("message")?;
    let (key, message) = match fields.get("redact_message") {
        None | Some(Value::Null) => ("message", original.clone()),
        Some(redacted) => ("redact_message", redacted.clone()),
    };
    let is_record = fields.contains_key("message_id");
    match ConverseMessage::from_value(message) {
        Ok(message) => {
            let mut found = read_message(message, &format!("/{key}"));
            if key == "redact_message" {
                let note = (format!("/{key}"), ForeignReason::Redacted);
                found.notes.insert(0, note);
            }
            Some(Item::Found(Box::new(found)))
        }
        Err(_) if is_record || key == "redact_message" => {
            Some(Item::Opaque(ForeignReason::BrokenRecord))
        }
        // Any JSON may have a `message` in it; without a valid one it is just somebody's text.
        Err(_) => None,
    }
}

/// Reads a Converse message that was stored as it is, without a record around it.
pub(crate) fn read_bare(fields: &Object) -> Option<Item> {
    if !fields.contains_key("role") || !fields.contains_key("content") {
        return None;
    }
    let message = ConverseMessage::from_value(Value::Object(fields.clone())).ok()?;
    let found = message
        .has_known_blocks()
        .then(|| read_message(message, ""))?;
    Some(Item::Found(Box::new(found)))
}

/// Whether a text that cannot be read as JSON may be a redacted record all the same (cut off, or nested too deep).
/// Such a text must not be taken for prose: the original is in it.
pub(crate) fn may_be_redacted(text: &str) -> bool {
    text.contains("\"redact_message\"") && text.contains("\"message_id\"")
}

/// Converts a stored message the way Strands restores one: blank text goes, and so does a message with nothing left.
pub(crate) fn read_message(mut message: ConverseMessage, path: &str) -> Found {
    let mut found = Found::default();
    let mut index = 0;
    message.content.retain(|block| {
        let blank = matches!(block.get("text"), Some(Value::String(text)) if is_blank(text));
        if blank {
            let at = format!("{path}/content/{index}");
            found.notes.push((at, ForeignReason::BlankBlock));
        }
        index += 1;
        !blank
    });
    if message.content.is_empty() {
        found
            .notes
            .push((path.to_owned(), ForeignReason::EmptyMessage));
    } else {
        found.messages = from_converse(&message);
    }
    found
}

/// The JSON of a Strands session message record, times in ISO-8601.
#[must_use]
pub fn session_message(message: &ConverseMessage, created_at: &str) -> String {
    json!({
        "message": message,
        "message_id": 0,
        "redact_message": null,
        "created_at": created_at,
        "updated_at": created_at,
    })
    .to_string()
}

/// The payload item a Strands session manager would store for a message: its record as conversational text,
/// or, from the service's limit on, as a blob. Strands counts characters and we bytes, which is no less: its reader
/// takes both forms at any length. A message that holds nothing but blank text is not stored.
#[must_use]
pub fn session_payload(message: &ConverseMessage, created_at: &str) -> Option<Payload> {
    let mut message = message.clone();
    message
        .content
        .retain(|block| !matches!(block.get("text"), Some(Value::String(text)) if is_blank(text)));
    if message.content.is_empty() {
        return None;
    }
    let text = session_message(&message, created_at);
    let word = message.role.as_str();
    if text.len() + word.len() >= MAX_TEXT_BYTES {
        return Some(Payload::Blob(json!([text, word]).to_string().into()));
    }
    let role = match message.role {
        ConverseRole::User => Role::User,
        ConverseRole::Assistant => Role::Assistant,
    };
    Some(Payload::Conversational { role, text })
}

/// Whether Python's `strip` leaves nothing of the text.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}'))
}
