//! Events to messages, whoever wrote them.

mod assemble;
mod camunda;
mod envelope;
mod hints;
mod join;
mod prose;
mod typed;

pub use join::join;

use crate::error::DecodeError;
use crate::model::Message;
use crate::note::{Mode, Note, Notes};
use crate::part::Part;
use crate::payload::Event;
use crate::strands::AgentRecord;

/// What an event holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decoded {
    /// The messages, in order.
    pub messages: Vec<Message>,
    /// Agent states, in stored order; where one agent has several, the last counts.
    pub agents: Vec<AgentRecord>,
    /// What was skipped or mended. Empty in strict mode, but for remarks on layouts of other writers.
    pub notes: Vec<Note>,
    /// Set where the event holds one part of a message that is too large for an event. Then there is exactly
    /// one message, and [`join`] makes the whole of it.
    pub part: Option<Part>,
}

/// Reads the messages of an event. The layout is told by the items themselves.
///
/// # Errors
///
/// In strict mode, the first thing that would have to be skipped or mended. Never in lenient mode.
pub fn decode(event: &Event, mode: Mode) -> Result<Decoded, DecodeError> {
    let mut notes = Notes::new(mode);
    let mut decoded = if event.payload.iter().any(camunda::is_enveloped) {
        camunda::read(event, &mut notes)?
    } else {
        prose::read(event, &mut notes)?
    };
    decoded.notes = notes.into_vec();
    Ok(decoded)
}
