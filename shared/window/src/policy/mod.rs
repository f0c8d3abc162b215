//! The policies: each says from which message on a conversation is seen.

mod everything;
mod fitting;
mod strands;
mod turns;

use std::fmt::Debug;

use self::everything::Everything;
use self::fitting::Fitting;
use self::strands::Strands;
use self::turns::LastTurns;
use crate::kind::Kind;

/// How much of a conversation a model sees. Policies combine: the tightest wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Everything.
    None,
    /// At most `size` messages, by one of two rules.
    Sliding {
        /// The most messages to keep.
        size: usize,
        /// Whose rule.
        rule: SlidingRule,
    },
    /// The last `count` turns, each from what a person said up to just before they speak again.
    Turns {
        /// How many turns.
        count: usize,
    },
    /// As many messages as fit `budget` tokens.
    Tokens {
        /// The most tokens to keep.
        budget: u64,
    },
    /// What follows the summary. Without a summary, everything.
    Summarizing,
}

/// How a sliding window finds its first message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlidingRule {
    /// The first user message inside the window; failing that, the first tool call with its result.
    /// Failing both, everything stays.
    #[default]
    Strands,
    /// Whole groups (a call with its results and their documents) are dropped from the oldest on until
    /// the rest fits; documents do not count.
    Camunda {
        /// Whether a system message takes one of the places.
        system: bool,
    },
}

/// How many of the newest messages a policy keeps, as far as it can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// So many, whatever the older messages are.
    Exactly(usize),
    /// Older messages are needed to tell, but it will not be fewer than these.
    AtLeast(usize),
}

/// What a rule needs to know of a message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// What it is.
    pub(crate) kind: Kind,
    /// What it costs.
    pub(crate) tokens: u64,
}

/// A policy at work: it is shown the messages, newest first.
pub(crate) trait Rule: Debug + Send + Sync {
    /// Takes the next older message. A window that begins with it has `place` messages.
    fn push(&mut self, message: Seen, place: usize);

    /// How many messages stay, after `pushed` were shown; `older` says that there are more.
    fn kept(&self, pushed: usize, older: bool) -> Kept;

    /// How many messages stay, `pushed` being all there are.
    fn kept_of_all(&self, pushed: usize) -> usize;
}

impl Policy {
    /// The policy at work on a conversation, of which `follows` messages come after its summary (none:
    /// there is no summary).
    pub(crate) fn rule(self, follows: Option<u64>) -> Box<dyn Rule> {
        let follows = follows.map(|count| usize::try_from(count).unwrap_or(usize::MAX));
        match self {
            Self::None => Box::new(Everything { after: None }),
            Self::Summarizing => Box::new(Everything { after: follows }),
            Self::Sliding { size, rule } => match rule {
                SlidingRule::Strands => Box::new(Strands::new(size)),
                SlidingRule::Camunda { system } => Box::new(Fitting::messages(size, system)),
            },
            Self::Turns { count } => Box::new(LastTurns::new(count)),
            Self::Tokens { budget } => Box::new(Fitting::tokens(budget)),
        }
    }
}
