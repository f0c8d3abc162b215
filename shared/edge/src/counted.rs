//! Ports that count what one call asks of the services.

use std::sync::atomic::{AtomicU64, Ordering};

use conversation::Conversation;
use conversation::KeyHash;
use conversation::ports::{
    Commit, CommitOutcome, ContextError, ContextItems, ContextReader, ContextWriter, EventId,
    EventLogError, EventReader, EventWriter, HeadLookup, NewEvent, Page, PageToken, Step,
    Summarizer, SummarizerError, SummaryOutcome, SummaryWrite, SummaryWriter, Written,
};

/// What was asked of the services.
#[derive(Debug, Default)]
pub struct Counts {
    pages: AtomicU64,
    events_read: AtomicU64,
    events_written: AtomicU64,
    retries: AtomicU64,
    model_read: AtomicU64,
    model_wrote: AtomicU64,
}

/// A port that counts.
#[derive(Debug)]
pub struct Counted<'a, P> {
    port: &'a P,
    counts: &'a Counts,
}

impl Counts {
    /// A port whose calls are counted here.
    pub fn of<'a, P>(&'a self, port: &'a P) -> Counted<'a, P> {
        Counted { port, counts: self }
    }

    pub(crate) fn pages(&self) -> u64 {
        self.pages.load(Ordering::Relaxed)
    }

    pub(crate) fn events_read(&self) -> u64 {
        self.events_read.load(Ordering::Relaxed)
    }

    pub(crate) fn events_written(&self) -> u64 {
        self.events_written.load(Ordering::Relaxed)
    }

    /// Tokens models read and wrote, for summaries that were then kept or not.
    pub(crate) fn model_tokens(&self) -> (u64, u64) {
        (
            self.model_read.load(Ordering::Relaxed),
            self.model_wrote.load(Ordering::Relaxed),
        )
    }

    /// Calls that failed in a way that makes the domain repeat them.
    pub(crate) fn retries(&self) -> u64 {
        self.retries.load(Ordering::Relaxed)
    }

    fn add(counter: &AtomicU64, number: usize) {
        counter.fetch_add(u64::try_from(number).unwrap_or_default(), Ordering::Relaxed);
    }

    fn log_outcome<T>(&self, outcome: &Result<T, EventLogError>) {
        if matches!(
            outcome,
            Err(EventLogError::Throttled
                | EventLogError::Conflict
                | EventLogError::Unavailable { .. })
        ) {
            Self::add(&self.retries, 1);
        }
    }

    fn context_outcome<T>(&self, outcome: &Result<T, ContextError>) {
        if matches!(
            outcome,
            Err(ContextError::Throttled | ContextError::Unavailable { .. })
        ) {
            Self::add(&self.retries, 1);
        }
    }
}

impl<P: EventReader> EventReader for Counted<'_, P> {
    async fn page(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        token: Option<PageToken>,
    ) -> Result<Page, EventLogError> {
        let outcome = self.port.page(conversation, branch, token).await;
        self.counts.log_outcome(&outcome);
        if let Ok(page) = &outcome {
            Counts::add(&self.counts.pages, 1);
            Counts::add(&self.counts.events_read, page.events.len());
        }
        outcome
    }
}

impl<P: EventWriter> EventWriter for Counted<'_, P> {
    async fn create(
        &self,
        conversation: &Conversation,
        event: &NewEvent,
    ) -> Result<EventId, EventLogError> {
        let outcome = self.port.create(conversation, event).await;
        self.counts.log_outcome(&outcome);
        if outcome.is_ok() {
            Counts::add(&self.counts.events_written, 1);
        }
        outcome
    }

    async fn delete(
        &self,
        conversation: &Conversation,
        event: &EventId,
    ) -> Result<(), EventLogError> {
        let outcome = self.port.delete(conversation, event).await;
        self.counts.log_outcome(&outcome);
        outcome
    }
}

impl<P: ContextReader> ContextReader for Counted<'_, P> {
    async fn items(&self, conversation: &Conversation) -> Result<ContextItems, ContextError> {
        let outcome = self.port.items(conversation).await;
        self.counts.context_outcome(&outcome);
        outcome
    }

    async fn head(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        key: Option<&KeyHash>,
        now_s: i64,
    ) -> Result<HeadLookup, ContextError> {
        let outcome = self.port.head(conversation, branch, key, now_s).await;
        self.counts.context_outcome(&outcome);
        outcome
    }
}

impl<P: ContextWriter> ContextWriter for Counted<'_, P> {
    async fn commit(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        commit: &Commit,
    ) -> Result<CommitOutcome, ContextError> {
        let outcome = self.port.commit(conversation, branch, commit).await;
        self.counts.context_outcome(&outcome);
        outcome
    }
}

impl<P: SummaryWriter> SummaryWriter for Counted<'_, P> {
    async fn put_summary(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        write: &SummaryWrite,
    ) -> Result<SummaryOutcome, ContextError> {
        let outcome = self.port.put_summary(conversation, branch, write).await;
        self.counts.context_outcome(&outcome);
        outcome
    }
}

impl<P: Summarizer> Summarizer for Counted<'_, P> {
    async fn summarize(&self, step: &Step<'_>) -> Result<Written, SummarizerError> {
        let outcome = self.port.summarize(step).await;
        match &outcome {
            Ok(written) => {
                let (read, wrote) = (&self.counts.model_read, &self.counts.model_wrote);
                read.fetch_add(written.input_tokens, Ordering::Relaxed);
                wrote.fetch_add(written.output_tokens, Ordering::Relaxed);
            }
            Err(
                SummarizerError::Throttled
                | SummarizerError::TimedOut
                | SummarizerError::Unavailable { .. },
            ) => Counts::add(&self.counts.retries, 1),
            Err(_) => {}
        }
        outcome
    }
}
