//! Layouts other writers use in AgentCore events, told apart by shape alone.
//!
//! Nothing in an event says who wrote it, so each payload item is looked at in a fixed order, from the
//! most particular shape to the least: a Strands session message, the two-element array of a long one,
//! a session marker, an agent state or a snapshot, a bare message of Converse or of the `OpenAI` flavour, an ADK event, a
//! `LangGraph` record, and plain prose last. What fits none of them is opaque: counted, never dropped in
//! silence.

mod adk;
mod chat;
pub(crate) mod json;
mod reason;

pub use reason::ForeignReason;

use std::collections::{HashMap, VecDeque};

use serde_json::Value;

use crate::model::{
    AssistantMessage, Content, Message, Object, ToolResult, ToolResultMessage, UserMessage,
};
use crate::payload::{Event, Payload, Role};
use crate::strands::{
    AgentRecord, is_blank, may_be_redacted, read_bare, read_record, read_snapshot,
};

/// What one payload item turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    /// A record that was understood, with whatever it held.
    Found(Box<Found>),
    /// The marker of a Strands session: it says that the session exists and nothing else.
    Marker,
    /// Plain text of a conversational item: the caller makes the message, since several in a row may be
    /// parts of one.
    Prose,
    /// A text that an item of the same event repeats in a richer form; using both would double it.
    Echo,
    /// Nothing we can read a message from. Strict decoding refuses it.
    Opaque(ForeignReason),
}

/// The contents of a record that was understood. All three may be empty: a message that holds nothing but
/// blank text leaves only its note.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Found {
    /// One Converse message may be two of ours (tool results and what the user said beside them).
    pub(crate) messages: Vec<Message>,
    /// Agent states, in stored order.
    pub(crate) agents: Vec<AgentRecord>,
    /// What had to be mended, with a JSON pointer into the payload item. Never an error, not even in strict mode.
    pub(crate) notes: Vec<(String, ForeignReason)>,
}

impl Item {
    /// Makes the pointers of the notes start further out.
    fn under(mut self, place: &str) -> Self {
        if let Item::Found(found) = &mut self {
            for (path, _) in &mut found.notes {
                path.insert_str(0, place);
            }
        }
        self
    }
}

/// Reads the items of an event that bears no Camunda envelope: one answer an item, in order.
pub(crate) fn read_items(event: &Event) -> Vec<Item> {
    let mut full_events = Vec::new();
    let mut items: Vec<Item> = event
        .payload
        .iter()
        .map(|payload| match payload {
            Payload::Conversational { role, text } => {
                read_conversational(role, text).under("/conversational/content/text")
            }
            Payload::Blob(Value::String(text)) => {
                read_blob_text(text, &mut full_events).under("/blob")
            }
            Payload::Blob(value) => read_value(value, &mut full_events).under("/blob"),
            Payload::Json(value) => read_value(value, &mut full_events).under("/json/content"),
            Payload::Unknown(_) => Item::Opaque(ForeignReason::UnknownMember),
        })
        .collect();
    mark_echoes(&mut items, event, &full_events);
    items
}

/// An ADK event stands beside its own text. Each full event takes the place of one prose item at most.
fn mark_echoes(items: &mut [Item], event: &Event, full_events: &[Found]) {
    if full_events.is_empty() {
        return;
    }
    let mut prose: HashMap<String, VecDeque<&mut Item>> = HashMap::new();
    for (item, payload) in items.iter_mut().zip(&event.payload) {
        if let (Item::Prose, Payload::Conversational { text, .. }) = (&*item, payload) {
            prose.entry(adk::squeeze(text)).or_default().push_back(item);
        }
    }
    for found in full_events {
        let echo = prose
            .get_mut(&adk::said(found))
            .and_then(VecDeque::pop_front);
        if let Some(item) = echo {
            *item = Item::Echo;
        }
    }
}

fn read_conversational(role: &Role, text: &str) -> Item {
    if is_placeholder(text) {
        return Item::Found(Box::new(Found {
            notes: vec![(String::new(), ForeignReason::Placeholder)],
            ..Found::default()
        }));
    }
    read_text_record(Some(role), text).unwrap_or(Item::Prose)
}

/// A message record that was written as JSON text.
fn read_text_record(role: Option<&Role>, text: &str) -> Option<Item> {
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let Some(document) = json::parse(text) else {
        return may_be_redacted(text).then_some(Item::Opaque(ForeignReason::BrokenRecord));
    };
    let fields = document.value.as_object()?;
    let item = read_record(fields).or_else(|| chat::read_chat(role, fields))?;
    Some(noting_surrogates(item, document.mended))
}

fn read_blob_text(text: &str, full_events: &mut Vec<Found>) -> Item {
    match json::parse(text) {
        Some(document) => {
            let item = read_value(&document.value, full_events);
            noting_surrogates(item, document.mended)
        }
        None if looks_mangled(text) => Item::Opaque(ForeignReason::MangledBlob),
        None => Item::Opaque(ForeignReason::UnknownText),
    }
}

fn read_value(value: &Value, full_events: &mut Vec<Found>) -> Item {
    let item = match value {
        Value::Array(pair) => read_pair(pair),
        Value::Object(fields) => read_fields(fields, full_events),
        _ => None,
    };
    item.unwrap_or(Item::Opaque(ForeignReason::UnknownJson))
}

/// A message too long for a conversational item: its text, then the role in lower case.
fn read_pair(pair: &[Value]) -> Option<Item> {
    let [Value::String(text), Value::String(word)] = pair else {
        return None;
    };
    let role = Role::from(word.to_uppercase());
    if let Some(item) = read_text_record(Some(&role), text) {
        return Some(item.under("/0"));
    }
    let message = prose_message(&role, text)?;
    Some(Item::Found(Box::new(Found {
        messages: vec![message],
        ..Found::default()
    })))
}

fn read_fields(fields: &Object, full_events: &mut Vec<Found>) -> Option<Item> {
    if let Some(item) = read_record(fields) {
        return Some(item);
    }
    if fields.contains_key("session_id") && fields.contains_key("session_type") {
        return Some(Item::Marker);
    }
    if let Some(agent) = AgentRecord::from_object(fields.clone()) {
        return Some(Item::Found(Box::new(Found {
            agents: vec![agent],
            ..Found::default()
        })));
    }
    let message = read_snapshot(fields).or_else(|| read_bare(fields));
    if let Some(item) = message.or_else(|| chat::read_chat(None, fields)) {
        return Some(item);
    }
    if let Some(found) = adk::read_adk(fields) {
        full_events.push(found.clone());
        return Some(Item::Found(Box::new(found)));
    }
    let is_checkpoint = matches!(
        fields.get("event_type").and_then(Value::as_str),
        Some("checkpoint" | "channel_data" | "writes")
    );
    is_checkpoint.then_some(Item::Opaque(ForeignReason::Checkpoint))
}

fn prose_message(role: &Role, text: &str) -> Option<Message> {
    if is_blank(text) {
        return None;
    }
    let content = vec![Content::text(text)];
    match role {
        Role::User | Role::Other => Some(Message::User(UserMessage {
            content,
            ..UserMessage::default()
        })),
        Role::Assistant => Some(Message::Assistant(AssistantMessage {
            content,
            ..AssistantMessage::default()
        })),
        Role::Tool => Some(Message::ToolResult(ToolResultMessage {
            results: vec![ToolResult {
                content,
                ..ToolResult::default()
            }],
            ..ToolResultMessage::default()
        })),
        Role::Unknown(_) => None,
    }
}

fn noting_surrogates(mut item: Item, mended: bool) -> Item {
    if mended && let Item::Found(found) = &mut item {
        let note = (String::new(), ForeignReason::LoneSurrogate);
        found.notes.push(note);
    }
    item
}

/// `LlamaIndex` cannot store an empty text and stores a fixed one instead, in capitals alone.
fn is_placeholder(text: &str) -> bool {
    text.starts_with("PLACEHOLDER FOR EMPTY")
        && text.len() <= 64
        && !text.contains(|c: char| c.is_lowercase() || c.is_numeric())
}

/// A JSON object that the service turned into Java map notation, `{key=value, …}`.
fn looks_mangled(text: &str) -> bool {
    let text = text.trim();
    let inside = text.strip_prefix('{').and_then(|t| t.strip_suffix('}'));
    inside.is_some_and(|inside| inside.is_empty() || inside.contains('='))
}
