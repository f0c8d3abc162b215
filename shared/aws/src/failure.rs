//! What became of a call that did not succeed, whichever service and operation it was.

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;

/// A failed call without anything that was sent or said: messages may quote content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure<'a> {
    /// The service, or something before it, answered.
    Answered {
        /// The HTTP status.
        status: u16,
        /// The name of the error, where the answer had one that could be read.
        code: Option<&'a str>,
    },
    /// There was no answer, so the call may or may not have happened.
    Unanswered {
        /// What was seen instead.
        detail: &'static str,
    },
}

impl<'a> Failure<'a> {
    /// What is to be known of `error`.
    #[must_use]
    pub fn of<E: ProvideErrorMetadata>(error: &'a SdkError<E, HttpResponse>) -> Self {
        let unanswered = |detail| Self::Unanswered { detail };
        match error {
            SdkError::ServiceError(answer) => Self::Answered {
                status: answer.raw().status().as_u16(),
                code: answer.err().code(),
            },
            // What cannot be parsed may be the page of a proxy in between: its status still counts.
            SdkError::ResponseError(answer) => Self::Answered {
                status: answer.raw().status().as_u16(),
                code: None,
            },
            SdkError::TimeoutError(_) => unanswered("timed out"),
            // A connection may break before or after the request was sent; nothing tells which.
            SdkError::DispatchFailure(failure) if failure.is_timeout() => unanswered("timed out"),
            SdkError::DispatchFailure(failure) if failure.is_io() => {
                unanswered("connection failed")
            }
            SdkError::DispatchFailure(_) => unanswered("not dispatched"),
            SdkError::ConstructionFailure(_) => unanswered("request not built"),
            _ => unanswered("unknown failure"),
        }
    }
}
