//! The mapping document's layout: no metadata blob, and lossy as the document lists.
//!
//! Names, metadata, model and message ids, and the order of text and other content are not stored. Object
//! content has its value under `object`, results have bare content where it is a single value, and nested
//! `properties`. The two things the service would refuse, empty text and text over its limit, become content
//! blobs.

use super::camunda::{envelope, is_speakable};
use super::{json, summary};
use crate::encode::Dialect;
use crate::error::EncodeError;
use crate::limits::Limits;
use crate::model::{Content, Message, ToolCall, ToolResult};
use crate::payload::{Payload, Role};
use crate::wire::Kind;

/// The items of a message.
pub(super) fn event(message: &Message, limits: &Limits) -> Result<Vec<Payload>, EncodeError> {
    let payloads = match message {
        Message::System(_) => return Err(EncodeError::System),
        Message::User(message) => contents(&Role::User, &message.content, limits),
        Message::Assistant(message) => {
            let mut payloads = contents(&Role::Assistant, &message.content, limits);
            if !message.tool_calls.is_empty() {
                payloads.push(envelope(Kind::ToolCalls, |out| {
                    json::list(out, &message.tool_calls, tool_call)
                }));
            }
            payloads
        }
        Message::ToolResult(message) => {
            let text = summary::summary(&message.results, limits.text_chars);
            let text = text.map(|text| Payload::Conversational {
                role: Role::Tool,
                text,
            });
            let blob = envelope(Kind::Results, |out| {
                json::list(out, &message.results, tool_result)
            });
            text.into_iter().chain([blob]).collect()
        }
    };
    if payloads.is_empty() {
        return Err(EncodeError::Empty(Dialect::Seed));
    }
    Ok(payloads)
}

fn contents(role: &Role, blocks: &[Content], limits: &Limits) -> Vec<Payload> {
    blocks
        .iter()
        .map(|block| content(role, block, limits))
        .collect()
}

fn content(role: &Role, block: &Content, limits: &Limits) -> Payload {
    match block {
        Content::Text { text, .. } if is_speakable(text, limits) => Payload::Conversational {
            role: role.clone(),
            text: text.clone(),
        },
        other => envelope(Kind::Content, |out| self::block(out, other)),
    }
}

fn block(out: &mut String, block: &Content) {
    let Content::Object {
        content,
        metadata,
        extra,
    } = block
    else {
        return super::camunda::bare_block(out, block);
    };
    out.push_str("{\"type\":\"object\",\"object\":");
    json::value(out, content);
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

fn tool_call(out: &mut String, call: &ToolCall) {
    out.push_str("{\"id\":");
    json::string(out, &call.id);
    json::text_member(out, "name", &call.name);
    out.push_str(",\"arguments\":");
    json::object(out, &call.arguments);
    out.push('}');
}

fn tool_result(out: &mut String, result: &ToolResult) {
    out.push('{');
    let texts = [("id", &result.id), ("name", &result.name)];
    for (key, text) in texts {
        if let Some(text) = text {
            json::string(out, key);
            out.push(':');
            json::string(out, text);
            out.push(',');
        }
    }
    out.push_str("\"content\":");
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
        out.push_str(",\"properties\":");
        json::object(out, &result.properties);
    }
    out.push('}');
}

/// A single bare value where the content is one, a list of blocks otherwise.
fn result_content(out: &mut String, content: &[Content]) {
    match content {
        [] => out.push_str("null"),
        [Content::Text { text, .. }] => json::string(out, text),
        [
            Content::Object { content: value, .. }
            | Content::Document {
                document: value, ..
            },
        ] => json::value(out, value),
        blocks => json::list(out, blocks, block),
    }
}
