//! An event log in memory.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::id::Conversation;
use crate::ports::{
    Clock, EventId, EventLogError, EventReader, EventWriter, NewEvent, Page, PageToken, StoredEvent,
};

const PAGE_SIZE: usize = 100;

/// Whether a repeated client token is recognised. The service's documentation does not settle it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClientTokens {
    /// The second event is not written, and the answer names the first.
    #[default]
    Honoured,
    /// Both are written.
    Ignored,
}

/// Events of any number of conversations, each kept for a time.
#[derive(Debug)]
pub struct MemoryLog<K> {
    clock: K,
    retention: Duration,
    tokens: ClientTokens,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    created: u64,
    sessions: HashMap<Conversation, BTreeMap<EventId, Kept>>,
    tokens: HashMap<(String, String), EventId>,
}

#[derive(Debug)]
struct Kept {
    event: StoredEvent,
    created_ms: i64,
}

impl<K: Clock> MemoryLog<K> {
    /// An empty log.
    pub fn new(clock: K, retention: Duration, tokens: ClientTokens) -> Self {
        Self {
            clock,
            retention,
            tokens,
            state: Mutex::default(),
        }
    }

    /// All events of a conversation, oldest first; expired ones too.
    pub fn events(&self, conversation: &Conversation) -> Vec<StoredEvent> {
        let state = self.lock();
        let session = state.sessions.get(conversation);
        session.map_or_else(Vec::new, |session| {
            session.values().map(|kept| kept.event.clone()).collect()
        })
    }

    /// Puts an event in the place of the one with its id: what no writer can do.
    pub fn tamper(&self, conversation: &Conversation, event: StoredEvent) {
        let mut state = self.lock();
        if let Some(kept) = state
            .sessions
            .get_mut(conversation)
            .and_then(|session| session.get_mut(&event.id))
        {
            kept.event = event;
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn list(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        token: Option<&PageToken>,
    ) -> Page {
        let retention = i64::try_from(self.retention.as_millis()).unwrap_or(i64::MAX);
        let oldest = self.clock.now_ms().saturating_sub(retention);
        let state = self.lock();
        let Some(session) = state.sessions.get(conversation) else {
            return Page::default();
        };
        let limits = branch.map(|branch| ancestry(session, branch));
        let mut scanned = session
            .iter()
            .rev()
            .filter(|(_, kept)| kept.created_ms > oldest)
            .filter(|(id, _)| token.is_none_or(|token| id.0 < token.0))
            .peekable();
        let mut events = Vec::new();
        let mut last = None;
        for (id, kept) in scanned.by_ref().take(PAGE_SIZE) {
            last = Some(PageToken(id.0.clone()));
            // Like the service, a page counts what was looked at, not what passed the filter.
            if limits
                .as_ref()
                .is_none_or(|limits| is_within(limits, &kept.event))
            {
                events.push(kept.event.clone());
            }
        }
        Page {
            events,
            next: last.filter(|_| scanned.peek().is_some()),
        }
    }

    fn append(
        &self,
        conversation: &Conversation,
        event: &NewEvent,
    ) -> Result<EventId, EventLogError> {
        let mut state = self.lock();
        let token = (conversation.memory.clone(), event.client_token.clone());
        if self.tokens == ClientTokens::Honoured
            && let Some(first) = state.tokens.get(&token)
        {
            return Ok(first.clone());
        }
        let branch = event.branch.clone().filter(|branch| branch.name != "main");
        state.created += 1;
        let id = event_id(event.timestamp_ms, state.created);
        let session = state.sessions.entry(conversation.clone()).or_default();
        if let Some(branch) = &branch {
            check_branch(session, branch.name.as_str(), branch.root.as_ref())?;
        }
        let kept = Kept {
            event: StoredEvent {
                id: id.clone(),
                timestamp_ms: event.timestamp_ms,
                payload: event.payload.clone(),
                metadata: event.metadata.clone(),
                branch,
            },
            created_ms: self.clock.now_ms(),
        };
        session.insert(id.clone(), kept);
        state.tokens.insert(token, id.clone());
        Ok(id)
    }
}

impl<K: Clock> EventReader for MemoryLog<K> {
    async fn page(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        token: Option<PageToken>,
    ) -> Result<Page, EventLogError> {
        Ok(self.list(conversation, branch, token.as_ref()))
    }
}

impl<K: Clock> EventWriter for MemoryLog<K> {
    async fn create(
        &self,
        conversation: &Conversation,
        event: &NewEvent,
    ) -> Result<EventId, EventLogError> {
        self.append(conversation, event)
    }

    async fn delete(
        &self,
        conversation: &Conversation,
        event: &EventId,
    ) -> Result<(), EventLogError> {
        if let Some(session) = self.lock().sessions.get_mut(conversation) {
            session.remove(event);
        }
        Ok(())
    }
}

/// The timestamp and a suffix that says nothing about the order of two events of one millisecond.
fn event_id(timestamp_ms: i64, number: u64) -> EventId {
    let hash: [u8; 32] = Sha256::digest(number.to_be_bytes()).into();
    let suffix: [u8; 4] = crate::fingerprint::first(&hash);
    EventId(format!(
        "{timestamp_ms:019}#{:08x}",
        u32::from_be_bytes(suffix)
    ))
}

fn check_branch(
    session: &BTreeMap<EventId, Kept>,
    name: &str,
    root: Option<&EventId>,
) -> Result<(), EventLogError> {
    let refused = |detail: &str| {
        Err(EventLogError::Invalid {
            detail: detail.to_owned(),
        })
    };
    match root {
        Some(root) if !session.contains_key(root) => {
            refused("the root event is of another session")
        }
        None if !session.values().any(|kept| branch_of(&kept.event) == name) => {
            refused("a new branch needs a root event")
        }
        _ => Ok(()),
    }
}

/// The branch and its ancestors, each with the last event that belongs to it.
fn ancestry(session: &BTreeMap<EventId, Kept>, branch: &str) -> HashMap<String, Option<EventId>> {
    let mut limits = HashMap::new();
    let (mut name, mut limit) = (branch.to_owned(), None);
    loop {
        let root = session
            .values()
            .filter(|kept| branch_of(&kept.event) == name)
            .find_map(|kept| kept.event.branch.as_ref()?.root.clone());
        if limits.insert(name.clone(), limit).is_some() {
            return limits;
        }
        let Some((root, kept)) = root.and_then(|root| session.get_key_value(&root)) else {
            return limits;
        };
        branch_of(&kept.event).clone_into(&mut name);
        limit = Some(root.clone());
    }
}

fn is_within(limits: &HashMap<String, Option<EventId>>, event: &StoredEvent) -> bool {
    match limits.get(branch_of(event)) {
        None => false,
        Some(None) => true,
        Some(Some(last)) => event.id <= *last,
    }
}

fn branch_of(event: &StoredEvent) -> &str {
    event
        .branch
        .as_ref()
        .map_or("", |branch| branch.name.as_str())
}
