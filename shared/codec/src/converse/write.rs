//! The plain mapping from the model to Converse. It may lose: what it loses, a hint restores.
//!
//! What it writes is made for a model's eyes: a field Converse does not know is left out, and content it has no
//! block for (a document reference, an object beside text) is shown as JSON text. Another provider's
//! reasoning or blocks mean nothing to a Bedrock model and are not shown at all.

use std::borrow::Cow;

use serde_json::Value;

use super::{BEDROCK, Block, Blocks, ConverseRole, OutgoingBlock};
use crate::model::{Content, Fields, Json, Message, ToolCall, ToolResult, View};

/// Who speaks and what, or nothing for a system message: Converse takes the system prompt apart from the history.
pub(super) fn blocks(message: &Message) -> Option<(ConverseRole, Blocks<'_>)> {
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
            let mut blocks = Blocks::with_capacity(answered.results.len());
            for result in &answered.results {
                if result.id.is_some() {
                    blocks.push(OutgoingBlock::ToolResult(result));
                } else {
                    // It cannot be a `toolResult`, so its content is shown as the user's.
                    blocks.extend(result.content.iter().filter_map(block));
                }
            }
            Some((ConverseRole::User, blocks))
        }
    }
}

/// The fields of a message that neither side knows, and the id Strands gave it.
pub(super) fn unknown_fields(message: &Message) -> &Fields {
    match message {
        Message::System(message) => &message.extra,
        Message::User(message) => &message.extra,
        Message::Assistant(message) => &message.extra,
        Message::ToolResult(message) => &message.extra,
    }
}

/// The id among the unknown fields of a message.
pub(super) fn tracking_id(fields: &Fields) -> Option<Cow<'_, str>> {
    fields.view("tracking_id")?.text()
}

/// The unknown fields that come back as such.
pub(super) fn extra(fields: &Fields) -> impl Iterator<Item = (Cow<'_, str>, View<'_>)> {
    fields.members().filter(|(key, value)| match &**key {
        "role" | "content" | "metadata" => false,
        "tracking_id" => !value.is_string(),
        _ => true,
    })
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
            with(extra, "reasoningContent", payload.view().to_value())
        }),
        Content::Provider {
            provider, payload, ..
        } if provider == BEDROCK && payload.is_object() => Some(OutgoingBlock::Held(payload)),
        Content::Document { document: json, .. } | Content::Object { content: json, .. } => {
            Some(OutgoingBlock::Text(json.to_text()))
        }
        Content::Reasoning { .. } | Content::Provider { .. } | Content::Unknown(_) => None,
    }
}

/// A block with fields beside its member.
fn with(beside: &Fields, key: &str, value: Value) -> OutgoingBlock<'static> {
    let mut block = Block::from_iter([(key.to_owned(), value)]);
    for (key, value) in beside {
        if !block.contains_key(key) {
            block.insert(key.clone(), value.clone());
        }
    }
    OutgoingBlock::Verbatim(Box::new(block))
}

/// The input of a call that is no object, which the model keeps beside the (empty) arguments.
pub(super) fn tool_input(call: &ToolCall) -> Option<View<'_>> {
    let input = call.extra.view("input")?;
    (call.arguments.is_empty() && !input.is_object()).then_some(input)
}

/// Whether a tool did what it was asked to.
pub(super) fn status(result: &ToolResult) -> Cow<'_, str> {
    let told = told_status(result).and_then(View::text);
    told.unwrap_or_else(|| Cow::Borrowed(untold_status(result)))
}

/// The status of a result that has one: a string.
pub(super) fn told_status(result: &ToolResult) -> Option<View<'_>> {
    let status = result.properties.view("status")?;
    status.is_string().then_some(status)
}

/// The status of a result that has none.
pub(super) fn untold_status(result: &ToolResult) -> &'static str {
    let interrupted = result.properties.view("interrupted");
    if interrupted.is_some_and(View::is_true) {
        "error"
    } else {
        "success"
    }
}

/// One item of a tool result.
#[derive(Clone, Copy)]
pub(super) enum ResultItem<'a> {
    Text(&'a str),
    Json(&'a Json),
    Verbatim(&'a Json),
}

/// The items of a tool result.
pub(super) fn result_items(result: &ToolResult) -> impl Iterator<Item = ResultItem<'_>> {
    result.content.iter().filter_map(|content| match content {
        Content::Text { text, .. } => Some(ResultItem::Text(text)),
        Content::Object { content: json, .. } | Content::Document { document: json, .. } => {
            Some(ResultItem::Json(json))
        }
        Content::Provider {
            provider, payload, ..
        } if provider == BEDROCK && payload.is_object() => Some(ResultItem::Verbatim(payload)),
        Content::Reasoning { .. } | Content::Provider { .. } | Content::Unknown(_) => None,
    })
}
