//! Hints that can be told without converting a message there and back: none at all for what the plain mapping
//! keeps, and what it is known to lose of ordinary messages.
//!
//! A patch from here need not be the smallest. It has to turn the plain reading of the message's plain writing into the
//! message, and to be the same each time; everything out of the ordinary is left to the comparison.

use std::borrow::Cow;

use serde_json::{Value, json};

use super::{BEDROCK, HINT_KEY};
use crate::json::keys::Keys;
use crate::json::{self, Out};
use crate::model::compact;
use crate::model::{Content, Fields, Message, Object, ToolCall, ToolResult, View};

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

/// No name.
const NONE: (&str, Option<&str>) = ("", None);

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
    /// The names to put back, each under its key.
    names: [(&'static str, Option<&'a str>); 3],
    /// The properties to put back: all but those that come back by themselves.
    properties: Option<&'a Fields>,
    drops_status: bool,
    /// The list that is edited, and its new items; none where it stays as it is.
    edit: (&'static str, Vec<Entry<'a>>),
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
                patch.names = [("name", user.name.as_deref()), NONE, NONE];
                patch.edit = ("content", contents(&user.content, in_message)?);
            }
            Message::Assistant(assistant) => {
                ordinary(&assistant.metadata, &assistant.extra)?;
                assistant.tool_calls.iter().all(is_kept).then_some(())?;
                patch.names = [
                    ("modelId", assistant.model_id.as_deref()),
                    ("messageId", assistant.message_id.as_deref()),
                    ("stopReason", assistant.stop_reason.as_deref()),
                ];
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
        let properties = &result.properties;
        result.id.as_ref()?;
        let (mut has_status, mut is_lost) = (false, false);
        for (key, value) in properties.members() {
            if RESULT_FIELDS.contains(&&*key) {
                return None;
            }
            has_status |= key == "status";
            is_lost |= is_put(&key, value);
        }
        Some(Self {
            names: [
                ("name", result.name.as_deref()),
                ("elementId", result.element_id.as_deref()),
                ("completedAt", result.completed_at.as_deref()),
            ],
            properties: is_lost.then_some(properties),
            drops_status: !has_status,
            edit: ("content", contents(&result.content, in_result)?),
        })
    }

    /// Whether there is nothing to put back.
    pub(super) fn is_empty(&self) -> bool {
        self.names.iter().all(|(_, name)| name.is_none())
            && self.properties.is_none()
            && !self.drops_status
            && self.edit.1.is_empty()
    }

    /// The names there are.
    fn names(&self) -> impl Iterator<Item = (&'static str, &'a str)> {
        let names = self.names.iter();
        names.filter_map(|(key, name)| Some((*key, (*name)?)))
    }

    /// The properties to put back.
    fn put(&self) -> impl Iterator<Item = (Cow<'a, str>, View<'a>)> {
        let members = self.properties.into_iter().flat_map(Fields::members);
        members.filter(|(key, value)| is_put(key, *value))
    }

    /// The patch as JSON.
    pub(super) fn to_value(&self) -> Value {
        let mut patch = Object::new();
        let names = self
            .names()
            .map(|(key, name)| (key.to_owned(), Value::from(name)));
        let properties = self
            .put()
            .map(|(key, value)| (key.into_owned(), value.to_value()));
        let put: Object = names.chain(properties).collect();
        if !put.is_empty() {
            patch.insert("put".to_owned(), Value::Object(put));
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
        const PUT: &str = "{\"put\":{";
        let mut before = PUT;
        for (key, name) in self.names() {
            out.syntax(before);
            json::key(out, key);
            json::string(out, name);
            before = ",";
        }
        for (key, value) in self.put() {
            out.syntax(before);
            json::view_member(out, &key, value);
            before = ",";
        }
        if before == PUT {
            before = "{";
        } else {
            out.syntax("}");
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
            Self::New(content) => {
                out.syntax("{\"new\":");
                compact::block(out, content, "content");
                out.syntax("}");
            }
        }
    }
}

/// Whether a property does not come back by itself.
fn is_put(key: &str, value: View<'_>) -> bool {
    !(key == "type" || (key == "status" && value.is_string()))
}

/// Nothing if the message's own fields do not come back.
fn ordinary(metadata: &Fields, extra: &Fields) -> Option<()> {
    const HINT: Keys = Keys::of(&[HINT_KEY]);
    const KEYS: Keys = Keys::of(&FIELDS);
    let is_field = |(key, _): (Cow<'_, str>, View<'_>)| FIELDS.contains(&&*key);
    let bears_hint = metadata.may_have(HINT) && metadata.contains_key(HINT_KEY);
    let has_fields = extra.may_have(KEYS) && extra.members().any(is_field);
    (!bears_hint && !has_fields).then_some(())
}

fn is_kept(call: &ToolCall) -> bool {
    let mut keys = call.extra.members().map(|(key, _)| key);
    keys.all(|key| matches!(&*key, "reasoningSignature" | "type"))
}

/// The new items of a message's results, none where all are kept.
fn results(results: &[ToolResult]) -> Option<Vec<Entry<'_>>> {
    // Without a result it is a user message.
    (!results.is_empty()).then_some(())?;
    let mut entries = Vec::new();
    for (index, result) in results.iter().enumerate() {
        let patch = Patch::of_result(result)?;
        if !patch.is_empty() {
            entries.extend((entries.len()..index).map(Entry::Kept));
            entries.push(Entry::Edited(index, patch));
        }
    }
    Some(with_the_rest(entries, results.len()))
}

/// The new items of some content, none where all of it is kept.
fn contents(content: &[Content], fate: fn(&Content) -> Fate) -> Option<Vec<Entry<'_>>> {
    let mut entries = Vec::new();
    for (index, block) in content.iter().enumerate() {
        match fate(block) {
            Fate::Kept => {}
            Fate::Changed => {
                entries.extend((entries.len()..index).map(Entry::Kept));
                entries.push(Entry::New(block));
            }
            Fate::Unknown => return None,
        }
    }
    Some(with_the_rest(entries, content.len()))
}

/// A list that names something new names what is kept behind it as well; one that does not is not needed at all.
fn with_the_rest(mut entries: Vec<Entry<'_>>, count: usize) -> Vec<Entry<'_>> {
    if !entries.is_empty() {
        entries.extend((entries.len()..count).map(Entry::Kept));
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
            provider, payload, ..
        } if provider == BEDROCK && payload.is_object() && is_bare(content) => {
            const OURS: [&str; 4] = ["text", "reasoningContent", "toolUse", "toolResult"];
            if payload.may_have(Keys::of(&OURS)) && OURS.iter().any(|key| payload.contains_key(key))
            {
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
            provider, payload, ..
        } if provider == BEDROCK && payload.is_object() && is_bare(content) => {
            const OURS: [&str; 2] = ["text", "json"];
            if payload.may_have(Keys::of(&OURS)) && OURS.iter().any(|key| payload.contains_key(key))
            {
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
