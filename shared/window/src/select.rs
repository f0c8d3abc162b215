//! The selection: what the policies, taken together, let through.

use codec::model::Message;

use crate::history::History;
use crate::pins;
use crate::policy::{Policy, Start};

/// Which of the messages read are seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// Index of the first message of the window; everything from there on is seen.
    pub start: usize,
    /// Indexes of pinned messages before it, rising.
    pub pinned: Vec<usize>,
}

impl Selection {
    /// The messages seen, oldest first.
    pub fn messages<'a>(&self, all: &'a [Message]) -> impl Iterator<Item = &'a Message> {
        let pinned = self.pinned.iter().filter_map(|&index| all.get(index));
        pinned.chain(all.iter().skip(self.start))
    }

    /// How many of `all` are not seen.
    #[must_use]
    pub fn evicted(&self, all: &[Message]) -> usize {
        self.start.min(all.len()) - self.pinned.len()
    }
}

/// Applies the policies. Nothing comes back while older messages have to be read first; a
/// conversation that was read whole always has an answer.
///
/// Pins are looked for among the messages read; a caller that knows of older ones reads on.
#[must_use]
pub fn select(policies: &[Policy], history: &History<'_>) -> Option<Selection> {
    let mut start = None;
    for policy in policies {
        // A policy that wants older messages does not matter where another one starts later: the
        // tightest wins.
        if let Start::At(index) = policy.start(history) {
            start = start.max(Some(index));
        }
    }
    let start = match start {
        Some(start) => start,
        None if history.is_whole() => 0,
        None => return None,
    };
    let pinned = (0..start.min(history.messages.len()))
        .filter(|&index| pins::is_pinned(history.messages, index))
        .collect();
    Some(Selection { start, pinned })
}
