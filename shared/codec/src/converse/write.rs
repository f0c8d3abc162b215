//! The plain mapping from the model to Converse. It may lose: what it loses, a hint restores.
//!
//! What it writes is made for a model's eyes: a field Converse does not know is left out, and content it has no
//! block for (a document reference, an object beside text) is shown as JSON text. Another provider's
//! reasoning or blocks mean nothing to a Bedrock model and are not shown at all.

use serde_json::{Value, json};

use super::{BEDROCK, Block, ConverseMessage, ConverseRole, HINT_KEY};
use crate::model::{Content, Message, Object, ToolCall, ToolResult};

/// One message, or nothing for a system message: Converse takes the system prompt apart from the history.
pub(super) fn write(message: &Message) -> Option<ConverseMessage> {
    let (role, content, metadata, extra) = match message {
        Message::System(_) => return None,
        Message::User(user) => {
            let blocks = user.content.iter().filter_map(write_block).collect();
            (ConverseRole::User, blocks, &user.metadata, &user.extra)
        }
        Message::Assistant(assistant) => {
            let said = assistant.content.iter().filter_map(write_block);
            let blocks = said.chain(assistant.tool_calls.iter().map(write_tool_use));
            (
                ConverseRole::Assistant,
                blocks.collect(),
                &assistant.metadata,
                &assistant.extra,
            )
        }
        Message::ToolResult(answered) => {
            let blocks = answered.results.iter().flat_map(write_result).collect();
            (
                ConverseRole::User,
                blocks,
                &answered.metadata,
                &answered.extra,
            )
        }
    };
    Some(assemble(role, content, metadata, extra))
}

/// The message that was taken apart into these: their blocks in a row, everything else from the first.
pub(super) fn write_group(messages: &[Message]) -> Option<ConverseMessage> {
    let mut parts = messages.iter();
    let mut whole = write(parts.next()?)?;
    for part in parts {
        whole.content.extend(write(part)?.content);
    }
    Some(whole)
}

fn assemble(
    role: ConverseRole,
    content: Vec<Block>,
    metadata: &Object,
    extra: &Object,
) -> ConverseMessage {
    let mut metadata = metadata.clone();
    metadata.shift_remove(HINT_KEY);
    let mut extra = extra.clone();
    extra.retain(|key, _| !matches!(key.as_str(), "role" | "content" | "metadata"));
    let tracking_id = match extra.get("tracking_id") {
        Some(Value::String(id)) => Some(id.clone()),
        _ => None,
    };
    if tracking_id.is_some() {
        extra.shift_remove("tracking_id");
    }
    ConverseMessage {
        role,
        content,
        metadata: (!metadata.is_empty()).then_some(metadata),
        tracking_id,
        extra,
    }
}

fn write_block(content: &Content) -> Option<Block> {
    match content {
        Content::Text { text, extra, .. } => Some(member("text", text.as_str().into(), extra)),
        Content::Reasoning {
            provider,
            payload,
            extra,
            ..
        } if provider == BEDROCK => Some(member("reasoningContent", payload.clone(), extra)),
        Content::Provider {
            provider,
            payload: Value::Object(block),
            ..
        } if provider == BEDROCK => Some(block.clone()),
        Content::Document { document, .. } => Some(text_block(document)),
        Content::Object { content, .. } => Some(text_block(content)),
        Content::Reasoning { .. } | Content::Provider { .. } | Content::Unknown(_) => None,
    }
}

fn write_tool_use(call: &ToolCall) -> Block {
    let input = match call.extra.get("input") {
        Some(input) if call.arguments.is_empty() && !input.is_object() => input.clone(),
        _ => Value::Object(call.arguments.clone()),
    };
    let mut fields = Object::new();
    fields.insert("toolUseId".to_owned(), call.id.as_str().into());
    fields.insert("name".to_owned(), call.name.as_str().into());
    fields.insert("input".to_owned(), input);
    copy(&call.extra, &mut fields, &["reasoningSignature", "type"]);
    member("toolUse", Value::Object(fields), &Object::new())
}

/// A result without the id of a call cannot be a `toolResult`; its content is shown as the user's.
fn write_result(result: &ToolResult) -> Vec<Block> {
    let Some(id) = &result.id else {
        return result.content.iter().filter_map(write_block).collect();
    };
    let interrupted = result.properties.get("interrupted") == Some(&Value::Bool(true));
    let status = match result.properties.get("status") {
        Some(Value::String(status)) => status.as_str(),
        _ if interrupted => "error",
        _ => "success",
    };
    let content = result.content.iter().filter_map(write_result_item);
    let mut fields = Object::new();
    fields.insert("toolUseId".to_owned(), id.as_str().into());
    fields.insert("status".to_owned(), status.into());
    fields.insert("content".to_owned(), content.collect());
    copy(&result.properties, &mut fields, &["type"]);
    vec![member("toolResult", Value::Object(fields), &Object::new())]
}

fn write_result_item(content: &Content) -> Option<Value> {
    match content {
        Content::Text { text, .. } => Some(json!({ "text": text })),
        Content::Object { content, .. } => Some(json!({ "json": content })),
        Content::Document { document, .. } => Some(json!({ "json": document })),
        Content::Provider {
            provider,
            payload: payload @ Value::Object(_),
            ..
        } if provider == BEDROCK => Some(payload.clone()),
        Content::Reasoning { .. } | Content::Provider { .. } | Content::Unknown(_) => None,
    }
}

fn text_block(json: &Value) -> Block {
    member("text", json.to_string().into(), &Object::new())
}

fn member(key: &str, value: Value, beside: &Object) -> Block {
    let mut block = Block::new();
    block.insert(key.to_owned(), value);
    for (key, value) in beside {
        if !block.contains_key(key) {
            block.insert(key.clone(), value.clone());
        }
    }
    block
}

fn copy(from: &Object, to: &mut Object, keys: &[&str]) {
    for key in keys {
        if let Some(value) = from.get(*key) {
            to.insert((*key).to_owned(), value.clone());
        }
    }
}
