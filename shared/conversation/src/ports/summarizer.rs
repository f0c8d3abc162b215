//! Who writes summaries: a model, or what stands in for one.

use std::future::Future;
use std::time::Duration;

use summary::Line;
use thiserror::Error;

/// Writes summaries.
pub trait Summarizer: Send + Sync {
    /// Summarises one step of a transcript: one call, no retries.
    fn summarize(
        &self,
        step: &Step<'_>,
    ) -> impl Future<Output = Result<Written, SummarizerError>> + Send;
}

/// One step of a transcript to be summarised.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The summary of what came before.
    pub earlier: Option<&'a str>,
    /// What was said since.
    pub lines: &'a [Line],
    /// The most tokens the summary may have.
    pub max_tokens: u32,
    /// The time there is.
    pub time: Duration,
}

impl Step<'_> {
    /// The instructions to a model. Nothing of a conversation is in them.
    #[must_use]
    pub fn system(&self) -> &'static str {
        summary::SYSTEM_PROMPT
    }

    /// The message to a model: all that was said, as quoted data.
    #[must_use]
    pub fn user(&self) -> String {
        summary::user_prompt(self.earlier, self.lines)
    }
}

/// A summary as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The summary.
    pub text: String,
    /// Who wrote it.
    pub model: String,
    /// Tokens the model read.
    pub input_tokens: u64,
    /// Tokens it wrote.
    pub output_tokens: u64,
}

/// Why a summary was not written. No text here holds content.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SummarizerError {
    /// Too many calls.
    #[error("throttled")]
    Throttled,
    /// No answer in time.
    #[error("timed out")]
    TimedOut,
    /// The service failed, or is not ready yet.
    #[error("unavailable: {detail}")]
    Unavailable {
        /// What was seen, without content.
        detail: String,
    },
    /// The model, or a guardrail, refused.
    #[error("refused")]
    Refused,
    /// The summary was longer than it may be, and ends in the middle.
    #[error("cut off")]
    CutOff,
    /// There was an answer without text.
    #[error("empty answer")]
    Empty,
    /// There is more to read than the model takes at once.
    #[error("input too long")]
    TooLong,
    /// The caller's credentials may not use the model.
    #[error("access denied")]
    AccessDenied,
    /// The model does not exist.
    #[error("model not found")]
    NotFound,
    /// The service does not take the form of the request: a setting is wrong.
    #[error("invalid request: {detail}")]
    Invalid {
        /// The name of the error, without the service's own words.
        detail: String,
    },
}
