//! What makes a JSON value no Converse message.

use thiserror::Error;

/// Why a JSON value is not a Converse message.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ConverseError {
    /// The value is not an object.
    #[error("a Converse message is a JSON object")]
    NotAnObject,
    /// `role` is missing or neither `user` nor `assistant`.
    #[error("`role` of a Converse message is `user` or `assistant`")]
    Role,
    /// `content` is missing or not an array.
    #[error("`content` of a Converse message is an array of blocks")]
    Content,
    /// A block is not an object.
    #[error("block {index} of a Converse message is not an object")]
    Block {
        /// The block's position.
        index: usize,
    },
}

impl ConverseError {
    /// A stable word for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotAnObject => "converse_not_an_object",
            Self::Role => "converse_role",
            Self::Content => "converse_content",
            Self::Block { .. } => "converse_block",
        }
    }

    /// Where in the message it is, as a JSON pointer.
    #[must_use]
    pub fn path(&self) -> String {
        match self {
            Self::NotAnObject => String::new(),
            Self::Role => "/role".to_owned(),
            Self::Content => "/content".to_owned(),
            Self::Block { index } => format!("/content/{index}"),
        }
    }
}
