//! Summarize: the oldest messages condensed into a record that outlives them.

mod adopt;
mod extractive;
mod fold;
mod keep;
mod record;
mod request;
mod select;

use std::time::Duration;

use codec::Mode;
use codec::model::Message;
use window::estimate;

pub use extractive::Extractive;
pub use record::{SummaryId, SummaryRecord};
pub use request::{
    STEP_TOKENS, SUMMARY_TOKENS, SummarizeReason, SummarizeRequest, Summarized, Summarizers,
};

use self::adopt::adopt;
use self::fold::{Folded, Folding};
use self::keep::keep;
use self::select::{Room, covered_tokens, lost_tokens, select};
use crate::answer::Context;
use crate::deadline::Deadline;
use crate::error::{Cause, Error};
use crate::head::Head;
use crate::id::is_main_line;
use crate::load::{History, LoadRequest, history};
use crate::ports::{
    Clock, ContextReader, ContextWriter, Entropy, EventReader, Summarizer, SummaryWrite,
    SummaryWriter,
};
use crate::request_token::request_token;
use crate::retry::Retry;
use crate::settings::{Ports, Settings};
use crate::store::expires_at;
use crate::token::Token;

/// How often the calls to the stores may be repeated altogether.
const RETRIES: u32 = 20;
/// How often the conversation is read again after its head was made.
const MOST_READS: u32 = 3;
/// What is kept of the time for writing the summary down once it is there.
const RESERVE: Duration = Duration::from_secs(2);

/// Summarises the oldest messages of a conversation, and keeps the summary with its context. Nothing is
/// removed from the log.
///
/// Where there is nothing to summarise, or no conversation at all, that is an answer and no error.
///
/// # Errors
///
/// Whatever fails, the summary there was and all messages stay as they were. [`Error::Unavailable`] alone
/// leaves open whether the new summary was kept.
pub async fn summarize<E, C, K, R, S>(
    ports: &Ports<E, C, K, R>,
    settings: &Settings,
    summarizers: &Summarizers<S>,
    mut request: SummarizeRequest,
) -> Result<Summarized, Error>
where
    E: EventReader,
    C: ContextReader + ContextWriter + SummaryWriter,
    K: Clock,
    R: Entropy,
    S: Summarizer,
{
    request.branch = request.branch.filter(|name| !is_main_line(name));
    let deadline = Deadline::after(&ports.clock, request.deadline);
    let retry = Retry::new(&ports.clock, &ports.entropy, deadline, RETRIES);
    let summarizing = Summarizing {
        ports,
        settings,
        summarizers,
        retry: &retry,
        request: &request,
    };
    summarizing.run().await
}

/// One summarize under way.
struct Summarizing<'a, E, C, K, R, S> {
    ports: &'a Ports<E, C, K, R>,
    settings: &'a Settings,
    summarizers: &'a Summarizers<S>,
    retry: &'a Retry<'a, K, R>,
    request: &'a SummarizeRequest,
}

impl<E, C, K, R, S> Summarizing<'_, E, C, K, R, S>
where
    E: EventReader,
    C: ContextReader + ContextWriter + SummaryWriter,
    K: Clock,
    R: Entropy,
    S: Summarizer,
{
    async fn run(&self) -> Result<Summarized, Error> {
        let request = LoadRequest {
            conversation: self.request.conversation.clone(),
            branch: self.request.branch.clone(),
            // What is read is decided by the summary there is.
            window: Vec::new(),
            mode: Mode::Lenient,
            deadline: self.request.deadline,
        };
        for _ in 0..MOST_READS {
            let history = history(self.ports, self.settings, self.retry, &request).await?;
            let Some(count) = select(&history.messages, self.request, self.room(&history)) else {
                return Ok(self.unchanged(history));
            };
            let Some(head) = history.head.clone() else {
                let place = (&request.conversation, request.branch.as_deref());
                if let Some(root) = history.root {
                    adopt(&self.ports.context, self.settings, self.retry, place, root).await?;
                }
                continue;
            };
            return self.condense(history, head, count).await;
        }
        Err(Error::Unavailable(Cause::Contended(MOST_READS)))
    }

    /// Has the first `count` messages summarised, and keeps the summary.
    async fn condense(
        &self,
        history: History,
        head: Head,
        count: usize,
    ) -> Result<Summarized, Error> {
        let covered = history.messages.get(..count).unwrap_or_default();
        let redactor = self.summarizers.redactor.as_ref();
        let lines = summary::transcript(covered, &self.summarizers.budget, redactor);
        if lines.is_empty() {
            // Nobody said a word in them.
            return Ok(self.unchanged(history));
        }
        let branch = self.request.branch.as_deref();
        let previous = history.items.summary(branch);
        let earlier = previous.map(|previous| match redactor {
            Some(redactor) => redactor.redact(&previous.text),
            None => previous.text.clone(),
        });
        let folded = self.folding().fold(earlier.as_deref(), &lines).await?;
        let Some(record) = self.record(&history, count, folded) else {
            return Ok(self.unchanged(history));
        };
        let now_s = self.retry.clock.now_ms() / 1000;
        let write = SummaryWrite {
            replaces: history
                .items
                .summaries
                .get(branch.unwrap_or_default())
                .map(|summary| summary.id),
            expires_at: expires_at(self.settings, now_s),
            request_token: request_token(&[&record.id.0], self.retry.entropy.next_u64()),
            record,
        };
        let conversation = &self.request.conversation;
        let context = &self.ports.context;
        let kept = keep(context, self.retry, conversation, branch, write).await?;
        let head = Head {
            summarized: kept.covered_tokens,
            ..head
        };
        Ok(Summarized {
            head: Some(Token::head(branch, head).encode(conversation)),
            context: self.context(&history, Some(kept)),
            summarized: count as u64,
        })
    }

    fn folding(&self) -> Folding<'_, K, R, S> {
        let clock = self.retry.clock;
        let remaining = self.retry.deadline.remaining(clock);
        let share = remaining.saturating_sub(RESERVE.min(remaining / 5));
        Folding {
            clock,
            entropy: self.retry.entropy,
            deadline: Deadline::after(clock, share),
            summarizers: self.summarizers,
        }
    }

    fn record(&self, history: &History, count: usize, folded: Folded) -> Option<SummaryRecord> {
        let branch = self.request.branch.as_deref();
        let previous = history.items.summary(branch);
        let first = history.positions.first()?;
        let last = history.positions.get(count.checked_sub(1)?)?;
        let before = previous.map_or(0, |previous| previous.covered_tokens);
        let covered = covered_tokens(history.messages.get(..count)?);
        let is_gap = first.seq > previous.map_or(0, SummaryRecord::covered);
        let gone = if is_gap {
            lost_tokens(history, before)
        } else {
            0
        };
        let written = folded.written;
        let mut record = SummaryRecord {
            id: SummaryId([0; 32]),
            text: written.text.trim().to_owned(),
            first_seq: previous.map_or(first.seq, |previous| previous.first_seq),
            last_seq: last.seq,
            ends_at: last.turn,
            model: written.model,
            prompt_version: summary::PROMPT_VERSION,
            input_hash: folded.input_hash,
            input_tokens: written.input_tokens,
            output_tokens: written.output_tokens,
            // Never nothing: by this a head knows that it has a summary.
            covered_tokens: before.saturating_add(gone).saturating_add(covered).max(1),
            created_at_ms: self.retry.clock.now_ms(),
            previous: previous.map(|previous| previous.id),
        };
        record.id = record.id_in(&self.request.conversation, branch);
        Some(record)
    }

    fn room(&self, history: &History) -> Room {
        let system = history.items.system.as_ref();
        let system = system.map(|system| Message::System(system.message.clone()));
        Room {
            window: self.settings.context_window_tokens,
            summary: self.summarizers.max_tokens.into(),
            system: system.as_ref().map_or(0, estimate::message),
        }
    }

    /// The answer where there is nothing to summarise.
    fn unchanged(&self, history: History) -> Summarized {
        let branch = self.request.branch.as_deref();
        Summarized {
            context: self.context(&history, history.items.summary(branch).cloned()),
            summarized: 0,
            head: history.token,
        }
    }

    fn context(&self, history: &History, summary: Option<SummaryRecord>) -> Context {
        let items = &history.items;
        Context {
            summary,
            conversation: self.request.conversation.clone(),
            stored_message_count: history.count,
            system: items.system.as_ref().map(|system| system.message.clone()),
            states: items.states.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
