//! The exact conversions: the plain mapping, a hint where that is not enough, and when to believe one.
//!
//! Both directions have to be exact for *every* message, those included that already bear a hint, true or false.
//! Let `wrap` be the plain mapping plus a hint where needed; it exists both ways, and each `wrap`
//! never gives the same for two messages. A message that is some `wrap`'s outcome can be unwrapped, perhaps several
//! times in a row, until a message is left that no `wrap` made: its origin. A message whose origin lies on the
//! other side is unwrapped, one whose origin lies on its own side is wrapped. These two rules
//! undo each other, whatever the messages are (it is the argument of the Schröder–Bernstein theorem).

use serde_json::{Value, json};

use super::known::write_patch;
use super::patch::{apply, diff};
use super::read::read;
use super::{ConverseMessage, Outgoing, outgoing};
use crate::json::{self, Out};
use crate::model::{Fields, Message, Object};

/// The key of message metadata that holds a hint.
pub const HINT_KEY: &str = "colloquy";

/// A hint in a Converse message: how to make the model's message from the plain reading.
const TO_MODEL: &str = "model";
/// A hint in a model message: how to make the Converse message from the plain writing.
const TO_CONVERSE: &str = "converse";
/// Present where the Converse message was taken apart: how many messages it became.
const PARTS: &str = "parts";

/// Converts one Converse message: to one of the model's, or to two where a user message holds tool results
/// beside other content.
///
/// [`to_converse`] gives exactly the same message back.
#[must_use]
pub fn from_converse(message: &ConverseMessage) -> Vec<Message> {
    match unwrap_converse(message) {
        Some(original) if !comes_from_converse(&original) => vec![original],
        _ => wrap_converse(message),
    }
}

/// Converts messages to Converse, oldest first. System messages are left out, since Converse takes the system
/// prompt apart from the history.
///
/// [`from_converse`] gives exactly the same messages back. The two halves of a message that was taken apart
/// become one again wherever they stand beside each other.
#[must_use]
pub fn to_converse(messages: &[Message]) -> Vec<ConverseMessage> {
    outgoing(messages).map(Outgoing::into_message).collect()
}

/// The Converse message that these are the stored form of.
pub(super) fn original(messages: &[Message]) -> Option<ConverseMessage> {
    let original = unwrap_group(messages)?;
    (!comes_from_model(&original)).then_some(original)
}

/// Writes the hint of a message under its key, after `before`; nothing where its plain writing can be turned back. Whether
/// it did.
pub(super) fn write_hint(out: &mut String, before: &str, message: &Message) -> bool {
    let start = out.len();
    out.syntax(before);
    // HINT_KEY and TO_MODEL at once, since nearly every message of Camunda's has them.
    out.syntax("\"colloquy\":{\"model\":");
    let inside = out.len();
    let is_written = write_patch(out, message).unwrap_or_else(|| {
        out.truncate(inside);
        let patch = difference(message);
        patch.is_some_and(|patch| {
            json::value(out, &patch);
            true
        })
    });
    if is_written {
        out.syntax("}");
    } else {
        out.truncate(start);
    }
    is_written
}

/// The hint of a message under its key, or nothing where its plain writing can be turned back.
pub(super) fn hint(message: &Message) -> Option<Object> {
    let mut out = String::new();
    write_hint(&mut out, "{", message).then_some(())?;
    out.syntax("}");
    serde_json::from_str(&out).ok()
}

/// The patch from the plain reading of the plain writing to the message.
fn difference(message: &Message) -> Option<Value> {
    let back = read(&write(message)?);
    if back.len() == 1 && back.first() == Some(message) {
        return None;
    }
    Some(diff(&readings(back)?, &serde_json::to_value(message).ok()?))
}

/// Whether unwrapping, over and over, ends on the Converse side. Each step takes a hint off, so the steps are
/// no more than the levels of nesting.
fn comes_from_converse(message: &Message) -> bool {
    let mut message = message.clone();
    loop {
        let Some(converse) = unwrap_group(std::slice::from_ref(&message)) else {
            return false;
        };
        match unwrap_converse(&converse) {
            Some(inner) => message = inner,
            None => return true,
        }
    }
}

fn comes_from_model(message: &ConverseMessage) -> bool {
    unwrap_converse(message).is_some_and(|original| !comes_from_converse(&original))
}

/// The plain reading, with a hint in the first message where it cannot be turned back.
fn wrap_converse(message: &ConverseMessage) -> Vec<Message> {
    let mut messages = read(message);
    let parts = messages.len();
    let Some(back) = write_group(&messages) else {
        return messages;
    };
    let mut hint = Object::new();
    if back != *message {
        let patch = diff(&back.into_value(), &message.clone().into_value());
        hint.insert(TO_CONVERSE.to_owned(), patch);
    }
    if parts > 1 {
        hint.insert(PARTS.to_owned(), json!(parts));
    }
    if !hint.is_empty()
        && let Some(metadata) = messages.first_mut().and_then(metadata_mut)
    {
        metadata.insert(HINT_KEY.to_owned(), Value::Object(hint));
    }
    messages
}

/// The plain writing, with a hint where it cannot be turned back.
fn wrap_model(message: &Message) -> Option<ConverseMessage> {
    let mut converse = write(message)?;
    if let Some(hint) = hint(message) {
        converse.metadata.get_or_insert_default().extend(hint);
    }
    Some(converse)
}

/// The model's message that this one is the wrapped form of.
fn unwrap_converse(message: &ConverseMessage) -> Option<Message> {
    let hint = message.metadata.as_ref()?.get(HINT_KEY)?.as_object()?;
    let patch = hint.get(TO_MODEL)?;
    let original = apply(readings(read(message))?, patch)?;
    let original = serde_json::from_value(original).ok()?;
    (wrap_model(&original).as_ref() == Some(message)).then_some(original)
}

/// The Converse message that these are the wrapped form of.
fn unwrap_group(messages: &[Message]) -> Option<ConverseMessage> {
    let hint = metadata(messages.first()?).get(HINT_KEY)?.as_object()?;
    let parts = hint.get(PARTS).map_or(Some(1), Value::as_u64)?;
    if usize::try_from(parts).ok()? != messages.len() {
        return None;
    }
    let plain = write_group(messages)?;
    let original = match hint.get(TO_CONVERSE) {
        Some(patch) => ConverseMessage::from_value(apply(plain.into_value(), patch)?).ok()?,
        None => plain,
    };
    (wrap_converse(&original) == messages).then_some(original)
}

/// The plain writing.
fn write(message: &Message) -> Option<ConverseMessage> {
    Some(Outgoing::plain(message)?.into_message())
}

/// The plain writing of a message that was taken apart into these: their blocks in a row, everything else
/// from the first.
fn write_group(messages: &[Message]) -> Option<ConverseMessage> {
    let mut parts = messages.iter();
    let mut whole = write(parts.next()?)?;
    for part in parts {
        whole.content.extend(write(part)?.content);
    }
    Some(whole)
}

/// What a patch to the model starts from: the one message that was read, or the list of them.
fn readings(mut messages: Vec<Message>) -> Option<Value> {
    if messages.len() > 1 {
        return serde_json::to_value(messages).ok();
    }
    serde_json::to_value(messages.pop()?).ok()
}

pub(super) fn metadata(message: &Message) -> &Fields {
    match message {
        Message::System(m) => &m.metadata,
        Message::User(m) => &m.metadata,
        Message::Assistant(m) => &m.metadata,
        Message::ToolResult(m) => &m.metadata,
    }
}

fn metadata_mut(message: &mut Message) -> Option<&mut Fields> {
    match message {
        Message::System(_) => None,
        Message::User(m) => Some(&mut m.metadata),
        Message::Assistant(m) => Some(&mut m.metadata),
        Message::ToolResult(m) => Some(&mut m.metadata),
    }
}
