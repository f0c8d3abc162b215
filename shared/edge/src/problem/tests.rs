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
