//! What decoding has to say about an event besides its messages.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

use crate::error::DecodeError;
use crate::foreign::ForeignReason;
use crate::path::Path;

/// How decoding treats what it cannot take as it stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The first thing that has to be skipped or mended is an error.
    Strict,
    /// Skip or mend it, and say so in a note.
    #[default]
    Lenient,
}

/// Something that was skipped or mended, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The index of the payload item in its event.
    pub payload: usize,
    /// A JSON pointer into that item; it continues into the JSON inside a blob string.
    pub path: String,
    /// What was wrong.
    pub reason: NoteReason,
}

/// Why something was skipped or mended. The texts never hold message content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoteReason {
    /// An envelope whose text is not JSON.
    #[error("not JSON: the fault is at line {line}, column {column}")]
    InvalidJson {
        /// Line of the fault, from 1.
        line: usize,
        /// Column of the fault, from 1.
        column: usize,
    },
    /// A value of the wrong JSON type.
    #[error("expected {expected}, found {found}")]
    WrongType {
        /// What should stand there.
        expected: &'static str,
        /// What does.
        found: &'static str,
    },
    /// A field that has to be there is not.
    #[error("the field `{0}` is missing")]
    MissingField(&'static str),
    /// A `camunda.` envelope of a kind this version does not know.
    #[error("an envelope of an unknown blobType")]
    UnknownBlobType,
    /// An envelope written by a newer version of the format.
    #[error("an envelope of a version this one cannot read")]
    UnsupportedVersion,
    /// A role word that is none of those the format knows.
    #[error("an unknown role")]
    UnknownRole,
    /// The event names no role, so it was inferred from its items.
    #[error("no role is stated; it was inferred from the other items")]
    RoleInferred,
    /// A conversational item with nothing but white space.
    #[error("a blank text was left out")]
    BlankText,
    /// A conversational TOOL item in a message that is no tool result.
    #[error("a TOOL text in a message that is no tool result was left out")]
    StrayToolText,
    /// Content in a message that cannot have it: text or blocks beside tool results.
    #[error("content beside tool results was left out")]
    StrayContent,
    /// Tool calls in a message that is not the assistant's.
    #[error("tool calls of a message that is not the assistant's were left out")]
    StrayToolCalls,
    /// Tool results in a message that is no tool result.
    #[error("results of a message that is no tool result were left out")]
    StrayResults,
    /// An earlier blob of the same kind; the last one counts.
    #[error("a later blob of the same kind takes the place of this one")]
    Superseded,
    /// A payload item of another writer in an event of ours or Camunda's.
    #[error("an item of another writer in a Camunda event was left out")]
    ForeignItem,
    /// Items after the last message of a packed event.
    #[error("items that follow the last message of the event were read as a message of their own")]
    Trailing,
    /// A property of the metadata blob this version does not know.
    #[error("an unknown message property was left out")]
    UnknownProperty,
    /// The hints we keep for an exact round trip do not fit the message.
    #[error("the hints of the message do not fit it and were not used")]
    BadHint,
    /// A message that was cut into several events lacks some of them.
    #[error("a part of a long message is missing; its parts stay apart")]
    MissingPart,
    /// A lone half of a surrogate pair, which no text can hold, became U+FFFD.
    #[error("a lone surrogate was replaced")]
    LoneSurrogate,
    /// Something about a layout of another writer.
    #[error(transparent)]
    Foreign(#[from] ForeignReason),
}

impl NoteReason {
    /// A stable word for programs.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::InvalidJson { .. } => "invalid_json",
            Self::WrongType { .. } => "wrong_type",
            Self::MissingField(_) => "missing_field",
            Self::UnknownBlobType => "unknown_blob_type",
            Self::UnsupportedVersion => "unsupported_version",
            Self::UnknownRole => "unknown_role",
            Self::RoleInferred => "role_inferred",
            Self::BlankText => "blank_text",
            Self::StrayToolText => "stray_tool_text",
            Self::StrayContent => "stray_content",
            Self::StrayToolCalls => "stray_tool_calls",
            Self::StrayResults => "stray_results",
            Self::Superseded => "superseded",
            Self::ForeignItem => "foreign_item",
            Self::Trailing => "trailing",
            Self::UnknownProperty => "unknown_property",
            Self::BadHint => "bad_hint",
            Self::MissingPart => "missing_part",
            Self::LoneSurrogate => "lone_surrogate",
            Self::Foreign(reason) => reason.code(),
        }
    }
}

impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Note", 4)?;
        fields.serialize_field("payload", &self.payload)?;
        fields.serialize_field("path", &self.path)?;
        fields.serialize_field("code", self.reason.code())?;
        fields.serialize_field("message", &self.reason.to_string())?;
        fields.end()
    }
}

/// Where notes go while one payload item after the other is read.
#[derive(Debug)]
pub(crate) struct Notes {
    mode: Mode,
    payload: usize,
    taken: Vec<Note>,
}

impl Notes {
    pub(crate) fn new(mode: Mode) -> Self {
        Self {
            mode,
            payload: 0,
            taken: Vec::new(),
        }
    }

    /// What follows is about this item of the payload.
    pub(crate) fn at(&mut self, payload: usize) {
        self.payload = payload;
    }

    /// Takes a note; in strict mode it is the error that ends the reading.
    pub(crate) fn take(&mut self, path: &Path<'_>, reason: NoteReason) -> Result<(), DecodeError> {
        let note = Note {
            payload: self.payload,
            path: path.pointer(),
            reason,
        };
        match self.mode {
            Mode::Strict => Err(DecodeError::from(note)),
            Mode::Lenient => {
                self.taken.push(note);
                Ok(())
            }
        }
    }

    /// Takes a note of something that is in order, and so no error in strict mode either.
    pub(crate) fn remark(&mut self, path: String, reason: NoteReason) {
        self.taken.push(Note {
            payload: self.payload,
            path,
            reason,
        });
    }

    pub(crate) fn into_vec(self) -> Vec<Note> {
        self.taken
    }
}
