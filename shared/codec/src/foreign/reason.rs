//! Why a foreign item was skipped or mended.

/// What a note about a foreign item says. The texts never hold message content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ForeignReason {
    /// A payload member this version does not know.
    #[error("a payload member this version does not know")]
    UnknownMember,
    /// JSON of no known shape.
    #[error("JSON of a shape this version does not know")]
    UnknownJson,
    /// A blob that is a string but not JSON.
    #[error("a blob that is text but not JSON")]
    UnknownText,
    /// A blob that the service turned into Java map notation: what was in it cannot be had back.
    #[error("a blob that was stored as an object and came back in Java map notation")]
    MangledBlob,
    /// A checkpoint record of `LangGraph`: agent state, not a conversation.
    #[error("a LangGraph checkpoint record, which holds no message that can be read")]
    Checkpoint,
    /// A record whose shape is known but whose message is not a valid one.
    #[error("a known record whose message is malformed")]
    BrokenRecord,
    /// A text block that was blank, and so no valid block for any model, was left out.
    #[error("a blank text block was left out")]
    BlankBlock,
    /// A message was left with no content, and so was left out.
    #[error("a message without content was left out")]
    EmptyMessage,
    /// The redacted form of a message took the place of the original.
    #[error("the redacted form of the message was used")]
    Redacted,
    /// The fixed text some writers store for an empty message was left out.
    #[error("a placeholder for an empty message was left out")]
    Placeholder,
    /// The arguments of a tool call were not a JSON object, and are kept as they are.
    #[error("tool arguments that are not a JSON object were kept as they are")]
    RawArguments,
    /// A lone half of a surrogate pair, which no text can hold, became U+FFFD.
    #[error("a lone surrogate was replaced")]
    LoneSurrogate,
}

impl ForeignReason {
    /// A stable word for programs.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::UnknownMember => "unknown_member",
            Self::UnknownJson => "unknown_json",
            Self::UnknownText => "unknown_text",
            Self::MangledBlob => "mangled_blob",
            Self::Checkpoint => "checkpoint",
            Self::BrokenRecord => "broken_record",
            Self::BlankBlock => "blank_block",
            Self::EmptyMessage => "empty_message",
            Self::Redacted => "redacted",
            Self::Placeholder => "placeholder",
            Self::RawArguments => "raw_arguments",
            Self::LoneSurrogate => "lone_surrogate",
        }
    }
}
