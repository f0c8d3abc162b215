//! The ports of one operation of one client, all leading into the simulated world.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use conversation::ports::{
    Clock, Commit, CommitOutcome, ContextError, ContextItems, ContextReader, ContextWriter,
    Entropy, EventId, EventLogError, EventReader, EventWriter, HeadLookup, NewEvent, Page,
    PageToken,
};
use conversation::{Conversation, KeyHash};

use super::call::{Answer, Answering, Call, Request};
use super::{EPOCH_MS, World};
use crate::operation::OpId;
use crate::random::Random;

/// Every port at once, as one client sees them.
#[derive(Clone)]
pub(crate) struct Port {
    world: Arc<World>,
    client: usize,
    op: OpId,
    /// How far this client's clock is off.
    skew_ms: i64,
    random: Arc<Mutex<Random>>,
}

impl Port {
    pub(crate) fn new(
        world: Arc<World>,
        client: usize,
        op: OpId,
        skew_ms: i64,
        random: Random,
    ) -> Self {
        Self {
            world,
            client,
            op,
            skew_ms,
            random: Arc::new(Mutex::new(random)),
        }
    }

    async fn call(&self, conversation: &Conversation, request: Request) -> Answer {
        let call = Call::new(self.client, self.op, conversation.clone(), request);
        let id = self.world.state().submit(call);
        Answering::new(self.world.clone(), id).await
    }
}

impl EventReader for Port {
    async fn page(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        token: Option<PageToken>,
    ) -> Result<Page, EventLogError> {
        let branch = branch.map(str::to_owned);
        match self
            .call(conversation, Request::Page { branch, token })
            .await
        {
            Answer::Page(answer) => answer,
            other => unreachable!("{other:?}"),
        }
    }
}

impl EventWriter for Port {
    async fn create(
        &self,
        conversation: &Conversation,
        event: &NewEvent,
    ) -> Result<EventId, EventLogError> {
        let request = Request::Create(Box::new(event.clone()));
        match self.call(conversation, request).await {
            Answer::Create(answer) => answer,
            other => unreachable!("{other:?}"),
        }
    }

    async fn delete(
        &self,
        conversation: &Conversation,
        event: &EventId,
    ) -> Result<(), EventLogError> {
        match self
            .call(conversation, Request::Delete(event.clone()))
            .await
        {
            Answer::Delete(answer) => answer,
            other => unreachable!("{other:?}"),
        }
    }
}

impl ContextReader for Port {
    async fn items(&self, conversation: &Conversation) -> Result<ContextItems, ContextError> {
        match self.call(conversation, Request::Items).await {
            Answer::Items(answer) => answer,
            other => unreachable!("{other:?}"),
        }
    }

    async fn head(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        key: Option<&KeyHash>,
        now_s: i64,
    ) -> Result<HeadLookup, ContextError> {
        let request = Request::Head {
            branch: branch.map(str::to_owned),
            key: key.copied(),
            now_s,
        };
        match self.call(conversation, request).await {
            Answer::Head(answer) => answer.map(|found| *found),
            other => unreachable!("{other:?}"),
        }
    }
}

impl ContextWriter for Port {
    async fn commit(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        commit: &Commit,
    ) -> Result<CommitOutcome, ContextError> {
        let request = Request::Commit {
            branch: branch.map(str::to_owned),
            commit: Box::new(commit.clone()),
        };
        match self.call(conversation, request).await {
            Answer::Commit(answer) => answer,
            other => unreachable!("{other:?}"),
        }
    }
}

impl Clock for Port {
    fn now_ms(&self) -> i64 {
        self.world.state().now_ms + self.skew_ms
    }

    fn monotonic_ms(&self) -> u64 {
        self.world.state().now_ms.abs_diff(EPOCH_MS)
    }

    async fn sleep(&self, duration: Duration) {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX / 4);
        let id = {
            let mut state = self.world.state();
            let at = state.now_ms.saturating_add(millis.max(1));
            state.set_timer(self.client, at)
        };
        Sleeping {
            world: self.world.clone(),
            id,
        }
        .await;
    }
}

impl Entropy for Port {
    fn next_u64(&self) -> u64 {
        self.random.lock().unwrap().bits()
    }
}

/// A timer of virtual time.
#[derive(Debug)]
pub(crate) struct Timer {
    pub(crate) client: usize,
    pub(crate) at_ms: i64,
    pub(crate) waker: Option<Waker>,
}

struct Sleeping {
    world: Arc<World>,
    id: u64,
}

impl Future for Sleeping {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.world.state();
        match state.timers.get_mut(&self.id) {
            // A fired timer is removed.
            None => Poll::Ready(()),
            Some(timer) => {
                timer.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Sleeping {
    fn drop(&mut self) {
        self.world.state().timers.remove(&self.id);
    }
}
