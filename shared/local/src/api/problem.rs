//! What the API itself says, before a function is asked.

use edge::{ErrorType, Failure, Problem};
use hyper::StatusCode;

/// Too much at once.
pub(crate) fn overloaded() -> Problem {
    Problem {
        retry_after: Some(1),
        ..problem(
            StatusCode::SERVICE_UNAVAILABLE,
            "overloaded",
            ErrorType::Unavailable,
            "Too many requests at once",
            "try again in a second",
        )
    }
}

/// The body has more bytes than a function takes.
pub(crate) fn too_large(size_bytes: usize, limit_bytes: usize) -> Problem {
    Problem::from(&Failure::RequestTooLarge {
        size_bytes,
        limit_bytes,
    })
}

/// The body did not arrive in time.
pub(crate) fn too_slow() -> Problem {
    problem(
        StatusCode::REQUEST_TIMEOUT,
        "request_timeout",
        ErrorType::Invalid,
        "The request took too long",
        "the body did not arrive in time",
    )
}

/// The function did not answer in time.
pub(crate) fn no_answer() -> Problem {
    problem(
        StatusCode::GATEWAY_TIMEOUT,
        "deadline_exceeded",
        ErrorType::DeadlineExceeded,
        "The time did not suffice",
        "the function gave no answer in time",
    )
}

fn problem(
    status: StatusCode,
    code: &'static str,
    error_type: ErrorType,
    title: &'static str,
    detail: &str,
) -> Problem {
    Problem {
        status: status.as_u16(),
        code,
        error_type,
        title,
        detail: detail.to_owned(),
        pointer: None,
        retry_after: None,
        head: None,
        allow: None,
    }
}
