//! One call over the simulated network: a request that travels on its own, and an answer that may not.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use conversation::ports::{
    Commit, CommitOutcome, ContextError, ContextItems, EventId, EventLogError, HeadLookup,
    NewEvent, Page, PageToken,
};
use conversation::{Conversation, KeyHash};

use super::World;
use crate::operation::OpId;

/// What was asked.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    Page {
        branch: Option<String>,
        token: Option<PageToken>,
    },
    Create(Box<NewEvent>),
    Delete(EventId),
    Items,
    Head {
        branch: Option<String>,
        key: Option<KeyHash>,
        now_s: i64,
    },
    Commit {
        branch: Option<String>,
        commit: Box<Commit>,
    },
}

/// What came back.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Page(Result<Page, EventLogError>),
    Create(Result<EventId, EventLogError>),
    Delete(Result<(), EventLogError>),
    Items(Result<ContextItems, ContextError>),
    Head(Result<Box<HeadLookup>, ContextError>),
    Commit(Result<CommitOutcome, ContextError>),
}

/// What goes wrong with a call without an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    Throttled,
    Unavailable,
    AccessDenied,
}

/// A call under way.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) client: usize,
    pub(crate) op: OpId,
    pub(crate) conversation: Conversation,
    pub(crate) request: Request,
    pub(crate) stage: Stage,
    /// It does not land before this time.
    pub(crate) not_before_ms: i64,
    /// Nobody waits for the answer any more.
    pub(crate) abandoned: bool,
    waker: Option<Waker>,
}

/// How far a call has come.
#[derive(Debug)]
pub(crate) enum Stage {
    /// The request travels.
    Sent,
    /// It took effect (or was refused); the answer travels.
    Landed(Answer),
    /// The answer is there.
    Delivered(Answer),
}

impl Request {
    /// The answer to it that says only that something went wrong.
    pub(crate) fn refused(&self, refusal: Refusal) -> Answer {
        let log = || match refusal {
            Refusal::Throttled => EventLogError::Throttled,
            Refusal::Unavailable => EventLogError::Unavailable {
                detail: "simulated".to_owned(),
            },
            Refusal::AccessDenied => EventLogError::AccessDenied,
        };
        let context = || match refusal {
            Refusal::Throttled => ContextError::Throttled,
            Refusal::Unavailable => ContextError::Unavailable {
                detail: "simulated".to_owned(),
            },
            Refusal::AccessDenied => ContextError::AccessDenied,
        };
        match self {
            Self::Page { .. } => Answer::Page(Err(log())),
            Self::Create(_) => Answer::Create(Err(log())),
            Self::Delete(_) => Answer::Delete(Err(log())),
            Self::Items => Answer::Items(Err(context())),
            Self::Head { .. } => Answer::Head(Err(context())),
            Self::Commit { .. } => Answer::Commit(Err(context())),
        }
    }

    /// A word for the trace.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Page { .. } => "page",
            Self::Create(_) => "create",
            Self::Delete(_) => "delete",
            Self::Items => "items",
            Self::Head { .. } => "head",
            Self::Commit { .. } => "commit",
        }
    }

    /// Whether it changes anything.
    pub(crate) fn writes(&self) -> bool {
        matches!(
            self,
            Self::Create(_) | Self::Delete(_) | Self::Commit { .. }
        )
    }
}

impl Call {
    pub(crate) fn new(
        client: usize,
        op: OpId,
        conversation: Conversation,
        request: Request,
    ) -> Self {
        Self {
            client,
            op,
            conversation,
            request,
            stage: Stage::Sent,
            not_before_ms: i64::MIN,
            abandoned: false,
            waker: None,
        }
    }

    /// Hands the answer to whoever waits.
    pub(crate) fn deliver(&mut self, answer: Answer) {
        self.stage = Stage::Delivered(answer);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

/// Waits for a call's answer. Dropping it is what a crash or a given-up call looks like: the request
/// travels on.
pub(crate) struct Answering {
    world: Arc<World>,
    id: u64,
}

impl Answering {
    pub(crate) fn new(world: Arc<World>, id: u64) -> Self {
        Self { world, id }
    }
}

impl Future for Answering {
    type Output = Answer;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        let mut state = self.world.state();
        let Some(call) = state.calls.get_mut(&self.id) else {
            panic!("an answer was taken twice");
        };
        if let Stage::Delivered(answer) = &call.stage {
            let answer = answer.clone();
            state.calls.remove(&self.id);
            return Poll::Ready(answer);
        }
        call.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let mut state = self.world.state();
        if let Some(call) = state.calls.get_mut(&self.id) {
            if matches!(call.stage, Stage::Sent) {
                call.abandoned = true;
                call.waker = None;
            } else {
                state.calls.remove(&self.id);
            }
        }
    }
}
