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
mod tests {
    use std::collections::BTreeSet;

    use conversation::{Cause, ConflictKind, Error, IntegrityKind, InvalidReason, Service};

    use conversation::ports::SummarizerError;

    use super::{ErrorType, Problem};
    use crate::failure::Failure;
    use crate::refusal::{Reason, Refusal};

    type Row = (Failure, u16, &'static str, &'static str);

    /// One of each kind of failure, with what callers get.
    fn rows() -> Vec<Row> {
        ours()
            .into_iter()
            .chain(services())
            .chain(conflicts())
            .chain(damages())
            .chain(models())
            .collect()
    }

    fn ours() -> Vec<Row> {
        let too_large = Failure::RequestTooLarge {
            size_bytes: 2,
            limit_bytes: 1,
        };
        vec![
            (
                Refusal::field("x", Reason::Missing).into(),
                400,
                "invalid_request",
                "Invalid",
            ),
            (Failure::Gateway, 400, "invalid_event", "Invalid"),
            (Failure::NoSuchRoute, 404, "no_such_route", "NotFound"),
            (
                Failure::MethodNotAllowed { allow: "GET" },
                405,
                "method_not_allowed",
                "Invalid",
            ),
            (
                Failure::Unauthenticated,
                401,
                "unauthenticated",
                "AccessDenied",
            ),
            (Failure::NoActorClaim, 403, "no_actor", "AccessDenied"),
            (Failure::OtherActor, 403, "other_actor", "AccessDenied"),
            (too_large, 413, "request_too_large", "TooLarge"),
            (
                Failure::AnswerTooLarge { limit_bytes: 1 },
                422,
                "answer_too_large",
                "TooLarge",
            ),
            (Failure::Unwritable, 500, "unwritable", "Integrity"),
            (
                Failure::ClaimCheck,
                503,
                "claim_check_unavailable",
                "Unavailable",
            ),
        ]
    }

    fn services() -> Vec<Row> {
        let unavailable = Error::Unavailable(Cause::EventLog("CANARY".to_owned()));
        let too_large = Error::TooLarge {
            what: "/messages".to_owned(),
            size_bytes: 2,
            limit_bytes: 1,
        };
        let invalid = |reason| Error::Invalid {
            pointer: "/head".to_owned(),
            reason,
        };
        let refused = invalid(InvalidReason::Refused("CANARY".to_owned()));
        let rows = [
            (
                Error::NotFound(Service::EventLog),
                500,
                "not_configured",
                "NotFound",
            ),
            (
                Error::Throttled(Service::Context),
                429,
                "throttled",
                "Throttled",
            ),
            (unavailable, 503, "unavailable", "Unavailable"),
            (
                Error::AccessDenied(Service::EventLog),
                500,
                "access_denied",
                "AccessDenied",
            ),
            (Error::QuotaExceeded, 503, "quota_exceeded", "QuotaExceeded"),
            (
                invalid(InvalidReason::HeadToken),
                400,
                "invalid_request",
                "Invalid",
            ),
            (refused, 400, "invalid_request", "Invalid"),
            (too_large, 413, "too_large", "TooLarge"),
            (
                Error::DeadlineExceeded,
                504,
                "deadline_exceeded",
                "DeadlineExceeded",
            ),
        ];
        rows.map(|(error, status, code, name)| (error.into(), status, code, name))
            .into()
    }

    fn conflicts() -> Vec<Row> {
        let state = ConflictKind::State {
            agent: "a".to_owned(),
            version: 1,
        };
        let kinds = [
            (ConflictKind::HeadMoved, "head_moved"),
            (ConflictKind::KeyReused, "key_reused"),
            (state, "state_moved"),
            (ConflictKind::SummaryMoved, "summary_moved"),
            (
                ConflictKind::PrefixTooShort {
                    stored: 2,
                    given: 1,
                },
                "prefix_too_short",
            ),
            (
                ConflictKind::PrefixMismatch { stored: 2 },
                "prefix_mismatch",
            ),
        ];
        let row = |(kind, code)| {
            let head = Some("h".to_owned());
            (Error::Conflict { kind, head }.into(), 409, code, "Conflict")
        };
        kinds.map(row).into()
    }

    fn models() -> Vec<Row> {
        use SummarizerError as M;
        let detail = || "CANARY".to_owned();
        let rows = [
            (M::Throttled, 429, "model_throttled", "Throttled"),
            (M::TimedOut, 503, "model_unavailable", "Unavailable"),
            (
                M::Unavailable { detail: detail() },
                503,
                "model_unavailable",
                "Unavailable",
            ),
            (M::Refused, 502, "model_refused", "ModelRefused"),
            (M::CutOff, 502, "model_cut_off", "ModelRefused"),
            (M::Empty, 502, "model_empty", "ModelRefused"),
            (M::TooLong, 502, "model_input_too_long", "ModelRefused"),
            (M::AccessDenied, 500, "model_access_denied", "AccessDenied"),
            (M::NotFound, 500, "model_not_found", "NotFound"),
            (
                M::Invalid { detail: detail() },
                500,
                "model_invalid",
                "ModelRefused",
            ),
        ];
        rows.map(|(error, status, code, name)| (Error::Model(error).into(), status, code, name))
            .into()
    }

    fn damages() -> Vec<Row> {
        let context = IntegrityKind::Context {
            item: "CANARY".to_owned(),
            detail: "CANARY".to_owned(),
        };
        let kinds = [
            (IntegrityKind::Gap, "event_missing"),
            (IntegrityKind::Tampered, "event_altered"),
            (
                IntegrityKind::Sequence {
                    expected: 1,
                    found: 2,
                },
                "sequence_broken",
            ),
            (context, "context_corrupt"),
        ];
        let row = |(kind, code)| {
            let error = Error::Integrity {
                turn: None,
                part: None,
                kind,
            };
            (error.into(), 500, code, "Integrity")
        };
        kinds.map(row).into()
    }

    #[test]
    fn every_failure_has_its_status_code_and_name() {
        for (failure, status, code, name) in rows() {
            let problem = Problem::from(&failure);
            assert_eq!(
                (problem.status, problem.code, problem.error_type.name()),
                (status, code, name),
                "{failure}"
            );
            let document = problem.document("r").to_string();
            assert!(!document.contains("CANARY"), "{document}");
        }
    }

    #[test]
    fn every_name_is_used_and_unique() {
        let used: BTreeSet<&str> = rows().iter().map(|(_, _, _, name)| *name).collect();
        let all: BTreeSet<&str> = ErrorType::ALL.iter().map(|name| name.name()).collect();
        assert_eq!(used, all);
        assert_eq!(all.len(), ErrorType::ALL.len());
    }

    #[test]
    fn what_may_pass_says_when_to_come_back() {
        for (failure, status, _, name) in rows() {
            let problem = Problem::from(&failure);
            let passes = ["Throttled", "Unavailable", "DeadlineExceeded"].contains(&name);
            assert_eq!(problem.retry_after.is_some(), passes, "{status} {name}");
        }
    }

    #[test]
    fn a_conflict_tells_the_head_there_is() {
        let (failure, ..) = &conflicts()[0];
        assert_eq!(Problem::from(failure).document("r")["head"], "h");
    }
}
