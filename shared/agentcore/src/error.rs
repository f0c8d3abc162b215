//! The SDK's errors in the port's words.
//!
//! Nothing the service says about a value is passed on: its messages may quote what was sent.

use aws::Failure;
use aws_sdk_bedrockagentcore::config::http::HttpResponse;
use aws_sdk_bedrockagentcore::error::{BuildError, ProvideErrorMetadata, SdkError};
use aws_sdk_bedrockagentcore::operation::create_event::CreateEventError;
use aws_sdk_bedrockagentcore::operation::delete_event::DeleteEventError;
use aws_sdk_bedrockagentcore::operation::list_events::ListEventsError;
use aws_sdk_bedrockagentcore::types::error::ValidationException;
use conversation::ports::EventLogError;

/// A call that did not succeed.
pub(crate) fn refused<E: Refusal>(error: &SdkError<E, HttpResponse>) -> EventLogError {
    match Failure::of(error) {
        Failure::Answered { status, code } => {
            let validation = error.as_service_error().and_then(Refusal::validation);
            answered(status, code, validation)
        }
        Failure::Unanswered { detail } => unreadable(detail),
    }
}

/// The request has a form the SDK cannot build.
pub(crate) fn not_built(error: &BuildError) -> EventLogError {
    // The text names a missing field of the model, never a value.
    EventLogError::Invalid {
        detail: error.to_string(),
    }
}

/// The request holds something the service cannot be sent.
pub(crate) fn not_sent(what: &str) -> EventLogError {
    EventLogError::Invalid {
        detail: format!("{what} cannot be sent"),
    }
}

/// The answer was not understood: the call may have happened.
pub(crate) fn unreadable(what: &str) -> EventLogError {
    EventLogError::Unavailable {
        detail: what.to_owned(),
    }
}

/// What the errors of all operations have in common.
pub(crate) trait Refusal: ProvideErrorMetadata {
    /// The details of a refused form.
    fn validation(&self) -> Option<&ValidationException>;
}

impl Refusal for CreateEventError {
    fn validation(&self) -> Option<&ValidationException> {
        match self {
            Self::ValidationException(error) => Some(error),
            _ => None,
        }
    }
}

impl Refusal for ListEventsError {
    fn validation(&self) -> Option<&ValidationException> {
        match self {
            Self::ValidationException(error) => Some(error),
            _ => None,
        }
    }
}

impl Refusal for DeleteEventError {
    fn validation(&self) -> Option<&ValidationException> {
        match self {
            Self::ValidationException(error) => Some(error),
            _ => None,
        }
    }
}

fn answered(
    http: u16,
    code: Option<&str>,
    validation: Option<&ValidationException>,
) -> EventLogError {
    match code {
        Some("ThrottledException" | "ThrottlingException" | "TooManyRequestsException") => {
            EventLogError::Throttled
        }
        Some("ResourceNotFoundException") => EventLogError::NotFound,
        Some("AccessDeniedException") => EventLogError::AccessDenied,
        Some("ServiceQuotaExceededException") => EventLogError::QuotaExceeded,
        Some("RetryableConflictException") => EventLogError::Conflict,
        Some("ValidationException" | "InvalidInputException") => EventLogError::Invalid {
            detail: fields(validation),
        },
        code => status(http, code),
    }
}

/// Errors without a shape of the model: front ends answer some calls before the service sees them.
fn status(http: u16, code: Option<&str>) -> EventLogError {
    match http {
        401 | 403 => EventLogError::AccessDenied,
        402 => EventLogError::QuotaExceeded,
        404 => EventLogError::NotFound,
        413 => EventLogError::TooLarge,
        429 => EventLogError::Throttled,
        400 | 405..=407 | 410..=412 | 414..=428 => EventLogError::Invalid {
            detail: format!("{} (status {http})", code.unwrap_or("unnamed error")),
        },
        _ => unreadable(&format!("status {http}")),
    }
}

/// The reason and the names of the refused fields, which are the model's words and not the caller's.
fn fields(error: Option<&ValidationException>) -> String {
    let Some(error) = error else {
        return "invalid input".to_owned();
    };
    let mut detail = error.reason().as_str().to_owned();
    for field in error.field_list() {
        detail.push_str(if detail.contains(':') { ", " } else { ": " });
        detail.extend(field.name().chars().filter(char::is_ascii_graphic).take(64));
    }
    detail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_without_a_shape_have_a_meaning() {
        assert_eq!(status(402, None), EventLogError::QuotaExceeded);
        assert_eq!(status(403, None), EventLogError::AccessDenied);
        assert_eq!(status(404, None), EventLogError::NotFound);
        assert_eq!(status(413, None), EventLogError::TooLarge);
        assert_eq!(status(429, None), EventLogError::Throttled);
        for unknown in [200, 201, 302, 408, 409, 500, 502, 503, 504] {
            assert!(
                matches!(status(unknown, None), EventLogError::Unavailable { .. }),
                "{unknown}"
            );
        }
        assert!(matches!(status(415, None), EventLogError::Invalid { .. }));
    }
}
