//! The policies: each says from which message on a conversation is seen.

mod sliding;
mod tokens;
mod turns;

use codec::model::Message;

use crate::facts::starts_turn;
use crate::history::History;

/// How much of a conversation a model sees. Policies combine: the tightest wins.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    Summarizing {
        /// Number of messages the summary covers; 0 where there is none.
        covered: u64,
    },
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

/// Where a policy lets the window start, as an index into the messages read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Here, whatever the unread messages are.
    At(usize),
    /// Older messages are needed to tell, or belong to the window.
    Before,
}

impl Policy {
    /// Where the window starts. A conversation that was read whole always has an answer.
    pub(crate) fn start(&self, history: &History<'_>) -> Start {
        let start = match self {
            Self::None => Start::Before,
            Self::Sliding { size, rule } => match rule {
                SlidingRule::Strands => sliding::strands(history, *size),
                SlidingRule::Camunda { system } => sliding::camunda(history, *size, *system),
            },
            Self::Turns { count } => turns::last(history, *count),
            Self::Tokens { budget } => tokens::fitting(history, *budget),
            Self::Summarizing { covered } => after(history, *covered),
        };
        match start {
            Start::Before if history.is_whole() => Start::At(0),
            start => start,
        }
    }
}

/// The first message the summary does not cover.
fn after(history: &History<'_>, covered: u64) -> Start {
    match covered.checked_sub(history.unread) {
        Some(index) => Start::At(
            usize::try_from(index)
                .unwrap_or(usize::MAX)
                .min(history.messages.len()),
        ),
        None => Start::Before,
    }
}

/// The oldest turn from which on the costs of all messages stay within `limit`, or else the newest
/// turn; nothing where the conversation was read whole and all of it fits, or nobody speaks in it.
fn longest_fitting(
    history: &History<'_>,
    limit: u64,
    cost: impl Fn(&Message) -> u64,
) -> Option<Start> {
    let mut sum: u64 = 0;
    let mut oldest_fitting = None;
    for (index, message) in history.messages.iter().enumerate().rev() {
        sum = sum.saturating_add(cost(message));
        if sum > limit && oldest_fitting.is_some() {
            return oldest_fitting.map(Start::At);
        }
        if starts_turn(message) {
            if sum > limit {
                return Some(Start::At(index));
            }
            oldest_fitting = Some(index);
        }
    }
    (!history.is_whole()).then_some(Start::Before)
}
