//! The crate's errors. None of their texts holds message content.

use crate::encode::Dialect;
use crate::note::{Note, NoteReason};

/// Why an event could not be decoded in strict mode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("payload item {payload}, at `{path}`: {reason}")]
pub struct DecodeError {
    /// The index of the payload item in its event.
    pub payload: usize,
    /// A JSON pointer into that item.
    pub path: String,
    /// What is wrong there.
    pub reason: NoteReason,
}

impl DecodeError {
    /// A stable word for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.reason.code()
    }
}

impl From<Note> for DecodeError {
    fn from(note: Note) -> Self {
        Self {
            payload: note.payload,
            path: note.path,
            reason: note.reason,
        }
    }
}

/// Why a JSON value is no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at `{path}`: {reason}")]
pub struct ShapeError {
    /// A JSON pointer into the value.
    pub path: String,
    /// What is wrong there.
    pub reason: NoteReason,
}

impl ShapeError {
    /// A stable word for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.reason.code()
    }
}

impl From<DecodeError> for ShapeError {
    fn from(error: DecodeError) -> Self {
        Self {
            path: error.path,
            reason: error.reason,
        }
    }
}

/// Why a message could not be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// A system message belongs to the conversation's context; AgentCore has no role for it.
    #[error("a system message is part of the context and is never an event")]
    System,
    /// A value so deep that no reader would take it back.
    #[error("a value is nested deeper than {limit} levels")]
    TooDeep {
        /// The deepest nesting that is written.
        limit: usize,
    },
    /// Something that cannot be cut (a document, the arguments of one call) is larger than an event may be.
    #[error("a part of {bytes} bytes cannot be cut, and an event holds at most {limit}")]
    TooLarge {
        /// Its size as written.
        bytes: usize,
        /// What an event holds.
        limit: usize,
    },
    /// More items than an event holds, in a dialect that cannot spread a message over several events.
    #[error("{items} payload items, and an event holds at most {limit}")]
    TooManyItems {
        /// How many there are.
        items: usize,
        /// What an event holds.
        limit: usize,
    },
    /// The dialect has no way to write a message without any content.
    #[error("the {0} dialect cannot write an empty message")]
    Empty(Dialect),
    /// The dialect has no mark between messages, so several cannot share an event.
    #[error("the {0} dialect cannot pack several messages into one event")]
    NoPacking(Dialect),
}

impl EncodeError {
    /// A stable word for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::System => "system_message",
            Self::TooDeep { .. } => "too_deep",
            Self::TooLarge { .. } => "too_large",
            Self::TooManyItems { .. } => "too_many_items",
            Self::Empty(_) => "empty_message",
            Self::NoPacking(_) => "no_packing",
        }
    }
}
