//! Hints that can be told without converting a message there and back: none at all for what the plain mapping
//! keeps, and what it is known to lose of ordinary messages.
//!
//! A patch from here need not be the smallest. It has to turn the plain reading of the message's plain writing into the
//! message, and to be the same each time; everything out of the ordinary is left to the comparison.

use serde_json::{Value, json};

use super::{BEDROCK, HINT_KEY};
use crate::json::{self, Out};
use crate::model::{Content, Message, Object, ToolCall, ToolResult};

/// Fields of a message's JSON that have a meaning on one side or the other.
const FIELDS: [&str; 9] = [
    "role",
    "content",
    "metadata",
    "toolCalls",
    "modelId",
    "messageId",
    "stopReason",
    "name",
    "results",
];

/// The same of a tool result.
const RESULT_FIELDS: [&str; 6] = [
    "toolUseId",
    "content",
    "id",
    "name",
    "elementId",
    "completedAt",
];

/// What the plain mapping does to a block.
enum Fate {
    /// It comes back as it was.
    Kept,
    /// It comes back as something else.
    Changed,
    /// Who knows.
    Unknown,
}

/// A patch that borrows what it puts back.
#[derive(Debug, Default)]
pub(super) struct Patch<'a> {
    put: Vec<(&'a str, Put<'a>)>,
    drops_status: bool,
    /// The list that is edited, and its new items; none where it stays as it is.
    edit: (&'static str, Vec<Entry<'a>>),
}

#[derive(Debug)]
enum Put<'a> {
    Text(&'a str),
    Json(&'a Value),
}

#[derive(Debug)]
enum Entry<'a> {
    Kept(usize),
    Edited(usize, Patch<'a>),
    New(&'a Content),
}

impl<'a> Patch<'a> {
    /// The patch that makes the message of its plain reading, empty where they are the same; nothing where only a
    /// comparison can tell.
    pub(super) fn of(message: &'a Message) -> Option<Self> {
        let mut patch = Self::default();
        match message {
            Message::System(_) => return None,
            Message::User(user) => {
                ordinary(&user.metadata, &user.extra)?;
                patch.name("name", user.name.as_deref());
                patch.edit = ("content", contents(&user.content, in_message)?);
            }
            Message::Assistant(assistant) => {
                ordinary(&assistant.metadata, &assistant.extra)?;
                assistant.tool_calls.iter().all(is_kept).then_some(())?;
                patch.name("modelId", assistant.model_id.as_deref());
                patch.name("messageId", assistant.message_id.as_deref());
                patch.name("stopReason", assistant.stop_reason.as_deref());
                patch.edit = ("content", contents(&assistant.content, in_message)?);
            }
            Message::ToolResult(answered) => {
                ordinary(&answered.metadata, &answered.extra)?;
                patch.edit = ("results", results(&answered.results)?);
            }
        }
        Some(patch)
    }

    fn of_result(result: &'a ToolResult) -> Option<Self> {
        let is_field = |key: &String| RESULT_FIELDS.contains(&key.as_str());
        if result.id.is_none() || result.properties.keys().any(is_field) {
            return None;
        }
        let mut patch = Self {
            drops_status: !result.properties.contains_key("status"),
            edit: ("content", contents(&result.content, in_result)?),
            ..Self::default()
        };
        patch.name("name", result.name.as_deref());
        patch.name("elementId", result.element_id.as_deref());
        patch.name("completedAt", result.completed_at.as_deref());
        for (key, value) in &result.properties {
            let is_copied = key == "type" || (key == "status" && value.is_string());
            if !is_copied {
                patch.put.push((key, Put::Json(value)));
            }
        }
        Some(patch)
    }

    fn name(&mut self, key: &'static str, name: Option<&'a str>) {
        self.put.extend(name.map(|name| (key, Put::Text(name))));
    }

    /// Whether there is nothing to put back.
    pub(super) fn is_empty(&self) -> bool {
        self.put.is_empty() && !self.drops_status && self.edit.1.is_empty()
    }

    /// The patch as JSON.
    pub(super) fn to_value(&self) -> Value {
        let mut patch = Object::new();
        if !self.put.is_empty() {
            let put = self.put.iter().map(|(key, put)| {
                let value = match put {
                    Put::Text(text) => Value::from(*text),
                    Put::Json(value) => (*value).clone(),
                };
                ((*key).to_owned(), value)
            });
            patch.insert("put".to_owned(), Value::Object(put.collect()));
        }
        if self.drops_status {
            patch.insert("drop".to_owned(), json!(["status"]));
        }
        let (key, entries) = &self.edit;
        if !entries.is_empty() {
            let entries: Vec<Value> = entries.iter().map(Entry::to_value).collect();
            patch.insert("edit".to_owned(), json!({ *key: { "list": entries } }));
        }
        Value::Object(patch)
    }

    /// Writes the JSON of [`Patch::to_value`].
    pub(super) fn write(&self, out: &mut String) {
        let mut before = "{";
        for (index, (key, put)) in self.put.iter().enumerate() {
            out.syntax(if index == 0 { "{\"put\":{" } else { "," });
            json::string(out, key);
            out.syntax(":");
            match put {
                Put::Text(text) => json::string(out, text),
                Put::Json(value) => json::value(out, value),
            }
        }
        if !self.put.is_empty() {
            out.syntax("}");
            before = ",";
        }
        if self.drops_status {
            out.syntax(before);
            out.syntax("\"drop\":[\"status\"]");
            before = ",";
        }
        let (key, entries) = &self.edit;
        if !entries.is_empty() {
            out.syntax(before);
            out.syntax("\"edit\":{");
            json::key(out, key);
            out.syntax("{\"list\":");
            json::list(out, entries, |out, entry| entry.write(out));
            out.syntax("}}");
            before = ",";
        }
        out.syntax(if before == "{" { "{}" } else { "}" });
    }
}

impl Entry<'_> {
    fn is_kept(&self) -> bool {
        matches!(self, Self::Kept(_))
    }

    fn to_value(&self) -> Value {
        match self {
            Self::Kept(index) => Value::from(*index),
            Self::Edited(index, patch) => Value::Array(vec![Value::from(*index), patch.to_value()]),
            Self::New(content) => json!({ "new": content }),
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Edited(index, patch) => {
                out.syntax("[");
                out.syntax(&index.to_string());
                out.syntax(",");
                patch.write(out);
                out.syntax("]");
            }
            Self::Kept(index) => out.syntax(&index.to_string()),
            Self::New(_) => json::value(out, &self.to_value()),
        }
    }
}

/// Nothing if the message's own fields do not come back.
fn ordinary(metadata: &Object, extra: &Object) -> Option<()> {
    let is_field = |key: &String| FIELDS.contains(&key.as_str());
    (!metadata.contains_key(HINT_KEY) && !extra.keys().any(is_field)).then_some(())
}

fn is_kept(call: &ToolCall) -> bool {
    let is_copied = |key: &String| matches!(key.as_str(), "reasoningSignature" | "type");
    call.extra.keys().all(is_copied)
}

/// The new items of a message's results, none where all are kept.
fn results(results: &[ToolResult]) -> Option<Vec<Entry<'_>>> {
    // Without a result it is a user message.
    (!results.is_empty()).then_some(())?;
    let mut entries = Vec::with_capacity(results.len());
    for (index, result) in results.iter().enumerate() {
        let patch = Patch::of_result(result)?;
        entries.push(if patch.is_empty() {
            Entry::Kept(index)
        } else {
            Entry::Edited(index, patch)
        });
    }
    Some(unless_kept(entries))
}

/// The new items of some content, none where all of it is kept.
fn contents(content: &[Content], fate: fn(&Content) -> Fate) -> Option<Vec<Entry<'_>>> {
    let mut entries = Vec::with_capacity(content.len());
    for (index, block) in content.iter().enumerate() {
        entries.push(match fate(block) {
            Fate::Kept => Entry::Kept(index),
            Fate::Changed => Entry::New(block),
            Fate::Unknown => return None,
        });
    }
    Some(unless_kept(entries))
}

fn unless_kept(mut entries: Vec<Entry<'_>>) -> Vec<Entry<'_>> {
    if entries.iter().all(Entry::is_kept) {
        entries.clear();
    }
    entries
}

fn in_message(content: &Content) -> Fate {
    match content {
        // They are shown as text.
        Content::Document { .. } | Content::Object { .. } => Fate::Changed,
        Content::Text { .. } if is_bare(content) => Fate::Kept,
        Content::Reasoning {
            provider, payload, ..
        } if provider == BEDROCK && !payload.is_null() && is_bare(content) => Fate::Kept,
        Content::Provider {
            provider,
            payload: Value::Object(block),
            ..
        } if provider == BEDROCK && is_bare(content) => {
            let read_as_ours = ["text", "reasoningContent", "toolUse", "toolResult"];
            if read_as_ours.iter().any(|key| block.contains_key(*key)) {
                return Fate::Unknown;
            }
            Fate::Kept
        }
        _ => Fate::Unknown,
    }
}

fn in_result(content: &Content) -> Fate {
    match content {
        // It is shown as an object.
        Content::Document { .. } => Fate::Changed,
        Content::Text { .. } if is_bare(content) => Fate::Kept,
        Content::Object { content: json, .. } if !json.is_null() && is_bare(content) => Fate::Kept,
        Content::Provider {
            provider,
            payload: Value::Object(block),
            ..
        } if provider == BEDROCK && is_bare(content) => {
            let read_as_ours = ["text", "json"];
            if read_as_ours.iter().any(|key| block.contains_key(*key)) {
                return Fate::Unknown;
            }
            Fate::Kept
        }
        _ => Fate::Unknown,
    }
}

/// Whether nothing stands beside what the block holds.
fn is_bare(content: &Content) -> bool {
    match content {
        Content::Text {
            metadata, extra, ..
        }
        | Content::Document {
            metadata, extra, ..
        }
        | Content::Object {
            metadata, extra, ..
        }
        | Content::Reasoning {
            metadata, extra, ..
        }
        | Content::Provider {
            metadata, extra, ..
        } => metadata.is_empty() && extra.is_empty(),
        Content::Unknown(_) => false,
    }
}
