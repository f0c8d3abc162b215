//! The context store: the ref of each conversation and what belongs to it but is no event.

use std::collections::BTreeMap;
use std::future::Future;

use codec::model::{Object, SystemMessage};
use thiserror::Error;

use crate::head::Head;
use crate::id::{Conversation, KeyHash};
use crate::summarize::SummaryRecord;

/// Reads the context, always strongly consistent.
pub trait ContextReader: Send + Sync {
    /// All items of the conversation but its idempotency keys, in one call.
    fn items(
        &self,
        conversation: &Conversation,
    ) -> impl Future<Output = Result<ContextItems, ContextError>> + Send;

    /// The head of one branch and, where asked for, an idempotency key: one call for both.
    /// An expired key (`expires_at` not after `now_s`) is none, though the store may still hold it.
    fn head(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        key: Option<&KeyHash>,
        now_s: i64,
    ) -> impl Future<Output = Result<HeadLookup, ContextError>> + Send;
}

/// Moves the head.
pub trait ContextWriter: Send + Sync {
    /// Applies all of `commit`, or nothing. This is the commit point of the protocol.
    fn commit(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        commit: &Commit,
    ) -> impl Future<Output = Result<CommitOutcome, ContextError>> + Send;
}

/// What a [`ContextReader::items`] call gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextItems {
    /// The head of each branch; the main line is the empty name.
    pub heads: BTreeMap<String, Head>,
    /// The system message.
    pub system: Option<StoredSystem>,
    /// Agent state by agent id.
    pub states: BTreeMap<String, AgentState>,
    /// The summary of each branch, named as in `heads`. One may outlive its head: see
    /// [`ContextItems::summary`].
    pub summaries: BTreeMap<String, SummaryRecord>,
}

impl ContextItems {
    /// The summary of a branch. One that a head before the present one left behind is none: a table drops
    /// expired items one by one, when it comes to it.
    #[must_use]
    pub fn summary(&self, branch: Option<&str>) -> Option<&SummaryRecord> {
        let branch = branch.unwrap_or_default();
        let head = self.heads.get(branch)?;
        let summary = self.summaries.get(branch)?;
        (head.summarized > 0 && summary.covered() <= head.count).then_some(summary)
    }
}

/// The system message as kept.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredSystem {
    /// The message.
    pub message: SystemMessage,
}

/// One agent's state as kept.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentState {
    /// The caller's object.
    pub value: Object,
    /// Rises by one with each write.
    pub version: u64,
}

/// What a [`ContextReader::head`] call gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeadLookup {
    /// The branch's head; none where nothing was ever committed.
    pub head: Option<Head>,
    /// The idempotency key's record, if it is known and not expired.
    pub key: Option<KeyRecord>,
}

/// One all-or-nothing change of the context.
#[derive(Clone, Debug, PartialEq)]
pub struct Commit {
    /// What the head must be.
    pub expected: HeadExpectation,
    /// What it becomes.
    pub head: Head,
    /// A changed system message; `None` leaves it as it is.
    pub system: Option<SystemWrite>,
    /// Agent states to write.
    pub states: Vec<StateWrite>,
    /// Items that are kept as they are and only live on: their expiry becomes `expires_at` too. One that is
    /// no longer there may be left behind without content, and is then read as none.
    pub renew: Vec<ContextItem>,
    /// The idempotency key to put; it must not be there yet (or be expired).
    pub key: Option<KeyRecord>,
    /// When the items written may be dropped: seconds since the epoch, for the table's TTL. Never earlier
    /// than the events' expiry.
    pub expires_at: i64,
    /// Now, in seconds since the epoch: what counts as an expired key.
    pub now_s: i64,
    /// Unique to this commit and its retries, so that a store with transactions can recognise them.
    pub request_token: String,
}

/// An item of the context besides the heads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContextItem {
    /// The system message.
    System,
    /// The state of this agent.
    State(String),
    /// The summary of this branch; the main line is the empty name.
    Summary(String),
}

/// The condition on the head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadExpectation {
    /// There is no head yet.
    Absent,
    /// The head is exactly this revision of this turn, with this count, timestamp and fingerprint: a
    /// forged or stale token never gets past it.
    Is(Box<Head>),
}

/// The system message to keep, or its removal.
#[derive(Clone, Debug, PartialEq)]
pub enum SystemWrite {
    /// Keep this one.
    Put(SystemMessage),
    /// There is none any more.
    Remove,
}

/// One agent's state to write.
#[derive(Clone, Debug, PartialEq)]
pub struct StateWrite {
    /// Whose state.
    pub agent: String,
    /// The new object.
    pub value: Object,
    /// The version it replaces (0: must not exist); none overwrites whatever is there.
    pub expected_version: Option<u64>,
}

/// What an idempotency key remembers of the store it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRecord {
    /// The key, hashed.
    pub key: KeyHash,
    /// Hash of the request's body.
    pub body: [u8; 32],
    /// The head the first store answered with.
    pub head: Head,
    /// How many messages it stored.
    pub stored: u64,
    /// When it is forgotten: seconds since the epoch.
    pub expires_at: i64,
}

/// What became of a commit whose answer arrived.
#[derive(Clone, Debug, PartialEq)]
pub enum CommitOutcome {
    /// All of it was applied.
    Committed,
    /// A condition did not hold and nothing was applied; this is what was found instead.
    Refused {
        /// The head did not match, and this is the one there now (none: there is none). `None`
        /// outside means that the head was as expected.
        head: Option<Option<Box<Head>>>,
        /// The key is there already.
        key: Option<Box<KeyRecord>>,
        /// The agent whose state had another version, and that version (0: no state).
        state: Option<(String, u64)>,
    },
}

/// Why a call to the context store failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ContextError {
    /// The table does not exist.
    #[error("context table not found")]
    NotFound,
    /// Too many calls, or another transaction in the way; nothing was applied.
    #[error("throttled")]
    Throttled,
    /// The service failed or did not answer: a commit may or may not have been applied.
    #[error("unavailable: {detail}")]
    Unavailable {
        /// What was seen, without content.
        detail: String,
    },
    /// The caller's credentials may not do this.
    #[error("access denied")]
    AccessDenied,
    /// An item (system message, agent state) is larger than the store takes.
    #[error("{item} too large: {size_bytes} bytes, the limit is {limit_bytes}")]
    TooLarge {
        /// Which item.
        item: String,
        /// Its size.
        size_bytes: usize,
        /// The store's limit.
        limit_bytes: usize,
    },
    /// A stored item is not of a form this version understands.
    #[error("context item {item} is corrupt: {detail}")]
    Corrupt {
        /// Which item.
        item: String,
        /// What is wrong with it.
        detail: String,
    },
}
