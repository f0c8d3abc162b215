//! Everything, or everything after the summary.

use super::{Kept, Rule, Seen};

/// The messages after the summary; where there is none, all of them.
#[derive(Debug)]
pub(super) struct Everything {
    /// How many messages follow the summary.
    pub(super) after: Option<usize>,
}

impl Rule for Everything {
    fn push(&mut self, _message: Seen, _place: usize) {}

    fn kept(&self, pushed: usize, _older: bool) -> Kept {
        match self.after {
            Some(after) if after <= pushed => Kept::Exactly(after),
            Some(after) => Kept::AtLeast(after),
            None => Kept::AtLeast(usize::MAX),
        }
    }

    fn kept_of_all(&self, pushed: usize) -> usize {
        self.after.map_or(pushed, |after| after.min(pushed))
    }
}
