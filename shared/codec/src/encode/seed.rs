//! The mapping document's layout: no metadata blob, and lossy as the document lists.
//!
//! Names, metadata, model and message ids, and the order of text and other content are not stored. Object
//! content has its value under `object`, results have bare content where it is a single value, and nested
//! `properties`. The two things the service would refuse, empty text and text over its limit, become content
//! blobs.

use super::camunda::is_speakable;
use super::items::Items;
use super::summary;
use crate::encode::Dialect;
use crate::error::EncodeError;
use crate::json::{self, Out};
use crate::limits::Limits;
use crate::model::compact;
use crate::model::{Content, Message, ToolCall, ToolResult};
use crate::payload::{Payload, Role};
use crate::wire::Kind;

/// The items of a message.
pub(super) fn event(message: &Message, limits: &Limits) -> Result<Vec<Payload>, EncodeError> {
    let mut items = Vec::new();
    match message {
        Message::System(_) => return Err(EncodeError::System),
        Message::User(message) => contents(&mut items, &Role::User, &message.content, limits),
        Message::Assistant(message) => {
            contents(&mut items, &Role::Assistant, &message.content, limits);
            if !message.tool_calls.is_empty() {
                items.envelope(Kind::ToolCalls, |out| {
                    json::list(out, &message.tool_calls, tool_call);
                });
            }
        }
        Message::ToolResult(message) => {
            if let Some(text) = summary::summary(&message.results, limits.text_bytes) {
                items.speech(&Role::Tool, &text);
            }
            items.envelope(Kind::Results, |out| {
                json::list(out, &message.results, tool_result);
            });
        }
    }
    if items.is_empty() {
        return Err(EncodeError::Empty(Dialect::Seed));
    }
    Ok(items)
}

fn contents(items: &mut impl Items, role: &Role, blocks: &[Content], limits: &Limits) {
    for block in blocks {
        match block {
            Content::Text { text, .. } if is_speakable(text, limits) => items.speech(role, text),
            other => items.envelope(Kind::Content, |out| self::block(out, other)),
        }
    }
}

fn block<O: Out>(out: &mut O, block: &Content) {
    compact::block(out, block, "object");
}

fn tool_call<O: Out>(out: &mut O, call: &ToolCall) {
    out.syntax("{");
    json::key(out, "id");
    json::string(out, &call.id);
    json::text_member(out, "name", &call.name);
    out.syntax(",");
    json::key(out, "arguments");
    call.arguments.write(out);
    out.syntax("}");
}

fn tool_result<O: Out>(out: &mut O, result: &ToolResult) {
    out.syntax("{");
    for (key, text) in [("id", &result.id), ("name", &result.name)] {
        if let Some(text) = text {
            json::key(out, key);
            json::string(out, text);
            out.syntax(",");
        }
    }
    json::key(out, "content");
    result_content(out, &result.content);
    for (key, text) in [
        ("elementId", &result.element_id),
        ("completedAt", &result.completed_at),
    ] {
        if let Some(text) = text {
            json::text_member(out, key, text);
        }
    }
    if !result.properties.is_empty() {
        out.syntax(",");
        json::key(out, "properties");
        result.properties.write(out);
    }
    out.syntax("}");
}

/// A single bare value where the content is one, a list of blocks otherwise.
fn result_content(out: &mut impl Out, content: &[Content]) {
    match content {
        [] => out.syntax("null"),
        [Content::Text { text, .. }] => json::string(out, text),
        [
            Content::Object { content: value, .. }
            | Content::Document {
                document: value, ..
            },
        ] => value.write(out),
        blocks => json::list(out, blocks, block),
    }
}
