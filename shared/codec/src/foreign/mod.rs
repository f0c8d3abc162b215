//! Layouts other writers use in AgentCore events, told apart by shape alone.
//!
//! Nothing in an event says who wrote it, so each payload item is looked at in a fixed order, from the
//! most particular shape to the least: a Strands session message, the two-element array of a long one,
//! a session marker or agent state, a chat message of the `OpenAI` flavour, an ADK event, a `LangGraph`
//! record, and plain prose last. What fits none of them is opaque: counted, never dropped in silence.

mod reason;

pub use reason::ForeignReason;

use crate::model::Message;
use crate::payload::{Event, Payload, Role};
use crate::strands::AgentRecord;

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
    /// What had to be mended, with a JSON pointer into the record. Never an error, not even in strict mode.
    pub(crate) notes: Vec<(String, ForeignReason)>,
}

/// Reads the items of an event that bears no Camunda envelope: one answer an item, in order.
pub(crate) fn read_items(event: &Event) -> Vec<Item> {
    event.payload.iter().map(read_item).collect()
}

fn read_item(payload: &Payload) -> Item {
    match payload {
        Payload::Conversational { role, text } => read_conversational(role, text),
        Payload::Blob(_) | Payload::Json(_) => Item::Opaque(ForeignReason::UnknownJson),
        Payload::Unknown(_) => Item::Opaque(ForeignReason::UnknownMember),
    }
}

fn read_conversational(_role: &Role, _text: &str) -> Item {
    Item::Prose
}
