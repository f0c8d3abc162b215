//! The memory ports with a call log, latency and faults.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use codec::model::Message;

use crate::answer;
use crate::error::Error;
use crate::id::{Conversation, KeyHash};
use crate::load::{LoadRequest, Loaded, load};
use crate::memory::{ClientTokens, MemoryContext, MemoryLog, SeededEntropy, VirtualClock, run};
use crate::ports::{
    Clock, Commit, CommitOutcome, ContextError, ContextItems, ContextReader, ContextWriter,
    EventId, EventLogError, EventReader, EventWriter, HeadLookup, NewEvent, Page, PageToken, Step,
    Summarizer, SummarizerError, SummaryOutcome, SummaryWrite, SummaryWriter, Written,
};
use crate::settings::{Ports, Settings};
use crate::store::{StoreRequest, Stored, store};
use crate::summarize::{SummarizeRequest, Summarized, Summarizers, summarize};

pub(crate) const START_MS: i64 = 1_790_000_000_000;
pub(crate) const TIME: Duration = Duration::from_mins(1);

/// A call to a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Call {
    Page,
    Create,
    Delete,
    Items,
    Head,
    Commit,
    PutSummary,
    Model,
}

/// What goes wrong with a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The effect happens, the answer is lost.
    Lost,
    /// Nothing happens, and nobody can tell.
    Failed,
    Throttled,
    /// Another write is under way.
    Crowded,
    Denied,
    Missing,
    Quota,
    Refused,
    TooLarge,
    Corrupt,
    /// No answer ever comes.
    Hangs,
    /// It works, but takes so many milliseconds more.
    Slow(u64),
}

/// Everything a test needs, on one virtual clock.
pub(crate) struct World {
    pub(crate) ports: Ports<
        Observed<MemoryLog<VirtualClock>>,
        Observed<MemoryContext>,
        VirtualClock,
        SeededEntropy,
    >,
    /// The model, which answers with the numbers of what it was given.
    pub(crate) model: Observed<Mutex<Vec<String>>>,
    pub(crate) clock: VirtualClock,
    pub(crate) settings: Settings,
    pub(crate) conversation: Conversation,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(ClientTokens::Honoured)
    }

    pub(crate) fn with(tokens: ClientTokens) -> Self {
        let settings = Settings::default();
        let clock = VirtualClock::starting_at(START_MS);
        let log = MemoryLog::new(clock.clone(), settings.retention, tokens);
        Self {
            ports: Ports {
                events: Observed::new(log, &clock),
                context: Observed::new(MemoryContext::new(), &clock),
                clock: clock.clone(),
                entropy: SeededEntropy::new(7),
            },
            model: Observed::new(Mutex::default(), &clock),
            clock,
            settings,
            conversation: Conversation {
                memory: "memory-0123456789".to_owned(),
                actor: "ada".to_owned(),
                session: "s".to_owned(),
            },
        }
    }

    pub(crate) fn log(&self) -> &MemoryLog<VirtualClock> {
        &self.ports.events.inner
    }

    pub(crate) fn store(&self, request: StoreRequest) -> Result<Stored, Error> {
        run(&self.clock, store(&self.ports, &self.settings, request)).unwrap()
    }

    pub(crate) fn load(&self, request: LoadRequest) -> Result<Loaded, Error> {
        run(&self.clock, load(&self.ports, &self.settings, request)).unwrap()
    }

    /// Appends messages without a token.
    pub(crate) fn say(&self, messages: &[Message]) -> Stored {
        self.store(append(self, messages)).unwrap()
    }

    /// Summarises with the model alone, then where it fails for good with those after it.
    pub(crate) fn summarize(&self, request: SummarizeRequest) -> Result<Summarized, Error> {
        self.summarize_with(&Summarizers::new(vec![&self.model]), request)
    }

    pub(crate) fn summarize_with<S: Summarizer>(
        &self,
        summarizers: &Summarizers<S>,
        request: SummarizeRequest,
    ) -> Result<Summarized, Error> {
        let call = summarize(&self.ports, &self.settings, summarizers, request);
        run(&self.clock, call).unwrap()
    }

    /// All messages.
    pub(crate) fn all(&self) -> Loaded {
        self.load(everything(self)).unwrap()
    }

    /// Does something and tells the calls it made and the ticks it took.
    pub(crate) fn observe<T>(&self, action: impl FnOnce() -> T) -> (T, HashMap<Call, u32>, u64) {
        self.ports.events.calls.lock().unwrap().clear();
        self.ports.context.calls.lock().unwrap().clear();
        self.model.calls.lock().unwrap().clear();
        let before = self.clock.monotonic_ms();
        let outcome = action();
        let ticks = self.clock.monotonic_ms() - before;
        let mut calls = self.ports.events.calls.lock().unwrap().clone();
        calls.extend(self.ports.context.calls.lock().unwrap().clone());
        calls.extend(self.model.calls.lock().unwrap().clone());
        (outcome, calls, ticks)
    }

    /// The next calls of this kind go wrong, in this order; `None` is one that does not.
    pub(crate) fn fail(&self, call: Call, faults: impl IntoIterator<Item = Option<Fault>>) {
        let faults: Vec<_> = faults.into_iter().collect();
        let plan = match call {
            Call::Page | Call::Create | Call::Delete => &self.ports.events.faults,
            Call::Items | Call::Head | Call::Commit | Call::PutSummary => {
                &self.ports.context.faults
            }
            Call::Model => &self.model.faults,
        };
        plan.lock().unwrap().insert(call, faults);
    }

    /// From now on the log refuses a create that meets another one.
    pub(crate) fn one_create_at_a_time(&self) {
        self.ports.events.exclusive.store(true, Ordering::Relaxed);
    }

    pub(crate) fn answer_context(&self, count: u64) -> answer::Context {
        answer::Context {
            conversation: self.conversation.clone(),
            stored_message_count: count,
            system: None,
            states: std::collections::BTreeMap::default(),
            summary: None,
        }
    }
}

/// A request to append these messages.
pub(crate) fn append(world: &World, messages: &[Message]) -> StoreRequest {
    StoreRequest::append(world.conversation.clone(), messages.to_vec(), TIME)
}

/// A request for all messages.
pub(crate) fn everything(world: &World) -> LoadRequest {
    LoadRequest::all(world.conversation.clone(), TIME)
}

/// A port whose calls take one tick, are counted, and may go wrong.
pub(crate) struct Observed<P> {
    pub(crate) inner: P,
    clock: VirtualClock,
    calls: Mutex<HashMap<Call, u32>>,
    faults: Mutex<HashMap<Call, Vec<Option<Fault>>>>,
    /// Whether a create that meets another one is refused.
    exclusive: AtomicBool,
    /// Creates under way.
    creating: AtomicU32,
}

impl<P> Observed<P> {
    fn new(inner: P, clock: &VirtualClock) -> Self {
        Self {
            inner,
            clock: clock.clone(),
            calls: Mutex::default(),
            faults: Mutex::default(),
            exclusive: AtomicBool::default(),
            creating: AtomicU32::default(),
        }
    }

    fn next_fault(&self, call: Call) -> Option<Fault> {
        let mut faults = self.faults.lock().unwrap();
        let plan = faults.get_mut(&call).filter(|plan| !plan.is_empty())?;
        plan.remove(0)
    }

    async fn tick(&self, call: Call) -> Option<Fault> {
        *self.calls.lock().unwrap().entry(call).or_default() += 1;
        self.clock.sleep(Duration::from_millis(1)).await;
        let fault = self.next_fault(call);
        if let Some(Fault::Slow(ms)) = fault {
            self.clock.sleep(Duration::from_millis(ms)).await;
            return None;
        }
        if fault == Some(Fault::Hangs) {
            self.clock.sleep(Duration::MAX).await;
        }
        fault
    }
}

fn log_error(fault: &Fault) -> EventLogError {
    let detail = "on order".to_owned();
    match fault {
        Fault::Lost | Fault::Failed | Fault::Corrupt | Fault::Hangs | Fault::Slow(_) => {
            EventLogError::Unavailable { detail }
        }
        Fault::Throttled => EventLogError::Throttled,
        Fault::Crowded => EventLogError::Conflict,
        Fault::Denied => EventLogError::AccessDenied,
        Fault::Missing => EventLogError::NotFound,
        Fault::Quota => EventLogError::QuotaExceeded,
        Fault::Refused => EventLogError::Invalid { detail },
        Fault::TooLarge => EventLogError::TooLarge,
    }
}

fn context_error(fault: &Fault) -> ContextError {
    let detail = "on order".to_owned();
    let item = "head".to_owned();
    match fault {
        Fault::Lost
        | Fault::Failed
        | Fault::Quota
        | Fault::Refused
        | Fault::Hangs
        | Fault::Crowded
        | Fault::Slow(_) => ContextError::Unavailable { detail },
        Fault::Throttled => ContextError::Throttled,
        Fault::Denied => ContextError::AccessDenied,
        Fault::Missing => ContextError::NotFound,
        Fault::TooLarge => ContextError::TooLarge {
            item,
            size_bytes: 2,
            limit_bytes: 1,
        },
        Fault::Corrupt => ContextError::Corrupt { item, detail },
    }
}

impl<P: EventReader> EventReader for Observed<P> {
    async fn page(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        token: Option<PageToken>,
    ) -> Result<Page, EventLogError> {
        match self.tick(Call::Page).await {
            Some(fault) => Err(log_error(&fault)),
            None => self.inner.page(conversation, branch, token).await,
        }
    }
}

impl<P: EventWriter> EventWriter for Observed<P> {
    async fn create(
        &self,
        conversation: &Conversation,
        event: &NewEvent,
    ) -> Result<EventId, EventLogError> {
        let others = self.creating.fetch_add(1, Ordering::Relaxed);
        let fault = self.tick(Call::Create).await;
        self.creating.fetch_sub(1, Ordering::Relaxed);
        if others > 0 && self.exclusive.load(Ordering::Relaxed) {
            return Err(EventLogError::Conflict);
        }
        match fault {
            Some(fault) => {
                if fault == Fault::Lost {
                    self.inner.create(conversation, event).await?;
                }
                Err(log_error(&fault))
            }
            None => self.inner.create(conversation, event).await,
        }
    }

    async fn delete(
        &self,
        conversation: &Conversation,
        event: &EventId,
    ) -> Result<(), EventLogError> {
        match self.tick(Call::Delete).await {
            Some(fault) => Err(log_error(&fault)),
            None => self.inner.delete(conversation, event).await,
        }
    }
}

impl<P: ContextReader> ContextReader for Observed<P> {
    async fn items(&self, conversation: &Conversation) -> Result<ContextItems, ContextError> {
        match self.tick(Call::Items).await {
            Some(fault) => Err(context_error(&fault)),
            None => self.inner.items(conversation).await,
        }
    }

    async fn head(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        key: Option<&KeyHash>,
        now_s: i64,
    ) -> Result<HeadLookup, ContextError> {
        match self.tick(Call::Head).await {
            Some(fault) => Err(context_error(&fault)),
            None => self.inner.head(conversation, branch, key, now_s).await,
        }
    }
}

impl<P: SummaryWriter> SummaryWriter for Observed<P> {
    async fn put_summary(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        write: &SummaryWrite,
    ) -> Result<SummaryOutcome, ContextError> {
        match self.tick(Call::PutSummary).await {
            Some(fault) => {
                if fault == Fault::Lost {
                    self.inner.put_summary(conversation, branch, write).await?;
                }
                Err(context_error(&fault))
            }
            None => self.inner.put_summary(conversation, branch, write).await,
        }
    }
}

/// A model that keeps what it was asked, and says how much that was.
impl Summarizer for &Observed<Mutex<Vec<String>>> {
    async fn summarize(&self, step: &Step<'_>) -> Result<Written, SummarizerError> {
        let fault = self.tick(Call::Model).await;
        let request = step.user();
        let number = {
            let mut asked = self.inner.lock().unwrap();
            asked.push(request.clone());
            asked.len()
        };
        let written = Written {
            text: format!("summary {number} of {} lines", request.lines().count() - 2),
            model: "model".to_owned(),
            input_tokens: 100,
            output_tokens: 10,
        };
        match fault {
            None => Ok(written),
            Some(Fault::Throttled) => Err(SummarizerError::Throttled),
            Some(Fault::Denied) => Err(SummarizerError::AccessDenied),
            Some(Fault::Missing) => Err(SummarizerError::NotFound),
            Some(Fault::Refused) => Err(SummarizerError::Refused),
            Some(Fault::TooLarge) => Err(SummarizerError::TooLong),
            Some(Fault::Lost) => Err(SummarizerError::TimedOut),
            Some(Fault::Corrupt) => Err(SummarizerError::CutOff),
            // A model may well answer with nothing.
            Some(Fault::Quota) => Ok(Written {
                text: " \n".to_owned(),
                ..written
            }),
            Some(Fault::Failed | Fault::Crowded | Fault::Hangs | Fault::Slow(_)) => {
                let detail = "on order".to_owned();
                Err(SummarizerError::Unavailable { detail })
            }
        }
    }
}

impl<P: ContextWriter> ContextWriter for Observed<P> {
    async fn commit(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        commit: &Commit,
    ) -> Result<CommitOutcome, ContextError> {
        match self.tick(Call::Commit).await {
            Some(fault) => {
                if fault == Fault::Lost {
                    self.inner.commit(conversation, branch, commit).await?;
                }
                Err(context_error(&fault))
            }
            None => self.inner.commit(conversation, branch, commit).await,
        }
    }
}
