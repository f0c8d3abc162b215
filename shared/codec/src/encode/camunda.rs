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

use super::hints::Hints;
use super::items::Items;
use super::summary;
use crate::blank::is_blank;
use crate::json::{self, Out};
use crate::limits::Limits;
use crate::model::compact;
use crate::model::{Content, Fields, Message, ToolCall, ToolResult};
use crate::part::Part;
use crate::payload::{Payload, Role};
use crate::wire::{COLLOQUY, Kind, MESSAGE_ID, MODEL_ID, STOP_REASON, USER_NAME};

/// Writes the items of a whole message.
pub(super) fn event(items: &mut impl Items, message: &Message, limits: &Limits) {
    let summary = match message {
        Message::ToolResult(message) => summary::summary(&message.results, limits.text_bytes),
        _ => None,
    };
    write(items, message, summary.as_deref(), None, limits);
}

/// The items of one part of a message.
pub(super) fn part(
    message: &Message,
    summary: Option<&str>,
    part: Option<Part>,
    limits: &Limits,
) -> Vec<Payload> {
    let mut items = Vec::with_capacity(3);
    write(&mut items, message, summary, part, limits);
    items
}

fn write(
    items: &mut impl Items,
    message: &Message,
    summary: Option<&str>,
    part: Option<Part>,
    limits: &Limits,
) {
    match message {
        Message::System(_) => {}
        Message::User(message) => {
            for block in &message.content {
                content(items, &Role::User, block, limits);
            }
        }
        Message::Assistant(message) => {
            for block in &message.content {
                content(items, &Role::Assistant, block, limits);
            }
            if !message.tool_calls.is_empty() {
                items.envelope(Kind::ToolCalls, |out| {
                    json::list(out, &message.tool_calls, tool_call);
                });
            }
        }
        Message::ToolResult(message) => {
            if let Some(text) = summary {
                items.speech(&Role::Tool, text);
            }
            items.envelope(Kind::Results, |out| {
                json::list(out, &message.results, tool_result);
            });
        }
    }
    items.envelope(Kind::Metadata, |out| metadata(out, message, part));
}

fn content(items: &mut impl Items, role: &Role, block: &Content, limits: &Limits) {
    match block {
        Content::Text {
            text,
            metadata,
            extra,
        } if metadata.is_empty() && extra.is_empty() && is_speakable(text, limits) => {
            items.speech(role, text);
        }
        other => items.envelope(Kind::Content, |out| self::block(out, other)),
    }
}

/// Whether a text can be a conversational item: neither blank nor too long.
pub(super) fn is_speakable(text: &str, limits: &Limits) -> bool {
    text.len() <= limits.text_bytes && !is_blank(text)
}

/// Writes a block, inside a `provider` block of our own where Camunda would refuse it or we could not tell it
/// from one of our own.
fn block(out: &mut impl Out, block: &Content) {
    if is_plain(block) {
        return compact::block(out, block, "content");
    }
    compact::open(out, "provider", "provider");
    json::word(out, COLLOQUY);
    out.syntax(",");
    json::key(out, "payload");
    compact::block(out, block, "content");
    out.syntax("}");
}

/// Whether Camunda takes the block as it is.
fn is_plain(block: &Content) -> bool {
    match block {
        Content::Text { text, metadata, .. } => !is_blank(text) && !metadata.has_nulls(),
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
        } => !value.is_null() && !metadata.has_nulls(),
        Content::Provider {
            provider,
            payload,
            metadata,
            ..
        } => provider != COLLOQUY && !payload.is_null() && !metadata.has_nulls(),
        Content::Unknown(_) => false,
    }
}

/// Writes a call without what Camunda does not take; the hints keep that.
fn tool_call<O: Out>(out: &mut O, call: &ToolCall) {
    out.syntax("{");
    json::key(out, "id");
    json::string(out, &call.id);
    json::text_member(out, "name", &call.name);
    out.syntax(",");
    json::key(out, "arguments");
    without_nulls(out, &call.arguments);
    out.syntax("}");
}

/// Writes a result without what Camunda does not take; the hints keep that.
fn tool_result<O: Out>(out: &mut O, result: &ToolResult) {
    out.syntax("{");
    json::key(out, "content");
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
    if result.properties.has_nulls() {
        write_present(out, &result.properties, ",");
    } else {
        result.properties.write_members(out);
    }
    out.syntax("}");
}

/// Writes an object without the members that are null.
fn without_nulls(out: &mut impl Out, fields: &Fields) {
    if !fields.has_nulls() {
        return fields.write(out);
    }
    out.syntax("{");
    write_present(out, fields, "");
    out.syntax("}");
}

/// Writes the members that are not null, and before the first of them `before`.
fn write_present(out: &mut impl Out, fields: &Fields, mut before: &'static str) {
    for (key, value) in fields.members().filter(|(_, value)| !value.is_null()) {
        out.syntax(before);
        json::view_member(out, &key, value);
        before = ",";
    }
}

/// Writes the metadata of a message or of one of its parts, and the properties beside it.
fn metadata(out: &mut impl Out, message: &Message, part: Option<Part>) {
    let no_metadata = Fields::new();
    let (role, metadata) = match message {
        Message::System(_) => (Role::Other, &no_metadata),
        Message::User(message) => (Role::User, &message.metadata),
        Message::Assistant(message) => (Role::Assistant, &message.metadata),
        Message::ToolResult(message) => (Role::Tool, &message.metadata),
    };
    without_nulls(out, metadata);
    out.syntax(",");
    json::key(out, "properties");
    out.syntax("{");
    json::key(out, "role");
    json::word(out, role.as_str());
    for (key, text) in names(message) {
        if let Some(text) = text {
            json::text_member(out, key, text);
        }
    }
    Hints::of(message, part).write(out);
    out.syntax("}");
}

fn names(message: &Message) -> [(&'static str, Option<&str>); 3] {
    match message {
        Message::User(message) => [(USER_NAME, message.name.as_deref()), ("", None), ("", None)],
        Message::Assistant(message) => [
            (MODEL_ID, message.model_id.as_deref()),
            (MESSAGE_ID, message.message_id.as_deref()),
            (STOP_REASON, message.stop_reason.as_deref()),
        ],
        Message::System(_) | Message::ToolResult(_) => [("", None); 3],
    }
}
