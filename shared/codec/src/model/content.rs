//! A content block.

use super::{Fields, Json, Label};

/// One block of a message's content, told apart by its `type`.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// `type: text`.
    Text {
        /// The text, possibly blank.
        text: String,
        /// Free-form facts about the block.
        metadata: Fields,
        /// Fields this version does not know.
        extra: Fields,
    },
    /// `type: document`.
    Document {
        /// The reference to the document, opaque and never null.
        document: Json,
        /// Free-form facts about the block.
        metadata: Fields,
        /// Fields this version does not know.
        extra: Fields,
    },
    /// `type: object`.
    Object {
        /// Any JSON but null (key `content`; the seed dialect writes `object`).
        content: Json,
        /// Free-form facts about the block.
        metadata: Fields,
        /// Fields this version does not know.
        extra: Fields,
    },
    /// `type: reasoning`: what a model thought, in its provider's own form.
    Reasoning {
        /// Whose form it is.
        provider: Label,
        /// Any JSON but null.
        payload: Json,
        /// Free-form facts about the block.
        metadata: Fields,
        /// Fields this version does not know.
        extra: Fields,
    },
    /// `type: provider`: a block only its provider understands (an image, a citation, a cache point).
    Provider {
        /// Whose form it is.
        provider: Label,
        /// Any JSON but null.
        payload: Json,
        /// Free-form facts about the block.
        metadata: Fields,
        /// Fields this version does not know.
        extra: Fields,
    },
    /// A block of a type this version does not know, or one that breaks the rules of its type
    /// (a `document` without a document): kept verbatim, always a JSON object.
    Unknown(Fields),
}

impl Content {
    /// A text block without metadata.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text {
            text: text.into(),
            metadata: Fields::new(),
            extra: Fields::new(),
        }
    }
}
