//! The scan: policies shown one message after the other, newest first, until they have seen enough.

use codec::model::Message;

use crate::estimate;
use crate::kind::Kind;
use crate::pins::Pins;
use crate::policy::{Kept, Policy, Rule, Seen};
use crate::select::Selection;

/// Applies policies to a conversation that is read backwards. Each message costs the same, however many
/// there are, and a reader can stop as soon as older messages no longer matter.
#[derive(Debug)]
pub struct Scan {
    rules: Vec<Box<dyn Rule>>,
    /// What each message shown costs, newest first: they were just made and lie at hand, which they will not later.
    tokens: Vec<u64>,
    pins: Pins,
    /// How many messages stay, once it is known.
    kept: Option<usize>,
}

impl Scan {
    /// Begins before the newest message. `follows` is how many messages of the conversation come after its
    /// summary; none where there is no summary.
    #[must_use]
    pub fn new(policies: &[Policy], follows: Option<u64>) -> Self {
        Self {
            rules: policies.iter().map(|policy| policy.rule(follows)).collect(),
            tokens: Vec::new(),
            pins: Pins::default(),
            kept: None,
        }
    }

    /// Takes the next older message.
    pub fn push(&mut self, message: &Message) {
        let seen = Seen {
            kind: Kind::of(message),
            tokens: estimate::message(message),
        };
        self.tokens.push(seen.tokens);
        let place = self.tokens.len();
        self.pins.push(message, seen.kind, place);
        if self.kept.is_none() {
            for rule in &mut self.rules {
                rule.push(seen, place);
            }
        }
    }

    /// Whether the window's beginning is known, whatever the older messages are. `older` says that there
    /// are some; without it the message just shown may be the first.
    pub fn is_decided(&mut self, older: bool) -> bool {
        if self.kept.is_none() {
            self.kept = self.decide(older);
        }
        self.kept.is_some()
    }

    /// Whether nothing older matters: the window is decided, and all of the conversation's `pins` marked
    /// messages were seen, with what belongs to them.
    pub fn is_done(&mut self, older: bool, pins: u64) -> bool {
        self.is_decided(older) && self.pins.marked() >= pins && !self.pins.awaits_call()
    }

    /// What is seen of the messages shown, counted from the oldest of them. Where the window was not decided,
    /// they are taken for all there are.
    #[must_use]
    pub fn selection(&self) -> Selection {
        let pushed = self.tokens.len();
        let of_all = |rule: &dyn Rule| rule.kept_of_all(pushed);
        let kept = self.kept.unwrap_or_else(|| {
            let kept = self.rules.iter().map(|rule| of_all(rule.as_ref()));
            kept.min().unwrap_or(pushed)
        });
        let pinned = self.pins.places().filter(|place| *place > kept);
        Selection {
            start: pushed - kept.min(pushed),
            pinned: pinned.rev().map(|place| pushed - place).collect(),
        }
    }

    /// The estimate for the messages of a selection.
    #[must_use]
    pub fn tokens(&self, selection: &Selection) -> u64 {
        let pushed = self.tokens.len();
        let window = self
            .tokens
            .iter()
            .take(pushed - selection.start.min(pushed));
        let pinned = selection.pinned.iter();
        let pinned = pinned.filter_map(|index| self.tokens.get(pushed.checked_sub(index + 1)?));
        window.chain(pinned).sum()
    }

    /// The tightest of what the policies keep, where none that needs older messages can turn out tighter.
    fn decide(&self, older: bool) -> Option<usize> {
        let mut tightest = None;
        let mut undecided = usize::MAX;
        for rule in &self.rules {
            match rule.kept(self.tokens.len(), older) {
                Kept::Exactly(kept) => {
                    tightest = Some(tightest.map_or(kept, |least: usize| least.min(kept)));
                }
                Kept::AtLeast(least) => undecided = undecided.min(least),
            }
        }
        tightest.filter(|kept| *kept <= undecided)
    }
}
