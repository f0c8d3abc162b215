//! The structured layout of Camunda, written so that its own reader takes it and ours loses nothing.
//!
//! ```text
//! conversational   a text block                              one each, in content order,
//! messageContent   any other block                           interleaved
//! toolCalls        all tool calls of an assistant message
//! conversational   TOOL: a summary of the results
//! toolCallResults  all results
//! messageMetadata  role, names and ids, metadata, hints      always, and always last
//! ```
//!
//! What Camunda's reader refuses is kept in two compatible ways. A block it would refuse is written as a
//! `provider` block of the provider `colloquy`, whose payload is the block. A null it would refuse is left out
//! where it stood and named in the hints, `properties.colloquy` of the metadata blob.

use serde_json::Value;

use super::hints::Hints;
use super::{json, summary};
use crate::blank::is_blank;
use crate::limits::Limits;
use crate::model::{Content, Message, Object, ToolCall, ToolResult};
use crate::part::Part;
use crate::payload::{Payload, Role};
use crate::wire::{COLLOQUY, Kind, MESSAGE_ID, MODEL_ID, STOP_REASON, USER_NAME, VERSION};

/// The items of a whole message.
pub(super) fn event(message: &Message, limits: &Limits) -> Vec<Payload> {
    let summary = match message {
        Message::ToolResult(message) => summary::summary(&message.results, limits.text_chars),
        _ => None,
    };
    part(message, summary, None, limits)
}

/// The items of a message that is, or is one part of, what is to be written.
pub(super) fn part(
    message: &Message,
    summary: Option<String>,
    part: Option<Part>,
    limits: &Limits,
) -> Vec<Payload> {
    let mut payloads = Vec::with_capacity(3);
    match message {
        Message::System(_) => {}
        Message::User(message) => {
            payloads.extend(
                message
                    .content
                    .iter()
                    .map(|block| content(&Role::User, block, limits)),
            );
        }
        Message::Assistant(message) => {
            payloads.extend(
                message
                    .content
                    .iter()
                    .map(|block| content(&Role::Assistant, block, limits)),
            );
            if !message.tool_calls.is_empty() {
                payloads.push(envelope(Kind::ToolCalls, |out| {
                    json::list(out, &message.tool_calls, tool_call)
                }));
            }
        }
        Message::ToolResult(message) => {
            payloads.extend(summary.map(|text| Payload::Conversational {
                role: Role::Tool,
                text,
            }));
            payloads.push(envelope(Kind::Results, |out| {
                json::list(out, &message.results, tool_result)
            }));
        }
    }
    payloads.push(metadata(message, part));
    payloads
}

/// The item of one content block.
pub(super) fn content(role: &Role, block: &Content, limits: &Limits) -> Payload {
    match block {
        Content::Text {
            text,
            metadata,
            extra,
        } if metadata.is_empty() && extra.is_empty() && is_speakable(text, limits) => {
            Payload::Conversational {
                role: role.clone(),
                text: text.clone(),
            }
        }
        other => envelope(Kind::Content, |out| self::block(out, other)),
    }
}

/// The blob with one data member.
pub(super) fn envelope(kind: Kind, data: impl FnOnce(&mut String)) -> Payload {
    let mut out = String::with_capacity(256);
    open(&mut out, kind);
    data(&mut out);
    out.push('}');
    Payload::Blob(Value::String(out))
}

/// Whether a text can be a conversational item: neither blank nor too long.
pub(super) fn is_speakable(text: &str, limits: &Limits) -> bool {
    // Counting is only needed where the bytes leave a doubt.
    let fits = text.len() <= limits.text_chars || text.chars().count() <= limits.text_chars;
    fits && !is_blank(text)
}

/// Writes a block, inside a `provider` block of our own where Camunda would refuse it or we could not tell it
/// from one of our own.
fn block(out: &mut String, block: &Content) {
    if is_plain(block) {
        return bare_block(out, block);
    }
    out.push_str("{\"type\":\"provider\",\"provider\":\"");
    out.push_str(COLLOQUY);
    out.push_str("\",\"payload\":");
    bare_block(out, block);
    out.push('}');
}

/// Whether Camunda takes the block as it is.
fn is_plain(block: &Content) -> bool {
    match block {
        Content::Text { text, metadata, .. } => !is_blank(text) && !has_nulls(metadata),
        Content::Document {
            document: value,
            metadata,
            ..
        }
        | Content::Object {
            content: value,
            metadata,
            ..
        }
        | Content::Reasoning {
            payload: value,
            metadata,
            ..
        } => !value.is_null() && !has_nulls(metadata),
        Content::Provider {
            provider,
            payload,
            metadata,
            ..
        } => provider != COLLOQUY && !payload.is_null() && !has_nulls(metadata),
        Content::Unknown(_) => false,
    }
}

fn has_nulls(fields: &Object) -> bool {
    fields.values().any(Value::is_null)
}

pub(super) fn bare_block(out: &mut String, block: &Content) {
    let (head, metadata, extra) = match block {
        Content::Text {
            text,
            metadata,
            extra,
        } => {
            out.push_str("{\"type\":\"text\",\"text\":");
            json::string(out, text);
            (None, metadata, extra)
        }
        Content::Document {
            document,
            metadata,
            extra,
        } => (
            Some(("{\"type\":\"document\",\"document\":", document)),
            metadata,
            extra,
        ),
        Content::Object {
            content,
            metadata,
            extra,
        } => (
            Some(("{\"type\":\"object\",\"content\":", content)),
            metadata,
            extra,
        ),
        Content::Reasoning {
            provider,
            payload,
            metadata,
            extra,
        } => {
            out.push_str("{\"type\":\"reasoning\",\"provider\":");
            json::string(out, provider);
            (Some((",\"payload\":", payload)), metadata, extra)
        }
        Content::Provider {
            provider,
            payload,
            metadata,
            extra,
        } => {
            out.push_str("{\"type\":\"provider\",\"provider\":");
            json::string(out, provider);
            (Some((",\"payload\":", payload)), metadata, extra)
        }
        Content::Unknown(fields) => return json::object(out, fields),
    };
    if let Some((head, value)) = head {
        out.push_str(head);
        json::value(out, value);
    }
    if !metadata.is_empty() {
        out.push_str(",\"metadata\":");
        json::object(out, metadata);
    }
    for (key, value) in extra {
        out.push(',');
        json::member(out, key, value);
    }
    out.push('}');
}

/// Writes a call without what Camunda does not take; the hints keep that.
pub(super) fn tool_call(out: &mut String, call: &ToolCall) {
    out.push_str("{\"id\":");
    json::string(out, &call.id);
    json::text_member(out, "name", &call.name);
    out.push_str(",\"arguments\":");
    json::object_without_nulls(out, &call.arguments);
    out.push('}');
}

/// Writes a result without what Camunda does not take; the hints keep that.
pub(super) fn tool_result(out: &mut String, result: &ToolResult) {
    out.push_str("{\"content\":");
    json::list(out, &result.content, block);
    let texts = [
        ("id", &result.id),
        ("name", &result.name),
        ("elementId", &result.element_id),
        ("completedAt", &result.completed_at),
    ];
    for (key, text) in texts {
        if let Some(text) = text {
            json::text_member(out, key, text);
        }
    }
    for (key, value) in result
        .properties
        .iter()
        .filter(|(_, value)| !value.is_null())
    {
        out.push(',');
        json::member(out, key, value);
    }
    out.push('}');
}

/// The metadata blob of a message or of one of its parts.
pub(super) fn metadata(message: &Message, part: Option<Part>) -> Payload {
    let no_metadata = Object::new();
    let (role, metadata) = match message {
        Message::System(_) => (Role::Other, &no_metadata),
        Message::User(message) => (Role::User, &message.metadata),
        Message::Assistant(message) => (Role::Assistant, &message.metadata),
        Message::ToolResult(message) => (Role::Tool, &message.metadata),
    };
    envelope(Kind::Metadata, |out| {
        json::object_without_nulls(out, metadata);
        out.push_str(",\"properties\":{\"role\":");
        json::string(out, role.as_str());
        for (key, text) in names(message) {
            if let Some(text) = text {
                json::text_member(out, key, text);
            }
        }
        Hints::of(message, part).write(out);
        out.push('}');
    })
}

fn names(message: &Message) -> [(&'static str, Option<&String>); 3] {
    match message {
        Message::User(message) => [(USER_NAME, message.name.as_ref()), ("", None), ("", None)],
        Message::Assistant(message) => [
            (MODEL_ID, message.model_id.as_ref()),
            (MESSAGE_ID, message.message_id.as_ref()),
            (STOP_REASON, message.stop_reason.as_ref()),
        ],
        Message::System(_) | Message::ToolResult(_) => [("", None); 3],
    }
}

fn open(out: &mut String, kind: Kind) {
    out.push_str("{\"blobType\":\"");
    out.push_str(kind.blob_type());
    out.push_str("\",\"version\":");
    out.push_str(VERSION);
    out.push_str(",\"");
    out.push_str(kind.data_key());
    out.push_str("\":");
}
