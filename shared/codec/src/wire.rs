//! The words of the blob envelopes, and the part of a message an event may be.

/// The version every envelope bears.
pub(crate) const VERSION: &str = "1";
/// The newest version that can be read: an intermediate one of Camunda, of the same shape.
pub(crate) const NEWEST_VERSION: f64 = 2.0;
/// What all blob types begin with.
pub(crate) const PREFIX: &str = "camunda.";
/// The property that keeps our hints, and the provider of the blocks that keep what Camunda would refuse.
pub(crate) const COLLOQUY: &str = "colloquy";
/// The property that keeps a user's name.
pub(crate) const USER_NAME: &str = "userName";
/// The property that keeps an assistant message's model.
pub(crate) const MODEL_ID: &str = "camunda.modelId";
/// The property that keeps an assistant message's id.
pub(crate) const MESSAGE_ID: &str = "camunda.messageId";
/// The property that keeps why the model stopped.
pub(crate) const STOP_REASON: &str = "camunda.stopReason";

/// The kinds of envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One content block.
    Content,
    /// All tool calls of a message.
    ToolCalls,
    /// All tool results of a message.
    Results,
    /// Role, names, metadata and hints of a message.
    Metadata,
}

impl Kind {
    const ALL: [Self; 4] = [
        Self::Content,
        Self::ToolCalls,
        Self::Results,
        Self::Metadata,
    ];

    /// The kind a `blobType` names.
    pub(crate) fn of(blob_type: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.blob_type() == blob_type)
    }

    /// The word under `blobType`.
    pub(crate) fn blob_type(self) -> &'static str {
        match self {
            Self::Content => "camunda.messageContent",
            Self::ToolCalls => "camunda.toolCalls",
            Self::Results => "camunda.toolCallResults",
            Self::Metadata => "camunda.messageMetadata",
        }
    }

    /// The key of the data.
    pub(crate) fn data_key(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::ToolCalls => "toolCalls",
            Self::Results => "results",
            Self::Metadata => "metadata",
        }
    }
}

/// Which part of a message an event holds, where the message is too large for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its place among the parts, from 0.
    pub index: usize,
    /// How many parts there are.
    pub count: usize,
    /// What of it goes on with what the part before ended with.
    pub continues: Continues,
}

/// How the first thing in a part hangs on the last thing of the part before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continues {
    /// It does not: blocks, calls or results follow each other. Written as 0.
    Nothing,
    /// The first result holds further blocks of the last one. Written as 1.
    Result,
    /// The first text is the rest of the last one (in a result: of the last result). Written as 2.
    Text,
}

impl Continues {
    /// The number on the wire: stored, so never to be changed or used again.
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Nothing => 0,
            Self::Result => 1,
            Self::Text => 2,
        }
    }

    /// The meaning of a number on the wire.
    pub(crate) fn of(number: u64) -> Option<Self> {
        match number {
            0 => Some(Self::Nothing),
            1 => Some(Self::Result),
            2 => Some(Self::Text),
            _ => None,
        }
    }
}
