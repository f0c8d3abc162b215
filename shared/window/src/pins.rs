//! Pinned messages: kept however old they are.

use codec::model::{Fields, Message, View};

use crate::kind::Kind;

/// Whether the message itself says that it is pinned (`metadata.custom.pinned` is `true`).
#[must_use]
pub fn is_marked(message: &Message) -> bool {
    let metadata = match message {
        Message::System(message) => &message.metadata,
        Message::User(message) => &message.metadata,
        Message::Assistant(message) => &message.metadata,
        Message::ToolResult(message) => &message.metadata,
    };
    marked(metadata)
}

/// How many of the messages say that they are pinned.
#[must_use]
pub fn count(messages: &[Message]) -> u64 {
    messages.iter().filter(|message| is_marked(message)).count() as u64
}

fn marked(metadata: &Fields) -> bool {
    let custom = metadata.view("custom");
    let pinned = custom.and_then(|custom| custom.member("pinned"));
    pinned.is_some_and(View::is_true)
}

/// Finds the messages that stay, shown the newest first. A tool call and the results that directly
/// follow it are one: where any of them is marked, all stay.
#[derive(Debug, Default)]
pub(crate) struct Pins {
    /// How many were marked.
    marked: u64,
    /// The places of those that stay, newest first.
    places: Vec<usize>,
    /// The tool results just before which no call was seen yet: place, and whether it is marked.
    results: Vec<(usize, bool)>,
}

impl Pins {
    /// Takes the next older message, the `place`-th from the end.
    pub(crate) fn push(&mut self, message: &Message, kind: Kind, place: usize) {
        let is_marked = is_marked(message);
        self.marked += u64::from(is_marked);
        if kind == Kind::Results {
            self.results.push((place, is_marked));
            return;
        }
        // As nearly always: nothing is pinned.
        if self.results.is_empty() && !is_marked {
            return;
        }
        let all = kind == Kind::Calls && (is_marked || self.awaits_call());
        let results = self.results.drain(..).filter(|(_, marked)| *marked || all);
        self.places.extend(results.map(|(place, _)| place));
        if is_marked || all {
            self.places.push(place);
        }
    }

    /// How many marked messages were seen.
    pub(crate) fn marked(&self) -> u64 {
        self.marked
    }

    /// Whether a marked tool result was seen, but not its call.
    pub(crate) fn awaits_call(&self) -> bool {
        self.results.iter().any(|(_, marked)| *marked)
    }

    /// The places of those that stay, newest first.
    pub(crate) fn places(&self) -> impl DoubleEndedIterator<Item = usize> {
        let open = self.results.iter().filter(|(_, marked)| *marked);
        let open = open.map(|(place, _)| *place);
        self.places.iter().copied().chain(open)
    }
}
