//! The event log: AgentCore Memory's events of one session.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;

use codec::Payload;
use thiserror::Error;

use crate::id::Conversation;

/// Reads events.
pub trait EventReader: Send + Sync {
    /// One page of up to 100 events of the session, newest first as far as the service keeps its
    /// order; a page may be short or empty and still carry a token.
    ///
    /// Without `branch` the events of every branch come back. With it, the service filters: that
    /// branch and its ancestors, each up to the point where the next one left it. Filtered reads
    /// may lag, so our own conversations are never read that way.
    fn page(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        token: Option<PageToken>,
    ) -> impl Future<Output = Result<Page, EventLogError>> + Send;
}

/// Writes events.
pub trait EventWriter: Send + Sync {
    /// Appends one event. A repeated `client_token` may or may not be recognised by the service, so
    /// an unknown outcome followed by a retry may leave two events.
    fn create(
        &self,
        conversation: &Conversation,
        event: &NewEvent,
    ) -> impl Future<Output = Result<EventId, EventLogError>> + Send;

    /// Removes one event. Removing what is not there succeeds.
    fn delete(
        &self,
        conversation: &Conversation,
        event: &EventId,
    ) -> impl Future<Output = Result<(), EventLogError>> + Send;
}

/// An event to be written.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEvent {
    /// Milliseconds since the epoch; listings are ordered by it.
    pub timestamp_ms: i64,
    /// The items, in order.
    pub payload: Vec<Payload>,
    /// ASCII strings within the service's alphabet.
    pub metadata: BTreeMap<String, String>,
    /// The branch it is written on; none is the main line.
    pub branch: Option<BranchRoot>,
    /// Unique to this event and its retries.
    pub client_token: String,
}

/// A branch and the event it left its parent at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchRoot {
    /// The branch's name in the service's alphabet.
    pub name: String,
    /// The last event of the parent branch that belongs to this one. Empty on events read back
    /// without one.
    pub root: Option<EventId>,
}

/// An event as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredEvent {
    /// Its id.
    pub id: EventId,
    /// Its timestamp, in whole milliseconds.
    pub timestamp_ms: i64,
    /// The items, in order.
    pub payload: Vec<Payload>,
    /// Its metadata, wrappers taken off.
    pub metadata: BTreeMap<String, String>,
    /// Its branch; the main line (no branch, or one named `main`) is none.
    pub branch: Option<BranchRoot>,
}

/// One page of a listing.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The events, in the order the service gave.
    pub events: Vec<StoredEvent>,
    /// Where to go on; none at the end.
    pub next: Option<PageToken>,
}

/// Where a listing goes on, opaque.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageToken(pub String);

/// The service's id of an event, opaque; as strings they sort by time.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub String);

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a call to the event log failed. None of these is ever an empty listing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EventLogError {
    /// The memory does not exist (or is not active).
    #[error("memory not found")]
    NotFound,
    /// Too many calls; nothing was written.
    #[error("throttled")]
    Throttled,
    /// The service failed or did not answer: a write may or may not have happened.
    #[error("unavailable: {detail}")]
    Unavailable {
        /// What was seen, without content.
        detail: String,
    },
    /// The write met another one of the session, and may be tried again. The service does not say that it left
    /// nothing behind.
    #[error("conflict with another write")]
    Conflict,
    /// The caller's credentials may not do this.
    #[error("access denied")]
    AccessDenied,
    /// A quota of the account is used up; retrying does not help.
    #[error("service quota exceeded")]
    QuotaExceeded,
    /// The service refused the request's form.
    #[error("refused as invalid: {detail}")]
    Invalid {
        /// The service's words, without content.
        detail: String,
    },
    /// The event is larger than the service takes.
    #[error("event too large")]
    TooLarge,
}
