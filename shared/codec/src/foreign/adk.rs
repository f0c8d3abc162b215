//! Events of Google's Agent Development Kit: a blob with the whole event, and its text once more as prose.

use serde_json::{Value, json};

use super::{ForeignReason, Found};
use crate::model::{
    AssistantMessage, Content, Fields, Message, Object, ToolCall, ToolResult, ToolResultMessage,
    UserMessage,
};

/// The provider named on parts that only Google's models know.
const GOOGLE: &str = "google";

/// Reads an ADK event, or gives nothing where the fields are of another shape.
pub(super) fn read_adk(fields: &Object) -> Option<Found> {
    let author = fields.get("author")?.as_str()?;
    either(fields, "invocationId", "invocation_id")?;
    let content = fields.get("content").unwrap_or(&Value::Null);
    let parts = match content.get("parts") {
        Some(Value::Array(parts)) => parts.as_slice(),
        _ => &[],
    };
    let by_user = match content.get("role").and_then(Value::as_str) {
        Some(role) => role != "model",
        None => author == "user",
    };
    let mut read = Parts::default();
    for part in parts {
        read.take(part);
    }
    let mut found = Found {
        messages: read.into_messages(by_user, author),
        ..Found::default()
    };
    if found.messages.is_empty() {
        let note = ("/content".to_owned(), ForeignReason::EmptyMessage);
        found.notes.push(note);
    }
    Some(found)
}

/// What the event's messages say, to be compared with prose beside it. How the writer joins several parts is
/// its own affair, so white space does not count.
pub(super) fn said(found: &Found) -> String {
    let content = found.messages.iter().flat_map(|message| match message {
        Message::User(user) => user.content.as_slice(),
        Message::Assistant(assistant) => assistant.content.as_slice(),
        Message::System(_) | Message::ToolResult(_) => &[],
    });
    let texts = content.filter_map(|content| match content {
        Content::Text { text, .. } => Some(squeeze(text)),
        _ => None,
    });
    texts.collect()
}

/// A text without its white space.
pub(super) fn squeeze(text: &str) -> String {
    text.split_whitespace().collect()
}

#[derive(Default)]
struct Parts {
    content: Vec<Content>,
    calls: Vec<ToolCall>,
    results: Vec<ToolResult>,
}

impl Parts {
    fn take(&mut self, part: &Value) {
        let Value::Object(fields) = part else {
            return;
        };
        if let Some(call) = either(fields, "functionCall", "function_call").and_then(read_call) {
            self.calls.push(call);
        } else if let Some(result) =
            either(fields, "functionResponse", "function_response").and_then(read_response)
        {
            self.results.push(result);
        } else {
            self.content.push(read_part(fields));
        }
    }

    fn into_messages(self, by_user: bool, author: &str) -> Vec<Message> {
        let mut messages = Vec::new();
        if !self.results.is_empty() {
            messages.push(Message::ToolResult(ToolResultMessage {
                results: self.results,
                ..ToolResultMessage::default()
            }));
        }
        if self.content.is_empty() && self.calls.is_empty() {
            return messages;
        }
        messages.push(if by_user && self.calls.is_empty() {
            Message::User(UserMessage {
                content: self.content,
                ..UserMessage::default()
            })
        } else {
            // Several agents may speak in one session; which one it was is told nowhere else.
            let mut metadata = Object::new();
            metadata.insert("author".to_owned(), author.into());
            Message::Assistant(AssistantMessage {
                content: self.content,
                tool_calls: self.calls,
                metadata: metadata.into(),
                ..AssistantMessage::default()
            })
        });
        messages
    }
}

fn read_part(fields: &Object) -> Content {
    let is_thought = fields.get("thought") == Some(&Value::Bool(true));
    match fields.get("text") {
        Some(Value::String(text)) if !is_thought => Content::text(text),
        Some(Value::String(_)) => Content::Reasoning {
            provider: GOOGLE.into(),
            payload: json!(fields).into(),
            metadata: Fields::new(),
            extra: Fields::new(),
        },
        _ => Content::Provider {
            provider: GOOGLE.into(),
            payload: json!(fields).into(),
            metadata: Fields::new(),
            extra: Fields::new(),
        },
    }
}

fn read_call(call: &Value) -> Option<ToolCall> {
    let name = call.get("name")?.as_str()?;
    let arguments = match call.get("args") {
        Some(Value::Object(arguments)) => arguments.clone().into(),
        None | Some(Value::Null) => Fields::new(),
        Some(_) => return None,
    };
    Some(ToolCall {
        // Models that give their calls no id are answered by the tool's name.
        id: call
            .get("id")
            .and_then(Value::as_str)
            .unwrap_or(name)
            .into(),
        name: name.into(),
        arguments,
        extra: Fields::new(),
    })
}

fn read_response(response: &Value) -> Option<ToolResult> {
    let name = response.get("name")?.as_str()?;
    let content = match response.get("response") {
        None | Some(Value::Null) => Vec::new(),
        Some(answer) => vec![Content::Object {
            content: answer.clone().into(),
            metadata: Fields::new(),
            extra: Fields::new(),
        }],
    };
    let id = response.get("id").and_then(Value::as_str).unwrap_or(name);
    Some(ToolResult {
        id: Some(id.into()),
        name: Some(name.into()),
        content,
        ..ToolResult::default()
    })
}

/// A field under its JSON name or its Python one.
fn either<'a>(fields: &'a Object, camel: &str, snake: &str) -> Option<&'a Value> {
    let present = |key| fields.get(key).filter(|value: &&Value| !value.is_null());
    present(camel).or_else(|| present(snake))
}
