//! What a failure is to the caller: an HTTP status and a problem document, or a Lambda error whose name a
//! workflow can match. Decided here, and nowhere else.

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
}

impl ErrorType {
    /// Every name, for workflows and documents.
    pub const ALL: [Self; 10] = [
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
        }
    }
}

impl From<&Failure> for Problem {
    fn from(failure: &Failure) -> Self {
        use ErrorType as E;
        let detail = failure.to_string();
        match failure {
            Failure::Refused(refusal) => Self {
                pointer: Some(refusal.pointer.clone()),
                ..new(
                    400,
                    "invalid_request",
                    E::Invalid,
                    "The request is not valid",
                    detail,
                )
            },
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
            Failure::ClaimCheck => Self {
                retry_after: Some(1),
                ..new(
                    503,
                    "claim_check_unavailable",
                    E::Unavailable,
                    "A service is not available",
                    detail,
                )
            },
            Failure::Conversation(error) => conversation(error),
        }
    }
}

fn conversation(error: &Error) -> Problem {
    use ErrorType as E;
    match error {
        Error::NotFound(_) => {
            let detail = "the memory or the context table does not exist";
            new(
                500,
                "not_configured",
                E::NotFound,
                "The service is not set up",
                detail.to_owned(),
            )
        }
        Error::Conflict { kind, head } => Problem {
            head: head.clone(),
            ..new(
                409,
                conflict_code(kind),
                E::Conflict,
                "The conversation is not as expected",
                kind.to_string(),
            )
        },
        Error::Throttled(_) => Problem {
            retry_after: Some(1),
            ..new(
                429,
                "throttled",
                E::Throttled,
                "Too many requests",
                "try again later".to_owned(),
            )
        },
        // What exactly failed is for the log; the caller can only try again.
        Error::Unavailable(_) => Problem {
            retry_after: Some(1),
            ..new(
                503,
                "unavailable",
                E::Unavailable,
                "A service is not available",
                "the request may be repeated with the same head or idempotency key".to_owned(),
            )
        },
        Error::AccessDenied(_) => {
            let detail = "the function's own permissions do not suffice";
            new(
                500,
                "access_denied",
                E::AccessDenied,
                "The service is not set up",
                detail.to_owned(),
            )
        }
        Error::QuotaExceeded => {
            let detail = "a quota of the account is used up";
            new(
                503,
                "quota_exceeded",
                E::QuotaExceeded,
                "A quota is used up",
                detail.to_owned(),
            )
        }
        Error::Integrity { kind, .. } => {
            let detail = "the stored conversation cannot be trusted; see the report in the log";
            new(
                500,
                integrity_code(kind),
                E::Integrity,
                "The conversation is damaged",
                detail.to_owned(),
            )
        }
        Error::Invalid { pointer, reason } => Problem {
            pointer: Some(pointer.clone()),
            ..new(
                400,
                "invalid_request",
                E::Invalid,
                "The request is not valid",
                invalid_detail(reason),
            )
        },
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
        Error::DeadlineExceeded => Problem {
            retry_after: Some(1),
            ..new(
                504,
                "deadline_exceeded",
                E::DeadlineExceeded,
                "The time did not suffice",
                "nothing was changed".to_owned(),
            )
        },
    }
}

fn conflict_code(kind: &ConflictKind) -> &'static str {
    match kind {
        ConflictKind::HeadMoved => "head_moved",
        ConflictKind::KeyReused => "key_reused",
        ConflictKind::State { .. } => "state_moved",
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

fn new(
    status: u16,
    code: &'static str,
    error_type: ErrorType,
    title: &'static str,
    detail: String,
) -> Problem {
    Problem {
        status,
        code,
        error_type,
        title,
        detail,
        pointer: None,
        retry_after: None,
        head: None,
        allow: None,
    }
}

impl Problem {
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

    use super::{ErrorType, Problem};
    use crate::failure::Failure;
    use crate::refusal::{Reason, Refusal};

    /// One of each kind of failure, with what callers get.
    fn rows() -> Vec<(Failure, u16, &'static str, &'static str)> {
        let conflict = |kind| {
            Failure::from(Error::Conflict {
                kind,
                head: Some("h".to_owned()),
            })
        };
        let integrity = |kind| {
            Failure::from(Error::Integrity {
                turn: None,
                part: None,
                kind,
            })
        };
        let context = || IntegrityKind::Context {
            item: "CANARY".to_owned(),
            detail: "CANARY".to_owned(),
        };
        let invalid = |reason| {
            Failure::from(Error::Invalid {
                pointer: "/head".to_owned(),
                reason,
            })
        };
        let too_large = || Error::TooLarge {
            what: "/messages".to_owned(),
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
            (
                Failure::RequestTooLarge {
                    size_bytes: 2,
                    limit_bytes: 1,
                },
                413,
                "request_too_large",
                "TooLarge",
            ),
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
            (
                Error::NotFound(Service::EventLog).into(),
                500,
                "not_configured",
                "NotFound",
            ),
            (
                conflict(ConflictKind::HeadMoved),
                409,
                "head_moved",
                "Conflict",
            ),
            (
                conflict(ConflictKind::KeyReused),
                409,
                "key_reused",
                "Conflict",
            ),
            (
                conflict(ConflictKind::State {
                    agent: "a".to_owned(),
                    version: 1,
                }),
                409,
                "state_moved",
                "Conflict",
            ),
            (
                conflict(ConflictKind::PrefixTooShort {
                    stored: 2,
                    given: 1,
                }),
                409,
                "prefix_too_short",
                "Conflict",
            ),
            (
                conflict(ConflictKind::PrefixMismatch { stored: 2 }),
                409,
                "prefix_mismatch",
                "Conflict",
            ),
            (
                Error::Throttled(Service::Context).into(),
                429,
                "throttled",
                "Throttled",
            ),
            (
                Error::Unavailable(Cause::EventLog("CANARY".to_owned())).into(),
                503,
                "unavailable",
                "Unavailable",
            ),
            (
                Error::AccessDenied(Service::EventLog).into(),
                500,
                "access_denied",
                "AccessDenied",
            ),
            (
                Error::QuotaExceeded.into(),
                503,
                "quota_exceeded",
                "QuotaExceeded",
            ),
            (
                integrity(IntegrityKind::Gap),
                500,
                "event_missing",
                "Integrity",
            ),
            (
                integrity(IntegrityKind::Tampered),
                500,
                "event_altered",
                "Integrity",
            ),
            (
                integrity(IntegrityKind::Sequence {
                    expected: 1,
                    found: 2,
                }),
                500,
                "sequence_broken",
                "Integrity",
            ),
            (integrity(context()), 500, "context_corrupt", "Integrity"),
            (
                invalid(InvalidReason::HeadToken),
                400,
                "invalid_request",
                "Invalid",
            ),
            (
                invalid(InvalidReason::Refused("CANARY".to_owned())),
                400,
                "invalid_request",
                "Invalid",
            ),
            (too_large().into(), 413, "too_large", "TooLarge"),
            (
                Error::DeadlineExceeded.into(),
                504,
                "deadline_exceeded",
                "DeadlineExceeded",
            ),
        ]
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
        let (failure, ..) = &rows()[12];
        assert_eq!(Problem::from(failure).document("r")["head"], "h");
    }
}
