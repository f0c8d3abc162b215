//! The last turns.

use super::{Kept, Rule, Seen};
use crate::kind::Kind;

/// From the start of the `count`-th turn from the end on. Messages before the first turn belong to none,
/// so in a conversation with fewer turns the window opens with the first of them.
#[derive(Debug)]
pub(super) struct LastTurns {
    /// Turns that are still to be found.
    left: usize,
    /// How many messages there are from the oldest turn found on.
    oldest: usize,
}

impl LastTurns {
    pub(super) fn new(count: usize) -> Self {
        Self {
            left: count,
            oldest: 0,
        }
    }
}

impl Rule for LastTurns {
    fn push(&mut self, message: Seen, place: usize) {
        if self.left > 0 && message.kind == Kind::Person {
            self.left -= 1;
            self.oldest = place;
        }
    }

    fn kept(&self, _pushed: usize, _older: bool) -> Kept {
        if self.left == 0 {
            Kept::Exactly(self.oldest)
        } else {
            Kept::AtLeast(self.oldest)
        }
    }

    fn kept_of_all(&self, _pushed: usize) -> usize {
        self.oldest
    }
}
