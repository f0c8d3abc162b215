//! The SDK's errors in the port's words.
//!
//! Nothing the service says about a request is passed on: its messages may quote what was sent.

use aws::Failure;
use aws_sdk_bedrockruntime::config::http::HttpResponse;
use aws_sdk_bedrockruntime::error::{BuildError, ProvideErrorMetadata, SdkError};
use conversation::ports::SummarizerError;

/// How models, each in its own words, say that there is more to read than they take.
const TOO_LONG: &[&str] = &[
    "too long",
    "too large",
    "too many input tokens",
    "exceed context limit",
    "exceeds the context",
    "context length",
    "context window",
    "maximum number of input tokens",
];

/// A call that did not succeed.
pub(crate) fn refused<E: ProvideErrorMetadata>(
    error: &SdkError<E, HttpResponse>,
) -> SummarizerError {
    match Failure::of(error) {
        Failure::Answered { status, code } => {
            let message = error.as_service_error().and_then(|error| error.message());
            answered(status, code, message.unwrap_or_default())
        }
        Failure::Unanswered {
            detail: "timed out",
        } => SummarizerError::TimedOut,
        Failure::Unanswered { detail } => unavailable(detail),
    }
}

/// The request lacks a field of the model, which its text names.
pub(crate) fn not_built(error: &BuildError) -> SummarizerError {
    SummarizerError::Invalid {
        detail: error.to_string(),
    }
}

fn answered(status: u16, code: Option<&str>, message: &str) -> SummarizerError {
    match code {
        Some("ThrottlingException" | "TooManyRequestsException") => SummarizerError::Throttled,
        Some("ModelTimeoutException") => SummarizerError::TimedOut,
        Some(
            code @ ("ModelNotReadyException"
            | "ModelErrorException"
            | "InternalServerException"
            | "ServiceUnavailableException"
            | "ServiceQuotaExceededException"),
        ) => unavailable(code),
        Some("ResourceNotFoundException") => SummarizerError::NotFound,
        Some(
            "AccessDeniedException"
            | "ExpiredTokenException"
            | "InvalidSignatureException"
            | "UnrecognizedClientException",
        ) => SummarizerError::AccessDenied,
        Some(code @ "ValidationException") => validation(code, message),
        code => by_status(status, code),
    }
}

/// The model's own words are looked at, and not repeated.
fn validation(code: &str, message: &str) -> SummarizerError {
    let message = message.to_lowercase();
    if TOO_LONG.iter().any(|words| message.contains(words)) {
        return SummarizerError::TooLong;
    }
    if message.contains("model identifier") {
        return SummarizerError::NotFound;
    }
    SummarizerError::Invalid {
        detail: code.to_owned(),
    }
}

fn by_status(status: u16, code: Option<&str>) -> SummarizerError {
    match status {
        401 | 403 => SummarizerError::AccessDenied,
        404 => SummarizerError::NotFound,
        408 => SummarizerError::TimedOut,
        413 => SummarizerError::TooLong,
        429 => SummarizerError::Throttled,
        400 | 405..=407 | 409..=412 | 414..=423 => SummarizerError::Invalid {
            detail: code.unwrap_or("unnamed error").to_owned(),
        },
        _ => unavailable(&format!("status {status}")),
    }
}

fn unavailable(detail: &str) -> SummarizerError {
    SummarizerError::Unavailable {
        detail: detail.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_its_meaning() {
        use SummarizerError as M;
        for (status, code, message, expected) in [
            (429, "ThrottlingException", "", M::Throttled),
            (408, "ModelTimeoutException", "", M::TimedOut),
            (404, "ResourceNotFoundException", "", M::NotFound),
            (403, "AccessDeniedException", "", M::AccessDenied),
            (
                400,
                "ValidationException",
                "Input is too long for requested model.",
                M::TooLong,
            ),
            (
                400,
                "ValidationException",
                "The provided model identifier is invalid.",
                M::NotFound,
            ),
            (
                429,
                "ModelNotReadyException",
                "",
                unavailable("ModelNotReadyException"),
            ),
            (
                424,
                "ModelErrorException",
                "",
                unavailable("ModelErrorException"),
            ),
        ] {
            assert_eq!(answered(status, Some(code), message), expected, "{code}");
        }
    }

    #[test]
    fn what_the_service_says_is_not_repeated() {
        let error = answered(400, Some("ValidationException"), "CANARY is not allowed");
        assert!(!error.to_string().contains("CANARY"));
        assert!(matches!(error, SummarizerError::Invalid { .. }));
    }

    #[test]
    fn without_a_name_the_status_decides() {
        assert_eq!(answered(403, None, ""), SummarizerError::AccessDenied);
        assert_eq!(answered(429, None, ""), SummarizerError::Throttled);
        for status in [200, 424, 500, 502, 503] {
            let error = answered(status, None, "");
            assert!(
                matches!(error, SummarizerError::Unavailable { .. }),
                "{status}"
            );
        }
    }
}
