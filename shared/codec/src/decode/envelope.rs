//! Blob envelopes: JSON in a string (or, from an emulator that does no harm, an object).
//!
//! A regular envelope is read straight into the model (`typed`). Anything else takes the careful way over a
//! [`Value`], which accepts more and says where a fault is; both agree on everything the first one takes.

use serde_json::Value;

use super::hints::Hints;
use super::typed;
use crate::error::DecodeError;
use crate::model::read::{self, ResultContent};
use crate::model::{Content, Fields, Label, Object, ToolCall, ToolResult};
use crate::note::{NoteReason, Notes};
use crate::path::Path;
use crate::wire::{
    COLLOQUY, Kind, MESSAGE_ID, MODEL_ID, NEWEST_VERSION, PREFIX, STOP_REASON, USER_NAME,
};

/// What an envelope held.
#[derive(Debug, PartialEq)]
#[allow(
    clippy::large_enum_variant,
    reason = "a block is moved once or twice; a box would cost an allocation for each"
)]
pub(super) enum Envelope {
    Content(Content),
    ToolCalls(Vec<ToolCall>),
    Results(Vec<ToolResult>),
    Metadata(Box<MetadataBlob>),
}

/// The metadata blob of a message.
#[derive(Debug, Default, PartialEq)]
pub(super) struct MetadataBlob {
    pub(super) metadata: Fields,
    pub(super) role: Option<Label>,
    pub(super) user_name: Option<Label>,
    pub(super) model_id: Option<Label>,
    pub(super) message_id: Option<Label>,
    pub(super) stop_reason: Option<Label>,
    pub(super) hints: Option<Hints>,
}

/// Whether a text is an envelope of Camunda's, or what is left of one.
pub(super) fn is_text_envelope(text: &str) -> bool {
    if text.starts_with("{\"blobType\":\"camunda.") {
        return true;
    }
    if !(text.contains("\"blobType\"") && text.contains(PREFIX)) {
        return false;
    }
    match serde_json::from_str::<Object>(text) {
        Ok(fields) => fields
            .get("blobType")
            .and_then(Value::as_str)
            .is_some_and(|word| word.starts_with(PREFIX)),
        // It names an envelope, but is cut off or garbled: it is reported as one that cannot be read.
        Err(_) => text.trim_start().starts_with('{'),
    }
}

/// Reads the envelope in a blob, or notes why there is none to be had.
pub(super) fn read(blob: &Value, notes: &mut Notes) -> Result<Option<Envelope>, DecodeError> {
    let root = Path::Root;
    let path = root.key("blob");
    let value = match blob {
        Value::String(text) => {
            if let Ok(envelope) = typed::envelope(text) {
                return Ok(Some(envelope));
            }
            match parse(text, &path, notes)? {
                Some(value) => value,
                None => return Ok(None),
            }
        }
        other => other.clone(),
    };
    careful(value, &path, notes)
}

/// Undoes the wrapping of a block that Camunda would have refused.
pub(super) fn unwrapped(block: Content) -> Content {
    match block {
        Content::Provider {
            provider,
            payload,
            metadata,
            extra,
        } if provider == COLLOQUY
            && payload.is_object()
            && metadata.is_empty()
            && extra.is_empty() =>
        {
            Content::from(read::into_object(payload.into_value()).unwrap_or_default())
        }
        other => other,
    }
}

fn parse(text: &str, path: &Path<'_>, notes: &mut Notes) -> Result<Option<Value>, DecodeError> {
    if let Some(document) = crate::foreign::json::parse(text) {
        if document.mended {
            notes.take(path, NoteReason::LoneSurrogate)?;
        }
        return Ok(Some(document.value));
    }
    if let Err(error) = serde_json::from_str::<Value>(text) {
        let reason = NoteReason::InvalidJson {
            line: error.line(),
            column: error.column(),
        };
        notes.take(path, reason)?;
    }
    Ok(None)
}

/// Reads an envelope from its JSON, with a note for each fault.
pub(super) fn careful(
    value: Value,
    path: &Path<'_>,
    notes: &mut Notes,
) -> Result<Option<Envelope>, DecodeError> {
    let Value::Object(mut fields) = value else {
        notes.take(path, read::wrong_type("an object", &value))?;
        return Ok(None);
    };
    let Some(kind) = kind(&fields, path, notes)? else {
        return Ok(None);
    };
    let key = kind.data_key();
    let Some(data) = fields.shift_remove(key) else {
        notes.take(path, NoteReason::MissingField(key))?;
        return Ok(None);
    };
    let at = path.key(key);
    let envelope = match kind {
        Kind::Content => {
            return content(data, &at, notes).map(|block| block.map(Envelope::Content));
        }
        Kind::ToolCalls => {
            Envelope::ToolCalls(read::list(Some(data), &at, notes, read::tool_call)?)
        }
        Kind::Results => Envelope::Results(read::list(Some(data), &at, notes, tool_result)?),
        Kind::Metadata => {
            let metadata = read::object(Some(data), &at, notes)?;
            let properties = fields.shift_remove("properties");
            Envelope::Metadata(Box::new(metadata_blob(metadata, properties, path, notes)?))
        }
    };
    Ok(Some(envelope))
}

fn kind(fields: &Object, path: &Path<'_>, notes: &mut Notes) -> Result<Option<Kind>, DecodeError> {
    let fault = match (fields.get("blobType"), fields.get("version")) {
        (None, _) => (*path, NoteReason::MissingField("blobType")),
        (Some(_), None) => (*path, NoteReason::MissingField("version")),
        (Some(Value::String(word)), Some(version)) => {
            match (Kind::of(word), is_readable(version)) {
                (Some(kind), true) => return Ok(Some(kind)),
                (None, _) => (path.key("blobType"), NoteReason::UnknownBlobType),
                (Some(_), false) => (path.key("version"), NoteReason::UnsupportedVersion),
            }
        }
        (Some(other), _) => (path.key("blobType"), read::wrong_type("a string", other)),
    };
    notes.take(&fault.0, fault.1)?;
    Ok(None)
}

/// Any number, also as a string, that is not above the newest version.
fn is_readable(version: &Value) -> bool {
    let number = match version {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    number.is_some_and(|number: f64| number <= NEWEST_VERSION)
}

fn content(
    data: Value,
    path: &Path<'_>,
    notes: &mut Notes,
) -> Result<Option<Content>, DecodeError> {
    let data = match data {
        Value::Object(fields) => Value::Object(read::without_alias(fields)),
        other => other,
    };
    Ok(read::content(data, path, notes)?.map(unwrapped))
}

fn tool_result(
    value: Value,
    path: &Path<'_>,
    notes: &mut Notes,
) -> Result<Option<ToolResult>, DecodeError> {
    let result = read::tool_result(ResultContent::Event, value, path, notes)?;
    Ok(result.map(|mut result| {
        result.content = result.content.into_iter().map(unwrapped).collect();
        result
    }))
}

fn metadata_blob(
    metadata: Object,
    properties: Option<Value>,
    path: &Path<'_>,
    notes: &mut Notes,
) -> Result<MetadataBlob, DecodeError> {
    let mut blob = MetadataBlob {
        metadata: metadata.into(),
        ..MetadataBlob::default()
    };
    let path = path.key("properties");
    for (key, value) in read::object(properties, &path, notes)? {
        let at = path.key(&key);
        let text = match key.as_str() {
            "role" => &mut blob.role,
            USER_NAME => &mut blob.user_name,
            MODEL_ID => &mut blob.model_id,
            MESSAGE_ID => &mut blob.message_id,
            STOP_REASON => &mut blob.stop_reason,
            COLLOQUY => {
                blob.hints = Hints::read(value);
                if blob.hints.is_none() {
                    notes.take(&at, NoteReason::BadHint)?;
                }
                continue;
            }
            _ => {
                notes.take(&at, NoteReason::UnknownProperty)?;
                continue;
            }
        };
        *text = read::optional_text(Some(value), &at, notes)?;
    }
    Ok(blob)
}
