//! The summariser where there is no model.

use crate::ports::{Step, Summarizer, SummarizerError, Written};

/// A model's token is about four characters of prose.
const CHARS_A_TOKEN: usize = 4;

/// Picks the sentences that say most, the same ones each time. Its records name it in place of a model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extractive;

impl Summarizer for Extractive {
    async fn summarize(&self, step: &Step<'_>) -> Result<Written, SummarizerError> {
        let most_tokens = usize::try_from(step.max_tokens).unwrap_or(usize::MAX);
        let most_chars = most_tokens.saturating_mul(CHARS_A_TOKEN);
        Ok(Written {
            text: summary::extract(step.lines, step.earlier, most_chars),
            model: summary::EXTRACTIVE_MODEL.to_owned(),
            input_tokens: 0,
            output_tokens: 0,
        })
    }
}
