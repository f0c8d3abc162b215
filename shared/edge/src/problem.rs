//! What a failure is to the caller: an HTTP status and a problem document, or a Lambda error whose name a
//! workflow can match. Decided here, and nowhere else.

use conversation::ports::SummarizerError;
use conversation::{ConflictKind, Error, IntegrityKind};
use serde_json::{Value, json};

use crate::failure::Failure;

/// A failure as callers see it: a stable code, a title that is always the same for it, and a detail
/// without content or internals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The HTTP status.
    pub status: u16,
    /// The stable code, one a kind of failure.
    pub code: &'static str,
    /// The name a workflow matches on, one a way to react.
    pub error_type: ErrorType,
    /// The kind of failure in words.
    pub title: &'static str,
    /// This failure in words.
    pub detail: String,
    /// Where in the request, as a JSON pointer.
    pub pointer: Option<String>,
    /// After how many seconds a retry makes sense.
    pub retry_after: Option<u32>,
    /// The head there is now, so that the caller can decide how to go on.
    pub head: Option<String>,
    /// The method that would have been right.
    pub allow: Option<&'static str>,
}

/// The error names of direct invocations, which workflows retry or catch by. Stable forever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorType {
    /// The request is wrong and will stay so.
    Invalid,
    /// The caller may not do this.
    AccessDenied,
    /// There is no such route, memory or table.
    NotFound,
    /// The conversation is not what the caller took it for.
    Conflict,
    /// Something is larger than it may be.
    TooLarge,
    /// Too much at once; try again later.
    Throttled,
    /// A service failed; try again.
    Unavailable,
    /// The time did not suffice.
    DeadlineExceeded,
    /// A quota of the account is used up.
    QuotaExceeded,
    /// The stored conversation is damaged.
    Integrity,
    /// The model gave no summary that can be used, and would hardly do better next time.
    ModelRefused,
}

impl ErrorType {
    /// Every name, for workflows and documents.
    pub const ALL: [Self; 11] = [
        Self::Invalid,
        Self::AccessDenied,
        Self::NotFound,
        Self::Conflict,
        Self::TooLarge,
        Self::Throttled,
        Self::Unavailable,
        Self::DeadlineExceeded,
        Self::QuotaExceeded,
        Self::Integrity,
        Self::ModelRefused,
    ];

    /// The name as `ErrorEquals` matches it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Invalid => "Invalid",
            Self::AccessDenied => "AccessDenied",
            Self::NotFound => "NotFound",
            Self::Conflict => "Conflict",
            Self::TooLarge => "TooLarge",
            Self::Throttled => "Throttled",
            Self::Unavailable => "Unavailable",
            Self::DeadlineExceeded => "DeadlineExceeded",
            Self::QuotaExceeded => "QuotaExceeded",
            Self::Integrity => "Integrity",
            Self::ModelRefused => "ModelRefused",
        }
    }
}

impl From<&Failure> for Problem {
    fn from(failure: &Failure) -> Self {
        use ErrorType as E;
        let detail = failure.to_string();
        match failure {
            Failure::Refused(refusal) => invalid(&refusal.pointer, detail),
            Failure::Gateway => new(
                400,
                "invalid_event",
                E::Invalid,
                "The event is not valid",
                detail,
            ),
            Failure::NoSuchRoute => new(
                404,
                "no_such_route",
                E::NotFound,
                "There is no such route",
                detail,
            ),
            Failure::MethodNotAllowed { allow } => Self {
                allow: Some(allow),
                ..new(
                    405,
                    "method_not_allowed",
                    E::Invalid,
                    "The method is not allowed",
                    detail,
                )
            },
            Failure::Unauthenticated => new(
                401,
                "unauthenticated",
                E::AccessDenied,
                "No verified identity",
                detail,
            ),
            Failure::NoActorClaim => new(
                403,
                "no_actor",
                E::AccessDenied,
                "No actor in the identity",
                detail,
            ),
            Failure::OtherActor => new(
                403,
                "other_actor",
                E::AccessDenied,
                "Another actor's conversation",
                detail,
            ),
            Failure::RequestTooLarge { .. } => new(
                413,
                "request_too_large",
                E::TooLarge,
                "The request is too large",
                detail,
            ),
            Failure::AnswerTooLarge { .. } => new(
                422,
                "answer_too_large",
                E::TooLarge,
                "The answer is too large",
                detail,
            ),
            Failure::Unwritable => new(
                500,
                "unwritable",
                E::Integrity,
                "The answer cannot be written",
                detail,
            ),
            Failure::ClaimCheck => new(
                503,
                "claim_check_unavailable",
                E::Unavailable,
                NOT_AVAILABLE,
                detail,
            )
            .passing(),
            Failure::Conversation(error) => conversation(error),
        }
    }
}

const NOT_AVAILABLE: &str = "A service is not available";
const NOT_SET_UP: &str = "The service is not set up";

/// What exactly failed behind the function is for the log. The caller learns what it can do about it.
fn conversation(error: &Error) -> Problem {
    use ErrorType as E;
    match error {
        Error::NotFound(_) => {
            let detail = "the memory or the context table does not exist";
            new(500, "not_configured", E::NotFound, NOT_SET_UP, detail)
        }
        Error::Conflict { kind, head } => {
            let title = "The conversation is not as expected";
            Problem {
                head: head.clone(),
                ..new(
                    409,
                    conflict_code(kind),
                    E::Conflict,
                    title,
                    kind.to_string(),
                )
            }
        }
        Error::Throttled(_) => new(
            429,
            "throttled",
            E::Throttled,
            "Too many requests",
            "try again later",
        )
        .passing(),
        Error::Unavailable(_) => {
            let detail = "the request may be repeated with the same head or idempotency key";
            new(503, "unavailable", E::Unavailable, NOT_AVAILABLE, detail).passing()
        }
        Error::AccessDenied(_) => {
            let detail = "the function's own permissions do not suffice";
            new(500, "access_denied", E::AccessDenied, NOT_SET_UP, detail)
        }
        Error::QuotaExceeded => {
            let detail = "a quota of the account is used up";
            new(
                503,
                "quota_exceeded",
                E::QuotaExceeded,
                "A quota is used up",
                detail,
            )
        }
        Error::Integrity { kind, .. } => {
            let detail = "the stored conversation cannot be trusted";
            new(
                500,
                integrity_code(kind),
                E::Integrity,
                "The conversation is damaged",
                detail,
            )
        }
        Error::Invalid { pointer, reason } => invalid(pointer, invalid_detail(reason)),
        Error::TooLarge { what, .. } => Problem {
            pointer: what.starts_with('/').then(|| what.clone()),
            ..new(
                413,
                "too_large",
                E::TooLarge,
                "Something is too large",
                error.to_string(),
            )
        },
        Error::Model(error) => model(error),
        Error::DeadlineExceeded => {
            let title = "The time did not suffice";
            new(
                504,
                "deadline_exceeded",
                E::DeadlineExceeded,
                title,
                "nothing was changed",
            )
            .passing()
        }
    }
}

/// In each of these cases the summary there was, and all messages, are as they were.
fn model(error: &SummarizerError) -> Problem {
    use ErrorType as E;
    const NO_SUMMARY: &str = "The model gave no summary";
    let unchanged = "nothing was changed";
    match error {
        SummarizerError::Throttled => new(
            429,
            "model_throttled",
            E::Throttled,
            "Too many requests",
            "the model is busy; try again later",
        )
        .passing(),
        SummarizerError::TimedOut | SummarizerError::Unavailable { .. } => {
            let detail = "the model did not answer; try again";
            let code = "model_unavailable";
            new(503, code, E::Unavailable, NOT_AVAILABLE, detail).passing()
        }
        SummarizerError::Refused => {
            let code = "model_refused";
            new(502, code, E::ModelRefused, NO_SUMMARY, unchanged)
        }
        SummarizerError::CutOff => {
            let code = "model_cut_off";
            new(502, code, E::ModelRefused, NO_SUMMARY, unchanged)
        }
        SummarizerError::Empty => {
            let code = "model_empty";
            new(502, code, E::ModelRefused, NO_SUMMARY, unchanged)
        }
        SummarizerError::TooLong => {
            let detail = "there is more to read than the model takes, even in small steps";
            let code = "model_input_too_long";
            new(502, code, E::ModelRefused, NO_SUMMARY, detail)
        }
        SummarizerError::AccessDenied => {
            let detail = "the function may not use the model";
            let code = "model_access_denied";
            new(500, code, E::AccessDenied, NOT_SET_UP, detail)
        }
        SummarizerError::NotFound => {
            let detail = "the model does not exist";
            new(500, "model_not_found", E::NotFound, NOT_SET_UP, detail)
        }
        SummarizerError::Invalid { .. } => {
            let detail = "the model does not take the form of the request";
            new(500, "model_invalid", E::ModelRefused, NOT_SET_UP, detail)
        }
    }
}

fn conflict_code(kind: &ConflictKind) -> &'static str {
    match kind {
        ConflictKind::HeadMoved => "head_moved",
        ConflictKind::KeyReused => "key_reused",
        ConflictKind::State { .. } => "state_moved",
        ConflictKind::SummaryMoved => "summary_moved",
        ConflictKind::PrefixTooShort { .. } => "prefix_too_short",
        ConflictKind::PrefixMismatch { .. } => "prefix_mismatch",
    }
}

fn integrity_code(kind: &IntegrityKind) -> &'static str {
    match kind {
        IntegrityKind::Gap => "event_missing",
        IntegrityKind::Tampered => "event_altered",
        IntegrityKind::Sequence { .. } => "sequence_broken",
        IntegrityKind::Context { .. } => "context_corrupt",
    }
}

fn invalid_detail(reason: &conversation::InvalidReason) -> String {
    match reason {
        // The service's own words might quote what it refused.
        conversation::InvalidReason::Refused(_) => {
            "the event log refused the form of the request".to_owned()
        }
        other => other.to_string(),
    }
}

fn invalid(pointer: &str, detail: String) -> Problem {
    Problem {
        pointer: Some(pointer.to_owned()),
        ..new(
            400,
            "invalid_request",
            ErrorType::Invalid,
            "The request is not valid",
            detail,
        )
    }
}

fn new(
    status: u16,
    code: &'static str,
    error_type: ErrorType,
    title: &'static str,
    detail: impl Into<String>,
) -> Problem {
    Problem {
        status,
        code,
        error_type,
        title,
        detail: detail.into(),
        pointer: None,
        retry_after: None,
        head: None,
        allow: None,
    }
}

impl Problem {
    /// A problem that passes: a second later things may look different.
    fn passing(mut self) -> Self {
        self.retry_after = Some(1);
        self
    }

    /// The problem document (RFC 9457), the same over HTTP and in a Lambda error's message.
    #[must_use]
    pub fn document(&self, request_id: &str) -> Value {
        let mut document = json!({
            "type": format!("urn:colloquy:problem:{}", self.code),
            "title": self.title,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            "requestId": request_id,
        });
        let optional = [
            ("pointer", self.pointer.clone().map(Value::from)),
            ("retryAfter", self.retry_after.map(Value::from)),
            ("head", self.head.clone().map(Value::from)),
        ];
        if let Value::Object(fields) = &mut document {
            fields.extend(
                optional
                    .into_iter()
                    .filter_map(|(name, value)| Some((name.to_owned(), value?))),
            );
        }
        document
    }
}

#[cfg(test)]
mod tests;
