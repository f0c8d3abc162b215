//! Everything that can go wrong between a trigger and its answer.

use thiserror::Error;

use crate::refusal::Refusal;

/// Why a call could not be served. No text here holds message content.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Failure {
    /// A field is missing, misspelt or wrong.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// The event looks like a gateway's, but its parts have other types.
    #[error("not a gateway event this function understands")]
    Gateway,
    /// No route of this function has that path.
    #[error("no such route")]
    NoSuchRoute,
    /// The route exists, under another method.
    #[error("only {allow} is allowed here")]
    MethodNotAllowed {
        /// The method that is.
        allow: &'static str,
    },
    /// Nothing was verified about the caller.
    #[error("no verified identity")]
    Unauthenticated,
    /// Something was verified, but not what names an actor.
    #[error("the verified identity has no actor")]
    NoActorClaim,
    /// The caller names an actor it is not.
    #[error("the request names another actor")]
    OtherActor,
    /// The request is larger than a function takes.
    #[error("the request is too large: {size_bytes} bytes, the limit is {limit_bytes}")]
    RequestTooLarge {
        /// Its size.
        size_bytes: usize,
        /// The limit.
        limit_bytes: usize,
    },
    /// Not even the smallest window fits into the answer.
    #[error("the answer is too large: the limit is {limit_bytes} bytes")]
    AnswerTooLarge {
        /// The limit.
        limit_bytes: usize,
    },
    /// The answer could not be written as JSON.
    #[error("the answer could not be written")]
    Unwritable,
    /// A large answer could not be put where the caller would fetch it.
    #[error("the claim check store failed")]
    ClaimCheck,
    /// The conversation could not be loaded or stored.
    #[error("{0}")]
    Conversation(#[from] conversation::Error),
}
