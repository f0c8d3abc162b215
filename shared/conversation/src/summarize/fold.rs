//! The summary, written step by step, by whoever is able to.

use std::time::Duration;

use sha2::{Digest, Sha256};
use summary::{Line, next_step};

use super::request::Summarizers;
use crate::deadline::Deadline;
use crate::error::Error;
use crate::ports::{Clock, Entropy, Step, Summarizer, SummarizerError, Written};
use crate::retry::{Retry, Transient};

/// How often the calls to one model may be repeated altogether. Each costs money and seconds.
const RETRIES: u32 = 4;
/// How much smaller the steps become where one was more than the model takes.
const SMALLER: u64 = 4;

/// What the models are to read, and how long they may take.
pub(super) struct Folding<'a, K, R, S> {
    pub(super) clock: &'a K,
    pub(super) entropy: &'a R,
    pub(super) deadline: Deadline,
    pub(super) summarizers: &'a Summarizers<S>,
}

/// A finished summary and what was read for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Folded {
    /// The summary; its tokens are those of all steps.
    pub(super) written: Written,
    /// Hash of all that was read.
    pub(super) input_hash: [u8; 32],
}

impl<K: Clock, R: Entropy, S: Summarizer> Folding<'_, K, R, S> {
    /// Summarises the lines, and the earlier summary with them.
    pub(super) async fn fold(
        &self,
        earlier: Option<&str>,
        lines: &[Line],
    ) -> Result<Folded, Error> {
        let mut hash = Sha256::new_with_prefix("colloquy/summary-input/1");
        hash.update(summary::user_prompt(earlier, lines));
        let mut step_tokens = self.summarizers.budget.step_tokens;
        let mut shrunk = false;
        let mut earlier = earlier.map(str::to_owned);
        let mut rest = lines;
        let mut sum = None;
        // A model that failed for good is not asked again.
        let mut models = self.summarizers.models.as_slice();
        while !rest.is_empty() {
            let (step, after) = next_step(rest, step_tokens);
            match self.step(&mut models, earlier.as_deref(), step).await {
                Err(Error::Model(SummarizerError::TooLong)) if !shrunk => {
                    shrunk = true;
                    step_tokens /= SMALLER;
                    models = self.summarizers.models.as_slice();
                }
                Err(error) => return Err(error),
                Ok(written) => {
                    earlier = Some(written.text.clone());
                    sum = Some(add(sum, written));
                    rest = after;
                }
            }
        }
        let written = sum.ok_or(Error::Model(SummarizerError::Empty))?;
        Ok(Folded {
            written,
            input_hash: hash.finalize().into(),
        })
    }

    /// One step, by the first of the models that is able to; those before it are left behind.
    async fn step(
        &self,
        models: &mut &[S],
        earlier: Option<&str>,
        lines: &[Line],
    ) -> Result<Written, Error> {
        let mut last = Error::Model(SummarizerError::NotFound);
        while let [model, others @ ..] = *models {
            // A model that hangs must leave time for the one after it.
            let shares = u32::try_from(models.len()).unwrap_or(u32::MAX);
            let share = self.deadline.remaining(self.clock) / shares;
            match self.ask(model, earlier, lines, share).await {
                Ok(written) => return Ok(written),
                Err(error) => last = error,
            }
            *models = others;
        }
        Err(last)
    }

    async fn ask(
        &self,
        model: &S,
        earlier: Option<&str>,
        lines: &[Line],
        share: Duration,
    ) -> Result<Written, Error> {
        let deadline = Deadline::after(self.clock, share);
        let retry = Retry::new(self.clock, self.entropy, deadline, RETRIES);
        let written = retry
            .run(|| async {
                let step = Step {
                    earlier,
                    lines,
                    max_tokens: self.summarizers.max_tokens,
                    time: deadline.remaining(self.clock),
                };
                model.summarize(&step).await
            })
            .await?;
        if written.text.trim().is_empty() {
            return Err(Error::Model(SummarizerError::Empty));
        }
        Ok(written)
    }
}

/// The later text, and the tokens of both.
fn add(sum: Option<Written>, next: Written) -> Written {
    let (input, output) = sum.map_or((0, 0), |sum| (sum.input_tokens, sum.output_tokens));
    Written {
        input_tokens: next.input_tokens.saturating_add(input),
        output_tokens: next.output_tokens.saturating_add(output),
        ..next
    }
}

impl Transient for SummarizerError {
    fn is_transient(&self) -> bool {
        match self {
            Self::Throttled | Self::TimedOut | Self::Unavailable { .. } => true,
            Self::Refused
            | Self::CutOff
            | Self::Empty
            | Self::TooLong
            | Self::AccessDenied
            | Self::NotFound
            | Self::Invalid { .. } => false,
        }
    }
}
