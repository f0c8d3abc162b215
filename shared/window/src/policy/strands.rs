//! The sliding window of the Strands agents.

use super::{Kept, Rule, Seen};
use crate::kind::Kind;

/// Among the last `size` messages the oldest a person said, or else the oldest call that is answered.
/// Where there is neither, or no more messages than that, everything stays.
#[derive(Debug)]
pub(super) struct Strands {
    size: usize,
    /// Messages from the oldest turn inside the window on.
    turn: Option<usize>,
    /// Messages from the oldest answered call inside the window on.
    call: Option<usize>,
    /// Whether the message just after the next one is a tool result.
    result_follows: bool,
}

impl Strands {
    pub(super) fn new(size: usize) -> Self {
        Self {
            size,
            turn: None,
            call: None,
            result_follows: false,
        }
    }

    fn trimmed(&self) -> Option<usize> {
        self.turn.or(self.call)
    }
}

impl Rule for Strands {
    fn push(&mut self, message: Seen, place: usize) {
        if place > self.size {
            return;
        }
        if message.kind == Kind::Person {
            self.turn = Some(place);
        }
        if message.kind == Kind::Calls && self.result_follows {
            self.call = Some(place);
        }
        self.result_follows = message.kind == Kind::Results;
    }

    fn kept(&self, pushed: usize, older: bool) -> Kept {
        if self.size == 0 {
            return Kept::Exactly(0);
        }
        let is_full = pushed > self.size || (pushed == self.size && older);
        match self.trimmed() {
            Some(trimmed) if is_full => Kept::Exactly(trimmed),
            None if is_full => Kept::AtLeast(usize::MAX),
            // Whatever is still to come inside the window is older.
            trimmed => Kept::AtLeast(trimmed.unwrap_or(pushed)),
        }
    }

    fn kept_of_all(&self, pushed: usize) -> usize {
        if self.size == 0 {
            0
        } else if pushed > self.size {
            self.trimmed().unwrap_or(pushed)
        } else {
            pushed
        }
    }
}
