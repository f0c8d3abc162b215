//! As many whole turns as a limit allows: the token budget, and Camunda's sliding window.

use super::{Kept, Rule, Seen};
use crate::kind::Kind;

/// The oldest turn from which on everything fits. The newest turn stays even when it alone does not:
/// a model without the question cannot answer it.
#[derive(Debug)]
pub(super) struct Fitting {
    cost: Cost,
    limit: u64,
    /// What the messages so far cost.
    sum: u64,
    /// Messages from the oldest turn on with which all fits.
    fits: Option<usize>,
    /// Messages from the oldest one on with which a window may open.
    opening: usize,
    /// The window, once it is known.
    decided: Option<usize>,
}

#[derive(Debug)]
enum Cost {
    Tokens,
    /// One place each; the documents of tool results take none.
    Places,
}

impl Fitting {
    /// A budget of tokens.
    pub(super) fn tokens(budget: u64) -> Self {
        Self::new(Cost::Tokens, budget)
    }

    /// The Camunda rule, without the faults of the original: a trimmed window never opens with a stray
    /// tool result or with an assistant's words, size 0 is harmless, and the newest turn always stays.
    pub(super) fn messages(size: usize, system: bool) -> Self {
        let places = size.saturating_sub(usize::from(system));
        Self::new(Cost::Places, places as u64)
    }

    fn new(cost: Cost, limit: u64) -> Self {
        Self {
            cost,
            limit,
            sum: 0,
            fits: None,
            opening: 0,
            decided: None,
        }
    }
}

impl Rule for Fitting {
    fn push(&mut self, message: Seen, place: usize) {
        if self.decided.is_some() {
            return;
        }
        let Seen { kind, tokens } = message;
        let cost = match self.cost {
            Cost::Tokens => tokens,
            Cost::Places => u64::from(!(kind == Kind::Documents)),
        };
        self.sum = self.sum.saturating_add(cost);
        let is_over = self.sum > self.limit;
        if is_over && self.fits.is_some() {
            self.decided = self.fits;
        } else if kind == Kind::Person && is_over {
            self.decided = Some(place);
        } else if kind == Kind::Person {
            self.fits = Some(place);
        }
        // Camunda's window leaves out what belongs to a message that is gone; a budget has no reason to.
        if matches!(self.cost, Cost::Tokens) || kind.may_open() {
            self.opening = place;
        }
    }

    fn kept(&self, _pushed: usize, _older: bool) -> Kept {
        match self.decided {
            Some(decided) => Kept::Exactly(decided),
            None => Kept::AtLeast(self.fits.unwrap_or(self.opening)),
        }
    }

    /// Nobody ever spoke, or all fits: everything a window may open with.
    fn kept_of_all(&self, _pushed: usize) -> usize {
        self.decided.unwrap_or(self.opening)
    }
}
