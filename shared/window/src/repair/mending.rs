//! What repair did, for the report.

use std::fmt;

/// One thing mended, and where: the index of the message in the list that was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mending {
    /// Which message.
    pub message: usize,
    /// What was done.
    pub kind: MendingKind,
}

/// What can be mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MendingKind {
    /// A text that was empty or only white space was left out.
    BlankText,
    /// A block the speaker may not utter (a user's tool use, an assistant's tool result) was left out.
    MisplacedBlock,
    /// Reasoning was moved in front of what it led to.
    ReasoningMoved,
    /// A message without any content left was dropped.
    EmptyMessage,
    /// The message was joined to the one before it, since both have one speaker.
    Joined,
    /// A second tool use with an id of the same message was left out.
    RepeatedToolUse,
    /// A tool result nobody asked for was left out.
    StrayToolResult,
    /// A second result for one tool use was left out.
    RepeatedToolResult,
    /// A tool use without a result got one that says it was interrupted.
    MissingToolResult,
    /// Tool results were put in front, in the order of their calls.
    ToolResultsOrdered,
    /// The conversation opened with the assistant, so a user message was put before it.
    OpeningAdded,
}

impl MendingKind {
    /// The stable name used in reports.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::BlankText => "blankText",
            Self::MisplacedBlock => "misplacedBlock",
            Self::ReasoningMoved => "reasoningMoved",
            Self::EmptyMessage => "emptyMessage",
            Self::Joined => "joined",
            Self::RepeatedToolUse => "repeatedToolUse",
            Self::StrayToolResult => "strayToolResult",
            Self::RepeatedToolResult => "repeatedToolResult",
            Self::MissingToolResult => "missingToolResult",
            Self::ToolResultsOrdered => "toolResultsOrdered",
            Self::OpeningAdded => "openingAdded",
        }
    }
}

impl fmt::Display for MendingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
