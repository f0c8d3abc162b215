//! A content block.

use serde_json::Value;

use super::Object;

/// One block of a message's content, told apart by its `type`.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// `type: text`.
    Text {
        /// The text, possibly blank.
        text: String,
        /// Free-form facts about the block.
        metadata: Object,
        /// Fields this version does not know.
        extra: Object,
    },
    /// `type: document`.
    Document {
        /// The reference to the document, opaque and never null.
        document: Value,
        /// Free-form facts about the block.
        metadata: Object,
        /// Fields this version does not know.
        extra: Object,
    },
    /// `type: object`.
    Object {
        /// Any JSON but null (key `content`; the seed dialect writes `object`).
        content: Value,
        /// Free-form facts about the block.
        metadata: Object,
        /// Fields this version does not know.
        extra: Object,
    },
    /// `type: reasoning`: what a model thought, in its provider's own form.
    Reasoning {
        /// Whose form it is.
        provider: String,
        /// Any JSON but null.
        payload: Value,
        /// Free-form facts about the block.
        metadata: Object,
        /// Fields this version does not know.
        extra: Object,
    },
    /// `type: provider`: a block only its provider understands (an image, a citation, a cache point).
    Provider {
        /// Whose form it is.
        provider: String,
        /// Any JSON but null.
        payload: Value,
        /// Free-form facts about the block.
        metadata: Object,
        /// Fields this version does not know.
        extra: Object,
    },
    /// A block of a type this version does not know, or one that breaks the rules of its type
    /// (a `document` without a document): kept verbatim, always a JSON object.
    Unknown(Object),
}

impl Content {
    /// A text block without metadata.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text {
            text: text.into(),
            metadata: Object::new(),
            extra: Object::new(),
        }
    }
}
