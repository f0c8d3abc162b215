//! The plain mapping from Converse to the model. It may lose: what it loses, a hint restores.

use serde_json::Value;

use super::{BEDROCK, Block, ConverseMessage, ConverseRole, HINT_KEY};
use crate::model::{
    AssistantMessage, Content, Fields, Message, Object, ToolCall, ToolResult, ToolResultMessage,
    UserMessage,
};

/// One message, or two where the user speaks beside tool results: the results, then the rest. Both
/// halves get the metadata, so that a pin holds both; the other fields stay with the first.
pub(super) fn read(message: &ConverseMessage) -> Vec<Message> {
    let mut metadata = message.metadata.clone().unwrap_or_default();
    metadata.shift_remove(HINT_KEY);
    let mut extra = message.extra.clone();
    if let Some(id) = &message.tracking_id {
        extra.insert("tracking_id".to_owned(), Value::String(id.clone()));
    }
    match message.role {
        ConverseRole::Assistant => vec![read_assistant(&message.content, metadata, extra)],
        ConverseRole::User => read_user(&message.content, metadata, extra),
    }
}

fn read_assistant(blocks: &[Block], metadata: Object, mut extra: Object) -> Message {
    without(
        &mut extra,
        &[
            "role",
            "content",
            "metadata",
            "toolCalls",
            "modelId",
            "messageId",
            "stopReason",
        ],
    );
    let mut message = AssistantMessage {
        metadata: metadata.into(),
        extra: extra.into(),
        ..AssistantMessage::default()
    };
    for block in blocks {
        match read_tool_use(block) {
            Some(call) => message.tool_calls.push(call),
            None => message.content.push(read_block(block)),
        }
    }
    Message::Assistant(message)
}

fn read_user(blocks: &[Block], metadata: Object, mut extra: Object) -> Vec<Message> {
    let mut results = Vec::new();
    let mut content = Vec::new();
    for block in blocks {
        match read_tool_result(block) {
            Some(result) => results.push(result),
            None => content.push(read_block(block)),
        }
    }
    if results.is_empty() {
        without(&mut extra, &["role", "content", "metadata", "name"]);
        return vec![Message::User(UserMessage {
            name: None,
            content,
            metadata: metadata.into(),
            extra: extra.into(),
        })];
    }
    without(&mut extra, &["role", "results", "metadata"]);
    let said = (!content.is_empty()).then(|| UserMessage {
        content,
        metadata: metadata.clone().into(),
        ..UserMessage::default()
    });
    let answered = ToolResultMessage {
        results,
        metadata: metadata.into(),
        extra: extra.into(),
    };
    std::iter::once(Message::ToolResult(answered))
        .chain(said.map(Message::User))
        .collect()
}

/// Any block but a tool's. Keys beside the recognised one are kept with it, unless they would be taken for
/// fields of ours; then the whole block is opaque.
fn read_block(block: &Block) -> Content {
    let beside = |member: &str| -> Option<Object> {
        let mut extra = block.clone();
        extra.shift_remove(member);
        let clashes = ["type", "metadata", "provider", "payload", "text"]
            .iter()
            .any(|key| extra.contains_key(*key));
        (!clashes).then_some(extra)
    };
    match (block.get("text"), block.get("reasoningContent")) {
        (Some(Value::String(text)), None) => {
            if let Some(extra) = beside("text") {
                return Content::Text {
                    text: text.clone(),
                    metadata: Fields::new(),
                    extra: extra.into(),
                };
            }
        }
        (None, Some(reasoning)) if !reasoning.is_null() => {
            if let Some(extra) = beside("reasoningContent") {
                return Content::Reasoning {
                    provider: BEDROCK.into(),
                    payload: reasoning.clone().into(),
                    metadata: Fields::new(),
                    extra: extra.into(),
                };
            }
        }
        _ => {}
    }
    opaque(Value::Object(block.clone()))
}

fn read_tool_use(block: &Block) -> Option<ToolCall> {
    let mut fields = block.get("toolUse")?.as_object()?.clone();
    let id = fields.get("toolUseId")?.as_str()?.into();
    let name = fields.get("name")?.as_str()?.into();
    let arguments = match fields.get_mut("input") {
        Some(Value::Object(input)) => std::mem::take(input).into(),
        _ => Fields::new(),
    };
    // An input that is no object stays beside the (empty) arguments, where a reader can still see it.
    let keeps_input = fields.get("input").is_some_and(|input| !input.is_object());
    fields.retain(|key, _| match key.as_str() {
        "toolUseId" | "id" | "name" | "arguments" => false,
        "input" => keeps_input,
        _ => true,
    });
    Some(ToolCall {
        id,
        name,
        arguments,
        extra: fields.into(),
    })
}

fn read_tool_result(block: &Block) -> Option<ToolResult> {
    let fields = block.get("toolResult")?.as_object()?;
    let id = fields.get("toolUseId")?.as_str()?.into();
    let content = fields.get("content")?.as_array()?;
    let mut properties = fields.clone();
    without(
        &mut properties,
        &[
            "toolUseId",
            "content",
            "id",
            "name",
            "elementId",
            "completedAt",
        ],
    );
    Some(ToolResult {
        id: Some(id),
        content: content.iter().filter_map(read_result_item).collect(),
        properties: properties.into(),
        ..ToolResult::default()
    })
}

/// An item of a result. A null is none: the model has no content without a value.
fn read_result_item(item: &Value) -> Option<Content> {
    let Value::Object(fields) = item else {
        return (!item.is_null()).then(|| opaque(item.clone()));
    };
    let content = match (fields.get("text"), fields.get("json")) {
        (Some(Value::String(text)), None) if fields.len() == 1 => Content::text(text),
        (None, Some(json)) if fields.len() == 1 && !json.is_null() => Content::Object {
            content: json.clone().into(),
            metadata: Fields::new(),
            extra: Fields::new(),
        },
        _ => opaque(item.clone()),
    };
    Some(content)
}

fn opaque(payload: Value) -> Content {
    Content::Provider {
        provider: BEDROCK.into(),
        payload: payload.into(),
        metadata: Fields::new(),
        extra: Fields::new(),
    }
}

/// Drops fields that would be taken for other ones in the model's JSON.
fn without(fields: &mut Object, keys: &[&str]) {
    fields.retain(|key, _| !keys.contains(&key.as_str()));
}
