//! Hints that can be told without converting a message there and back: none at all for what the plain mapping
//! keeps, and what it is known to lose of ordinary messages.
//!
//! A patch from here need not be the smallest. It has to turn the plain reading of the message's plain writing into the
//! message, and to be the same each time; everything out of the ordinary is left to the comparison.

use serde_json::{Value, json};

use super::{BEDROCK, HINT_KEY};
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

/// The patch that makes the message of its plain reading, empty where they are the same; nothing where only a
/// comparison can tell.
pub(super) fn patch(message: &Message) -> Option<Object> {
    match message {
        Message::System(_) => None,
        Message::User(user) => {
            ordinary(&user.metadata, &user.extra)?;
            let content = contents(&user.content, in_message)?;
            Some(edited(&[("name", &user.name)], "content", content))
        }
        Message::Assistant(assistant) => {
            ordinary(&assistant.metadata, &assistant.extra)?;
            assistant.tool_calls.iter().all(is_kept).then_some(())?;
            let content = contents(&assistant.content, in_message)?;
            let names = [
                ("modelId", &assistant.model_id),
                ("messageId", &assistant.message_id),
                ("stopReason", &assistant.stop_reason),
            ];
            Some(edited(&names, "content", content))
        }
        Message::ToolResult(answered) => {
            ordinary(&answered.metadata, &answered.extra)?;
            let patches: Vec<Object> = answered
                .results
                .iter()
                .map(result_patch)
                .collect::<Option<_>>()?;
            // Without a result it is a user message.
            (!patches.is_empty()).then_some(())?;
            Some(edited(&[], "results", list(patches)))
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

fn result_patch(result: &ToolResult) -> Option<Object> {
    let is_field = |key: &String| RESULT_FIELDS.contains(&key.as_str());
    if result.id.is_none() || result.properties.keys().any(is_field) {
        return None;
    }
    let names = [
        ("name", &result.name),
        ("elementId", &result.element_id),
        ("completedAt", &result.completed_at),
    ];
    let lost = result.properties.iter().filter(|(key, value)| {
        let is_copied = *key == "type" || (*key == "status" && value.is_string());
        !is_copied
    });
    let mut patch = edited(&names, "content", contents(&result.content, in_result)?);
    for (key, value) in lost {
        if let Value::Object(put) = patch.entry("put").or_insert_with(|| json!({})) {
            put.insert(key.clone(), value.clone());
        }
    }
    if !result.properties.contains_key("status") {
        patch.insert("drop".to_owned(), json!(["status"]));
    }
    Some(patch)
}

/// The entries of a patch of the content, none where all of it is kept.
fn contents(content: &[Content], fate: impl Fn(&Content) -> Fate) -> Option<Vec<Value>> {
    let mut entries = Vec::new();
    for (index, block) in content.iter().enumerate() {
        match fate(block) {
            Fate::Kept if entries.is_empty() => {}
            Fate::Kept => entries.push(Value::from(index)),
            Fate::Changed => {
                if entries.is_empty() {
                    entries.extend((0..index).map(Value::from));
                }
                entries.push(json!({ "new": block }));
            }
            Fate::Unknown => return None,
        }
    }
    Some(entries)
}

/// The entries of a patch that edits items in their places, none where there is nothing to edit.
fn list(patches: Vec<Object>) -> Vec<Value> {
    if patches.iter().all(Object::is_empty) {
        return Vec::new();
    }
    let entry = |(index, patch): (usize, Object)| {
        if patch.is_empty() {
            return Value::from(index);
        }
        Value::Array(vec![Value::from(index), Value::Object(patch)])
    };
    patches.into_iter().enumerate().map(entry).collect()
}

/// The patch that puts the names that are there, and edits a list.
fn edited(names: &[(&str, &Option<String>)], key: &str, entries: Vec<Value>) -> Object {
    let names = names.iter();
    let put: Object = names
        .filter_map(|(key, name)| Some(((*key).to_owned(), name.as_deref()?.into())))
        .collect();
    let mut patch = Object::new();
    if !put.is_empty() {
        patch.insert("put".to_owned(), Value::Object(put));
    }
    if !entries.is_empty() {
        let list = Object::from_iter([("list".to_owned(), Value::Array(entries))]);
        let edit = Object::from_iter([(key.to_owned(), Value::Object(list))]);
        patch.insert("edit".to_owned(), Value::Object(edit));
    }
    patch
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
