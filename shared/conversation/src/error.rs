//! The crate's errors. None of their texts holds message content.

use codec::EncodeError;
use thiserror::Error;

use crate::ports::{ContextError, EventLogError, SummarizerError};
use crate::turn::TurnId;

/// Why a load, a store or a summarize failed. Nothing of it is ever an empty conversation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// The memory, or the context table, does not exist.
    #[error("{0} not found")]
    NotFound(Service),
    /// The conversation is not what the caller took it for. Nothing was changed.
    #[error("conflict: {kind}")]
    Conflict {
        /// In what way.
        kind: ConflictKind,
        /// The token of the head there is now, where it is known.
        head: Option<String>,
    },
    /// Too many calls, and no time or budget left to try again. Nothing was changed.
    #[error("{0} throttled")]
    Throttled(Service),
    /// A service failed, or the outcome of a write could not be learned. A retry of the same request
    /// with the same head token or idempotency key is safe.
    #[error("unavailable: {0}")]
    Unavailable(Cause),
    /// The process may not do this.
    #[error("access to the {0} denied")]
    AccessDenied(Service),
    /// A quota of the account is used up.
    #[error("service quota exceeded")]
    QuotaExceeded,
    /// The stored conversation is damaged.
    #[error("integrity: {kind} (turn {}, part {})", text(turn.as_ref()), text(part.as_ref()))]
    Integrity {
        /// The turn in question, where it is one.
        turn: Option<TurnId>,
        /// The part of the turn, counted from 1, where it is one.
        part: Option<u32>,
        /// What is wrong.
        kind: IntegrityKind,
    },
    /// The request, or in strict reading a stored event, is not valid.
    #[error("invalid at `{pointer}`: {reason}")]
    Invalid {
        /// A JSON pointer into the request.
        pointer: String,
        /// What is wrong there.
        reason: InvalidReason,
    },
    /// Something is larger than the services take.
    #[error("{what} too large: {size_bytes} bytes, the limit is {limit_bytes}")]
    TooLarge {
        /// What it is: a JSON pointer into the request, or the name of a context item.
        what: String,
        /// Its size; 0 where the service did not say.
        size_bytes: usize,
        /// The limit.
        limit_bytes: usize,
    },
    /// No summariser could write the summary. The summary there was, and all messages, are as they were.
    #[error("model: {0}")]
    Model(SummarizerError),
    /// The time given did not suffice. Nothing was changed.
    #[error("deadline exceeded")]
    DeadlineExceeded,
}

/// One of the two services behind a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// AgentCore Memory.
    EventLog,
    /// The context table.
    Context,
}

/// What a conflict is about.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConflictKind {
    /// Another turn was committed since the caller's head.
    #[error("the head has moved")]
    HeadMoved,
    /// The idempotency key was used for another body.
    #[error("the idempotency key was used for another request")]
    KeyReused,
    /// An agent's state has another version than expected.
    #[error("the state of agent {agent} is at version {version}")]
    State {
        /// Whose state.
        agent: String,
        /// The version it has; 0 for no state.
        version: u64,
    },
    /// Another summary was made meanwhile.
    #[error("the summary is another by now")]
    SummaryMoved,
    /// Sync mode: the caller holds fewer messages than are stored, so it cannot be told which of them
    /// are new.
    #[error(
        "{given} messages given but {stored} are stored; append the new ones instead of syncing"
    )]
    PrefixTooShort {
        /// How many messages are stored.
        stored: u64,
        /// How many the caller gave.
        given: u64,
    },
    /// Sync mode: the caller's first messages are not those that are stored.
    #[error(
        "the first {stored} messages differ from those stored; append the new ones instead of syncing"
    )]
    PrefixMismatch {
        /// How many messages are stored.
        stored: u64,
    },
}

/// What was not available.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Cause {
    /// The event log failed.
    #[error("event log: {0}")]
    EventLog(String),
    /// The context store failed.
    #[error("context: {0}")]
    Context(String),
    /// A committed turn cannot be seen in the listing yet.
    #[error("turn {0} is not visible yet")]
    NotYetVisible(TurnId),
    /// Other writers were quicker every time.
    #[error("lost the race against other writers {0} times")]
    Contended(u32),
    /// Whether the commit was applied could not be learned in time.
    #[error("the outcome of the commit is unknown")]
    UnknownOutcome,
}

/// How a stored conversation is damaged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IntegrityKind {
    /// A turn, or a part of it, is neither there nor expired.
    #[error("a committed event is missing")]
    Gap,
    /// The content does not match the turn's hash.
    #[error("the content does not match its hash")]
    Tampered,
    /// The numbers of the messages do not fit together.
    #[error("expected the messages up to number {expected}, found them up to {found}")]
    Sequence {
        /// Where the turn should end.
        expected: u64,
        /// Where it ends.
        found: u64,
    },
    /// A context item cannot be understood.
    #[error("context item {item}: {detail}")]
    Context {
        /// Which item.
        item: String,
        /// What is wrong with it.
        detail: String,
    },
}

/// Why something is not valid.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum InvalidReason {
    /// The head token is none of ours, damaged, or of another conversation.
    #[error("not a head token of this conversation")]
    HeadToken,
    /// The main line cannot continue from the head of a branch.
    #[error("the head of a branch, but no branch is named")]
    HeadOfBranch,
    /// A new branch needs the head it starts from.
    #[error("the branch does not exist; give the head token it starts from")]
    UnknownBranch,
    /// An agent's state is to be written twice.
    #[error("the state of this agent is given twice")]
    DuplicateAgent,
    /// A message cannot be written.
    #[error("{0}")]
    Message(EncodeError),
    /// The service refused the request's form.
    #[error("refused by the service: {0}")]
    Refused(String),
    /// Strict reading met an event it cannot take as it stands.
    #[error("a stored event cannot be read strictly: {0}")]
    Event(codec::NoteReason),
}

impl Error {
    pub(crate) fn invalid(pointer: impl Into<String>, reason: InvalidReason) -> Self {
        Self::Invalid {
            pointer: pointer.into(),
            reason,
        }
    }
}

impl From<EventLogError> for Error {
    fn from(error: EventLogError) -> Self {
        match error {
            EventLogError::NotFound => Self::NotFound(Service::EventLog),
            EventLogError::Throttled => Self::Throttled(Service::EventLog),
            EventLogError::Unavailable { detail } => Self::Unavailable(Cause::EventLog(detail)),
            // A caller can do no more about it than about any other write that did not come off.
            error @ EventLogError::Conflict => {
                Self::Unavailable(Cause::EventLog(error.to_string()))
            }
            EventLogError::AccessDenied => Self::AccessDenied(Service::EventLog),
            EventLogError::QuotaExceeded => Self::QuotaExceeded,
            EventLogError::Invalid { detail } => Self::invalid("", InvalidReason::Refused(detail)),
            EventLogError::TooLarge => Self::TooLarge {
                what: "/messages".to_owned(),
                size_bytes: 0,
                limit_bytes: codec::limits::MAX_EVENT_BYTES,
            },
        }
    }
}

impl From<SummarizerError> for Error {
    fn from(error: SummarizerError) -> Self {
        Self::Model(error)
    }
}

impl From<ContextError> for Error {
    fn from(error: ContextError) -> Self {
        match error {
            ContextError::NotFound => Self::NotFound(Service::Context),
            ContextError::Throttled => Self::Throttled(Service::Context),
            ContextError::Unavailable { detail } => Self::Unavailable(Cause::Context(detail)),
            ContextError::AccessDenied => Self::AccessDenied(Service::Context),
            ContextError::TooLarge {
                item,
                size_bytes,
                limit_bytes,
            } => Self::TooLarge {
                what: item,
                size_bytes,
                limit_bytes,
            },
            ContextError::Corrupt { item, detail } => Self::Integrity {
                turn: None,
                part: None,
                kind: IntegrityKind::Context { item, detail },
            },
        }
    }
}

impl std::fmt::Display for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::EventLog => "memory",
            Self::Context => "context table",
        })
    }
}

fn text<T: ToString>(value: Option<&T>) -> String {
    value.map_or_else(|| "-".to_owned(), ToString::to_string)
}
