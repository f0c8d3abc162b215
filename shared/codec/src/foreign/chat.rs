//! Chat messages of the `OpenAI` flavour, which a Strands session manager can be told to write.

use serde_json::Value;

use super::json::parse;
use super::{ForeignReason, Found, Item};
use crate::model::{
    AssistantMessage, Content, Fields, Label, Message, Object, ToolCall, ToolResult,
    ToolResultMessage, UserMessage,
};
use crate::payload::Role;
use crate::strands::is_blank;

/// The fields such a message may have. One with any other is not of this shape: it may be a text that merely
/// looks alike.
const FIELDS: [&str; 7] = [
    "role",
    "content",
    "tool_calls",
    "tool_call_id",
    "status",
    "name",
    "_strands_reasoning_content",
];

/// Reads a chat message whose role is that of its payload item (where it has one), or gives nothing where the
/// fields are of another shape.
pub(super) fn read_chat(role: Option<&Role>, fields: &Object) -> Option<Item> {
    if !fields.keys().all(|key| FIELDS.contains(&key.as_str())) {
        return None;
    }
    let word = fields.get("role")?.as_str()?;
    if role.is_some_and(|role| !role.as_str().eq_ignore_ascii_case(word)) {
        return None;
    }
    let mut found = Found::default();
    let content = read_content(fields.get("content").unwrap_or(&Value::Null), &mut found)?;
    let message = match word {
        "user" => Message::User(UserMessage {
            name: text(fields, "name"),
            content,
            ..UserMessage::default()
        }),
        "assistant" => read_assistant(fields, content, &mut found)?,
        "tool" => read_tool(fields, content)?,
        _ => return None,
    };
    if is_empty(&message) {
        found
            .notes
            .push((String::new(), ForeignReason::EmptyMessage));
    } else {
        found.messages.push(message);
    }
    Some(Item::Found(Box::new(found)))
}

fn read_assistant(fields: &Object, said: Vec<Content>, found: &mut Found) -> Option<Message> {
    let mut content = match fields.get("_strands_reasoning_content") {
        None | Some(Value::Null) => Vec::new(),
        Some(blocks) => blocks
            .as_array()?
            .iter()
            .filter_map(read_reasoning)
            .collect(),
    };
    content.extend(said);
    let tool_calls = match fields.get("tool_calls") {
        None | Some(Value::Null) => Vec::new(),
        Some(calls) => {
            let calls = calls.as_array()?.iter().enumerate();
            calls
                .map(|(index, call)| read_call(index, call, found))
                .collect::<Option<_>>()?
        }
    };
    Some(Message::Assistant(AssistantMessage {
        content,
        tool_calls,
        ..AssistantMessage::default()
    }))
}

fn read_tool(fields: &Object, content: Vec<Content>) -> Option<Message> {
    let mut properties = Object::new();
    if let Some(status) = fields.get("status").filter(|status| !status.is_null()) {
        properties.insert("status".to_owned(), status.clone());
    }
    Some(Message::ToolResult(ToolResultMessage {
        results: vec![ToolResult {
            id: Some(text(fields, "tool_call_id")?),
            name: text(fields, "name"),
            content,
            properties: properties.into(),
            ..ToolResult::default()
        }],
        ..ToolResultMessage::default()
    }))
}

fn read_call(index: usize, call: &Value, found: &mut Found) -> Option<ToolCall> {
    let function = call.get("function")?.as_object()?;
    let mut read = ToolCall {
        id: text(call.as_object()?, "id")?,
        name: text(function, "name")?,
        ..ToolCall::default()
    };
    let arguments = function.get("arguments").unwrap_or(&Value::Null);
    let parsed = match arguments {
        Value::String(text) => parse(text).map(|document| document.value),
        Value::Object(_) => Some(arguments.clone()),
        _ => None,
    };
    match parsed {
        Some(Value::Object(arguments)) => read.arguments = arguments.into(),
        other => {
            let raw = other.unwrap_or_else(|| arguments.clone());
            read.extra.insert("input".to_owned(), raw);
            let path = format!("/tool_calls/{index}/function/arguments");
            found.notes.push((path, ForeignReason::RawArguments));
        }
    }
    Some(read)
}

/// A text, nothing, or a list of parts; blank text is left out.
fn read_content(content: &Value, found: &mut Found) -> Option<Vec<Content>> {
    let mut read = Vec::new();
    let mut add = |text: &str, path: String| {
        if is_blank(text) {
            found.notes.push((path, ForeignReason::BlankBlock));
        } else {
            read.push(Content::text(text));
        }
    };
    match content {
        Value::Null => {}
        Value::String(text) => add(text, "/content".to_owned()),
        Value::Array(parts) => {
            for (index, part) in parts.iter().enumerate() {
                match part.get("text") {
                    Some(Value::String(text)) => add(text, format!("/content/{index}")),
                    _ => return None,
                }
            }
        }
        _ => return None,
    }
    Some(read)
}

fn read_reasoning(block: &Value) -> Option<Content> {
    let payload = block.get("reasoningContent").unwrap_or(block);
    (!payload.is_null()).then(|| Content::Reasoning {
        provider: "bedrock".into(),
        payload: payload.clone().into(),
        metadata: Fields::new(),
        extra: Fields::new(),
    })
}

fn is_empty(message: &Message) -> bool {
    match message {
        Message::System(m) => m.content.is_empty(),
        Message::User(m) => m.content.is_empty(),
        Message::Assistant(m) => m.content.is_empty() && m.tool_calls.is_empty(),
        Message::ToolResult(m) => m.results.is_empty(),
    }
}

fn text(fields: &Object, key: &str) -> Option<Label> {
    fields.get(key)?.as_str().map(Label::from)
}
