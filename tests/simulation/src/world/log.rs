//! The simulated event log: what AgentCore Memory promises, and no more than that.

use std::collections::BTreeMap;

use conversation::Conversation;
use conversation::ports::{EventId, NewEvent, Page, PageToken, StoredEvent};

use crate::random::Random;

/// All sessions.
#[derive(Debug, Default)]
pub(crate) struct Log {
    sessions: BTreeMap<Conversation, Vec<Logged>>,
}

/// One event with what the service knows of it beyond what it tells.
#[derive(Clone, Debug)]
pub(crate) struct Logged {
    pub(crate) event: StoredEvent,
    pub(crate) client_token: String,
    /// Listings before this time do not show it.
    pub(crate) visible_ms: i64,
    /// From this time on it is gone.
    pub(crate) expires_ms: i64,
}

/// How a listing answers this time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listing {
    pub(crate) now_ms: i64,
    pub(crate) page_size: usize,
    /// Events within the page come in any order.
    pub(crate) shuffled: bool,
    /// A page without events that still carries a token.
    pub(crate) hollow: bool,
}

/// What becomes of a new event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) now_ms: i64,
    pub(crate) lag_ms: i64,
    pub(crate) retention_ms: i64,
    pub(crate) honour_tokens: bool,
}

impl Log {
    /// Appends an event, or recognises its token. The flag says whether an event was added.
    pub(crate) fn create(
        &mut self,
        conversation: &Conversation,
        new: &NewEvent,
        arrival: Arrival,
        random: &mut Random,
    ) -> (EventId, bool) {
        let session = self.sessions.entry(conversation.clone()).or_default();
        if arrival.honour_tokens
            && let Some(known) = session.iter().find(|e| e.client_token == new.client_token)
        {
            return (known.event.id.clone(), false);
        }
        // The suffix is random, so events of one millisecond sort in an order that says nothing.
        let suffix = random.bits() >> 32;
        let id = EventId(format!("{:019}#{suffix:08x}", new.timestamp_ms));
        session.push(Logged {
            event: StoredEvent {
                id: id.clone(),
                timestamp_ms: new.timestamp_ms,
                payload: new.payload.clone(),
                metadata: new.metadata.clone(),
                branch: new.branch.clone(),
            },
            client_token: new.client_token.clone(),
            visible_ms: arrival.now_ms + arrival.lag_ms,
            expires_ms: arrival.now_ms + arrival.retention_ms,
        });
        (id, true)
    }

    /// Removes an event if it is there, and gives it back.
    pub(crate) fn delete(&mut self, conversation: &Conversation, id: &EventId) -> Option<Logged> {
        let session = self.sessions.get_mut(conversation)?;
        let index = session.iter().position(|e| &e.event.id == id)?;
        Some(session.remove(index))
    }

    /// One page, newest first.
    pub(crate) fn page(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        token: Option<&PageToken>,
        listing: Listing,
        random: &mut Random,
    ) -> Page {
        let mut found: Vec<&Logged> = self
            .session(conversation)
            .iter()
            .filter(|e| e.visible_ms <= listing.now_ms && listing.now_ms < e.expires_ms)
            .filter(|e| on_branch(self.session(conversation), &e.event, branch))
            .filter(|e| token.is_none_or(|token| e.event.id.0 < token.0))
            .collect();
        found.sort_by(|a, b| b.event.id.cmp(&a.event.id));
        if listing.hollow && !found.is_empty() {
            // A token just above the newest remaining event: nothing is skipped.
            let next = PageToken(format!("{}~", found[0].event.id.0));
            return Page {
                events: Vec::new(),
                next: Some(next),
            };
        }
        let more = found.len() > listing.page_size;
        found.truncate(listing.page_size);
        let next = found
            .last()
            .filter(|_| more)
            .map(|e| PageToken(e.event.id.0.clone()));
        let mut events: Vec<StoredEvent> = found.into_iter().map(|e| e.event.clone()).collect();
        if listing.shuffled {
            for i in (1..events.len()).rev() {
                events.swap(i, random.index(i + 1));
            }
        }
        Page { events, next }
    }

    /// Everything ever kept of a session, expired events included.
    pub(crate) fn session(&self, conversation: &Conversation) -> &[Logged] {
        self.sessions.get(conversation).map_or(&[], Vec::as_slice)
    }

    /// The same, for whoever tampers with it.
    pub(crate) fn session_mut(&mut self, conversation: &Conversation) -> &mut Vec<Logged> {
        self.sessions.entry(conversation.clone()).or_default()
    }
}

/// What the service's branch filter lets through: the branch and its ancestors, each up to the event at which
/// the next one left it.
fn on_branch(session: &[Logged], event: &StoredEvent, branch: Option<&str>) -> bool {
    let Some(mut name) = branch else { return true };
    let mut until: Option<&EventId> = None;
    loop {
        let of =
            |event: &StoredEvent| event.branch.as_ref().map_or("", |b| b.name.as_str()) == name;
        if of(event) && until.is_none_or(|until| event.id <= *until) {
            return true;
        }
        let mut roots = session.iter().filter(|e| of(&e.event));
        let Some(root) = roots.find_map(|e| e.event.branch.as_ref()?.root.as_ref()) else {
            return false;
        };
        let Some(parent) = session.iter().find(|e| e.event.id == *root) else {
            return false;
        };
        until = Some(root);
        name = parent.event.branch.as_ref().map_or("", |b| b.name.as_str());
    }
}
