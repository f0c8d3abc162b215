//! The SDK's errors in the port's words.

use aws::Failure;
use aws_sdk_dynamodb::config::http::HttpResponse;
use aws_sdk_dynamodb::error::{BuildError, ProvideErrorMetadata, SdkError};
use conversation::ports::ContextError;

/// A call that did not succeed.
pub(crate) fn refused<E: ProvideErrorMetadata>(error: &SdkError<E, HttpResponse>) -> ContextError {
    match Failure::of(error) {
        Failure::Answered { status, code } => answered(status, code),
        Failure::Unanswered { detail } => unavailable(detail),
    }
}

/// The service failed or was not understood: a commit may have been applied.
pub(crate) fn unavailable(detail: &str) -> ContextError {
    ContextError::Unavailable {
        detail: detail.to_owned(),
    }
}

/// The request lacks a field of the model, which its text names.
pub(crate) fn not_built(error: &BuildError) -> ContextError {
    ContextError::Corrupt {
        item: "request".to_owned(),
        detail: error.to_string(),
    }
}

fn answered(status: u16, code: Option<&str>) -> ContextError {
    match code {
        Some(
            "ProvisionedThroughputExceededException"
            | "RequestLimitExceeded"
            | "ThrottlingException"
            | "TransactionConflictException"
            | "ReplicatedWriteConflictException",
        ) => ContextError::Throttled,
        Some("ResourceNotFoundException") => ContextError::NotFound,
        Some(
            "AccessDeniedException"
            | "ExpiredTokenException"
            | "IncompleteSignatureException"
            | "InvalidSignatureException"
            | "MissingAuthenticationTokenException"
            | "UnrecognizedClientException",
        ) => ContextError::AccessDenied,
        // Both say that this transaction was sent before, and not what became of it.
        Some(
            code @ ("IdempotentParameterMismatchException" | "TransactionInProgressException"),
        ) => unavailable(code),
        Some(code @ ("ValidationException" | "SerializationException")) => ContextError::Corrupt {
            item: "request".to_owned(),
            detail: code.to_owned(),
        },
        _ => by_status(status),
    }
}

fn by_status(status: u16) -> ContextError {
    match status {
        401 | 403 => ContextError::AccessDenied,
        429 => ContextError::Throttled,
        _ => unavailable(&format!("status {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_its_meaning() {
        let named = |code| answered(400, Some(code));
        assert_eq!(named("ThrottlingException"), ContextError::Throttled);
        assert_eq!(
            named("ProvisionedThroughputExceededException"),
            ContextError::Throttled
        );
        assert_eq!(named("ResourceNotFoundException"), ContextError::NotFound);
        assert_eq!(named("AccessDeniedException"), ContextError::AccessDenied);
        assert_eq!(named("ExpiredTokenException"), ContextError::AccessDenied);
        assert!(matches!(
            named("TransactionInProgressException"),
            ContextError::Unavailable { .. }
        ));
        assert!(matches!(
            named("ValidationException"),
            ContextError::Corrupt { .. }
        ));
        assert!(matches!(
            named("SomethingNew"),
            ContextError::Unavailable { .. }
        ));
    }

    #[test]
    fn without_a_name_the_status_decides() {
        assert_eq!(answered(403, None), ContextError::AccessDenied);
        assert_eq!(answered(429, None), ContextError::Throttled);
        for status in [200, 400, 408, 500, 503] {
            assert!(
                matches!(answered(status, None), ContextError::Unavailable { .. }),
                "{status}"
            );
        }
    }
}
