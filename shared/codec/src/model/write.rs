//! The JSON of the model: known fields first, empty ones left out, unknown ones last.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{
    AssistantMessage, Content, Fields, Json, Message, SystemMessage, ToolCall, ToolResult,
    ToolResultMessage, UserMessage,
};

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Message::System(message) => message.serialize(serializer),
            Message::User(message) => message.serialize(serializer),
            Message::Assistant(message) => message.serialize(serializer),
            Message::ToolResult(message) => message.serialize(serializer),
        }
    }
}

impl Serialize for SystemMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", "system")?;
        list(&mut map, "content", &self.content)?;
        object(&mut map, "metadata", &self.metadata)?;
        extra(&mut map, &self.extra)?;
        map.end()
    }
}

impl Serialize for UserMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", "user")?;
        text(&mut map, "name", self.name.as_deref())?;
        list(&mut map, "content", &self.content)?;
        object(&mut map, "metadata", &self.metadata)?;
        extra(&mut map, &self.extra)?;
        map.end()
    }
}

impl Serialize for AssistantMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", "assistant")?;
        list(&mut map, "content", &self.content)?;
        list(&mut map, "toolCalls", &self.tool_calls)?;
        text(&mut map, "modelId", self.model_id.as_deref())?;
        text(&mut map, "messageId", self.message_id.as_deref())?;
        text(&mut map, "stopReason", self.stop_reason.as_deref())?;
        object(&mut map, "metadata", &self.metadata)?;
        extra(&mut map, &self.extra)?;
        map.end()
    }
}

impl Serialize for ToolResultMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", "tool_call_result")?;
        map.serialize_entry("results", &self.results)?;
        object(&mut map, "metadata", &self.metadata)?;
        extra(&mut map, &self.extra)?;
        map.end()
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Content::Text {
                text,
                metadata,
                extra,
            } => block(
                serializer,
                "text",
                &[("text", Part::Text(text))],
                metadata,
                extra,
            ),
            Content::Document {
                document,
                metadata,
                extra,
            } => block(
                serializer,
                "document",
                &[("document", Part::Json(document))],
                metadata,
                extra,
            ),
            Content::Object {
                content,
                metadata,
                extra,
            } => block(
                serializer,
                "object",
                &[("content", Part::Json(content))],
                metadata,
                extra,
            ),
            Content::Reasoning {
                provider,
                payload,
                metadata,
                extra,
            } => {
                let parts = [
                    ("provider", Part::Text(provider)),
                    ("payload", Part::Json(payload)),
                ];
                block(serializer, "reasoning", &parts, metadata, extra)
            }
            Content::Provider {
                provider,
                payload,
                metadata,
                extra,
            } => {
                let parts = [
                    ("provider", Part::Text(provider)),
                    ("payload", Part::Json(payload)),
                ];
                block(serializer, "provider", &parts, metadata, extra)
            }
            Content::Unknown(block) => block.serialize(serializer),
        }
    }
}

impl Serialize for ToolCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("name", &self.name)?;
        map.serialize_entry("arguments", &self.arguments)?;
        extra(&mut map, &self.extra)?;
        map.end()
    }
}

impl Serialize for ToolResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        text(&mut map, "id", self.id.as_deref())?;
        text(&mut map, "name", self.name.as_deref())?;
        map.serialize_entry("content", &self.content)?;
        text(&mut map, "elementId", self.element_id.as_deref())?;
        text(&mut map, "completedAt", self.completed_at.as_deref())?;
        extra(&mut map, &self.properties)?;
        map.end()
    }
}

enum Part<'a> {
    Text(&'a str),
    Json(&'a Json),
}

fn block<S: Serializer>(
    serializer: S,
    kind: &str,
    parts: &[(&str, Part<'_>)],
    metadata: &Fields,
    rest: &Fields,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("type", kind)?;
    for (key, part) in parts {
        match part {
            Part::Text(text) => map.serialize_entry(key, text)?,
            Part::Json(json) => map.serialize_entry(key, json)?,
        }
    }
    object(&mut map, "metadata", metadata)?;
    extra(&mut map, rest)?;
    map.end()
}

fn text<M: SerializeMap>(map: &mut M, key: &str, value: Option<&str>) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(key, value))
}

fn list<M: SerializeMap, T: Serialize>(
    map: &mut M,
    key: &str,
    items: &[T],
) -> Result<(), M::Error> {
    if items.is_empty() {
        return Ok(());
    }
    map.serialize_entry(key, items)
}

fn object<M: SerializeMap>(map: &mut M, key: &str, fields: &Fields) -> Result<(), M::Error> {
    if fields.is_empty() {
        return Ok(());
    }
    map.serialize_entry(key, fields)
}

fn extra<M: SerializeMap>(map: &mut M, fields: &Fields) -> Result<(), M::Error> {
    fields
        .iter()
        .try_for_each(|(key, value)| map.serialize_entry(key, value))
}
