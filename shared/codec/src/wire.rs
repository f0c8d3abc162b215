//! The words of the blob envelopes.

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
