//! The plain mapping from the model to Converse. It may lose: what it loses, a hint restores.
//!
//! What it writes is made for a model's eyes: a field Converse does not know is left out, and content it has no
//! block for (a document reference, an object beside text) is shown as JSON text. Another provider's
//! reasoning or blocks mean nothing to a Bedrock model and are not shown at all.

use std::borrow::Cow;

use serde_json::Value;

use super::{BEDROCK, Block, ConverseRole, OutgoingBlock};
use crate::model::{Content, Message, Object, ToolCall, ToolResult};

/// Who speaks and what, or nothing for a system message: Converse takes the system prompt apart from the history.
pub(super) fn blocks(message: &Message) -> Option<(ConverseRole, Vec<OutgoingBlock<'_>>)> {
    match message {
        Message::System(_) => None,
        Message::User(user) => {
            let said = user.content.iter().filter_map(block);
            Some((ConverseRole::User, said.collect()))
        }
        Message::Assistant(assistant) => {
            let said = assistant.content.iter().filter_map(block);
            let calls = assistant.tool_calls.iter().map(OutgoingBlock::ToolUse);
            Some((ConverseRole::Assistant, said.chain(calls).collect()))
        }
        Message::ToolResult(answered) => {
            let mut blocks = Vec::with_capacity(answered.results.len());
            for result in &answered.results {
                match &result.id {
                    Some(id) => blocks.push(OutgoingBlock::ToolResult { id, result }),
                    // A result without the id of a call cannot be a `toolResult`; its content is
                    // shown as the user's.
                    None => blocks.extend(result.content.iter().filter_map(block)),
                }
            }
            Some((ConverseRole::User, blocks))
        }
    }
}

/// The id Strands gave the message.
pub(super) fn tracking_id(message: &Message) -> Option<&str> {
    unknown_fields(message).get("tracking_id")?.as_str()
}

/// The fields of a message that neither side knows.
pub(super) fn extra(message: &Message) -> impl Iterator<Item = (&String, &Value)> {
    let fields = unknown_fields(message).iter();
    fields.filter(|(key, value)| match key.as_str() {
        "role" | "content" | "metadata" => false,
        "tracking_id" => !value.is_string(),
        _ => true,
    })
}

fn unknown_fields(message: &Message) -> &Object {
    match message {
        Message::System(message) => &message.extra,
        Message::User(message) => &message.extra,
        Message::Assistant(message) => &message.extra,
        Message::ToolResult(message) => &message.extra,
    }
}

fn block(content: &Content) -> Option<OutgoingBlock<'_>> {
    match content {
        Content::Text { text, extra, .. } if extra.is_empty() => {
            Some(OutgoingBlock::Text(Cow::Borrowed(text)))
        }
        Content::Text { text, extra, .. } => Some(with(extra, "text", text.as_str().into())),
        Content::Reasoning {
            provider,
            payload,
            extra,
            ..
        } if provider == BEDROCK => Some(if extra.is_empty() {
            OutgoingBlock::Reasoning(payload)
        } else {
            with(extra, "reasoningContent", payload.clone())
        }),
        Content::Provider {
            provider,
            payload: Value::Object(block),
            ..
        } if provider == BEDROCK => Some(OutgoingBlock::Verbatim(Cow::Borrowed(block))),
        Content::Document { document: json, .. } | Content::Object { content: json, .. } => {
            Some(OutgoingBlock::Text(Cow::Owned(json.to_string())))
        }
        Content::Reasoning { .. } | Content::Provider { .. } | Content::Unknown(_) => None,
    }
}

/// A block with fields beside its member.
fn with(beside: &Object, key: &str, value: Value) -> OutgoingBlock<'static> {
    let mut block = Block::from_iter([(key.to_owned(), value)]);
    for (key, value) in beside {
        if !block.contains_key(key) {
            block.insert(key.clone(), value.clone());
        }
    }
    OutgoingBlock::Verbatim(Cow::Owned(block))
}

/// The input of a call that is no object, which the model keeps beside the (empty) arguments.
pub(super) fn tool_input(call: &ToolCall) -> Option<&Value> {
    let input = call.extra.get("input")?;
    (call.arguments.is_empty() && !input.is_object()).then_some(input)
}

/// Whether a tool did what it was asked to.
pub(super) fn status(result: &ToolResult) -> &str {
    let interrupted = result.properties.get("interrupted") == Some(&Value::Bool(true));
    match result.properties.get("status") {
        Some(Value::String(status)) => status,
        _ if interrupted => "error",
        _ => "success",
    }
}

/// One item of a tool result.
#[derive(Clone, Copy)]
pub(super) enum ResultItem<'a> {
    Text(&'a str),
    Json(&'a Value),
    Verbatim(&'a Block),
}

/// The items of a tool result.
pub(super) fn result_items(result: &ToolResult) -> impl Iterator<Item = ResultItem<'_>> {
    result.content.iter().filter_map(|content| match content {
        Content::Text { text, .. } => Some(ResultItem::Text(text)),
        Content::Object { content: json, .. } | Content::Document { document: json, .. } => {
            Some(ResultItem::Json(json))
        }
        Content::Provider {
            provider,
            payload: Value::Object(block),
            ..
        } if provider == BEDROCK => Some(ResultItem::Verbatim(block)),
        Content::Reasoning { .. } | Content::Provider { .. } | Content::Unknown(_) => None,
    })
}
