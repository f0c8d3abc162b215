//! What a summarize takes and gives.

use std::time::Duration;

use summary::{Budget, Ratio, Redactor};

use crate::answer::Context;
use crate::id::Conversation;

/// The most tokens a summary has unless told otherwise.
pub const SUMMARY_TOKENS: u32 = 2_048;

/// The most tokens, by estimate, that a model is given to read at once unless told otherwise.
pub const STEP_TOKENS: u64 = Budget::DEFAULT.step_tokens;

/// A conversation whose oldest messages are to be summarised.
#[derive(Clone, Debug, PartialEq)]
pub struct SummarizeRequest {
    /// Which one.
    pub conversation: Conversation,
    /// Which branch; none is the main line.
    pub branch: Option<String>,
    /// Why.
    pub reason: SummarizeReason,
    /// The part of the messages to summarise.
    pub ratio: Ratio,
    /// How many of the newest messages stay as they are; none leaves it to the reason.
    pub preserve_recent: Option<usize>,
    /// The most tokens the summary and what follows it should have, by estimate; ever more is summarised
    /// until it fits. None leaves it to the reason.
    pub target_tokens: Option<u64>,
    /// The time there is.
    pub deadline: Duration,
}

/// Why a conversation is summarised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SummarizeReason {
    /// Somebody wants it: the part asked for, the ten newest messages stay.
    #[default]
    Request,
    /// The conversation is too long for a model: as much as it takes to get down to half of the context
    /// window, the newest message stays.
    Overflow,
}

/// Who summarises, and how.
#[derive(Clone, Debug)]
pub struct Summarizers<S> {
    /// The summarisers: each is asked where the one before it failed for good.
    pub models: Vec<S>,
    /// The most tokens a summary may have.
    pub max_tokens: u32,
    /// How much of a conversation a model gets to read at once.
    pub budget: Budget,
    /// What takes personal data out before a model sees the text.
    pub redactor: Option<Redactor>,
}

/// The answer to a summarize.
#[derive(Clone, Debug, PartialEq)]
pub struct Summarized {
    /// The context, with the summary there is now; none where there never was anything to summarise.
    pub context: Context,
    /// How many messages it stands for that nothing stood for before. 0 where there was nothing to
    /// summarise, which is no error: the summary is what it was.
    pub summarized: u64,
    /// The token of the head, as a load gives it.
    pub head: Option<String>,
}

impl SummarizeRequest {
    /// A request to summarise the main line, as much of it as is usual.
    #[must_use]
    pub fn new(conversation: Conversation, deadline: Duration) -> Self {
        Self {
            conversation,
            branch: None,
            reason: SummarizeReason::Request,
            ratio: Ratio::DEFAULT,
            preserve_recent: None,
            target_tokens: None,
            deadline,
        }
    }
}

impl<S> Summarizers<S> {
    /// These, with the usual limits and nothing redacted.
    #[must_use]
    pub fn new(models: Vec<S>) -> Self {
        Self {
            models,
            max_tokens: SUMMARY_TOKENS,
            budget: Budget::default(),
            redactor: None,
        }
    }

    /// The same, with `step_tokens` for a model to read at once.
    #[must_use]
    pub fn reading(mut self, step_tokens: u64) -> Self {
        self.budget.step_tokens = step_tokens;
        self
    }
}
