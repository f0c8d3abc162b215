//! The selection: what the policies, taken together, let through.

use codec::model::Message;

use crate::history::History;
use crate::policy::Policy;
use crate::scan::Scan;

/// Which of the messages read are seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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

    /// Reduces `all` to the messages seen.
    pub fn apply(&self, all: &mut Vec<Message>) {
        if self.pinned.is_empty() {
            all.drain(..self.start.min(all.len()));
            return;
        }
        let mut pinned = self.pinned.iter().copied().peekable();
        let mut index = 0;
        all.retain(|_| {
            let is_pinned = pinned.next_if_eq(&index).is_some();
            index += 1;
            is_pinned || index > self.start
        });
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
    let mut scan = Scan::new(policies, history.follows());
    for message in history.messages.iter().rev() {
        scan.is_decided(true);
        scan.push(message);
    }
    let is_settled = scan.is_decided(!history.is_whole()) || history.is_whole();
    is_settled.then(|| scan.selection())
}
