//! What is wrong with a request, and where.

use std::fmt;

use thiserror::Error;

use crate::values::{MAX_VALUES, OBJECT};

/// A request that cannot be served as it stands. It says where and why, and repeats nothing of the
/// values it was given.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{reason}", At(.pointer))]
pub struct Refusal {
    /// The place, as a JSON pointer into the request's fields; empty for the whole of it.
    pub pointer: String,
    /// What is wrong there.
    pub reason: Reason,
}

/// Why a field is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Reason {
    /// A field that must be there is not.
    #[error("is required")]
    Missing,
    /// The value has another type.
    #[error("must be {expected}")]
    WrongType {
        /// What it has to be, with its article.
        expected: &'static str,
    },
    /// No such field; perhaps a misspelt one.
    #[error("is not a known field{}", DidYouMean(*.suggestion))]
    Unknown {
        /// The known name nearest to it.
        suggestion: Option<&'static str>,
    },
    /// The field is there twice, under both of its spellings or in two places.
    #[error("is given more than once")]
    Repeated,
    /// The value is none of a short list.
    #[error("must be one of {}", .allowed.join(", "))]
    NotOneOf {
        /// The values allowed.
        allowed: &'static [&'static str],
    },
    /// The number is too small or too large.
    #[error("must be between {min} and {max}")]
    OutOfRange {
        /// The least.
        min: u64,
        /// The most.
        max: u64,
    },
    /// The text is empty.
    #[error("must not be empty")]
    Empty,
    /// The text or the bytes are not what they should be written in.
    #[error("is not {expected}")]
    Malformed {
        /// What it should be.
        expected: &'static str,
    },
    /// The request is made of so many values that reading it would take more memory than there is.
    #[error("has more than {max} values, an object counted as {OBJECT}")]
    TooManyValues {
        /// The most it may have.
        max: usize,
    },
    /// Two fields that say the same thing do not agree.
    #[error("differs from the one in the path")]
    DiffersFromPath,
    /// A rule of the message model is broken.
    #[error("is not a valid message: {0}")]
    Message(String),
    /// The combination or the value is understood but not offered.
    #[error("{0}")]
    Unsupported(&'static str),
}

impl Refusal {
    /// A refusal of one field, named as callers write it.
    pub(crate) fn field(name: &str, reason: Reason) -> Self {
        Self {
            pointer: pointer(&[name]),
            reason,
        }
    }

    /// A refusal of the request as a whole.
    pub(crate) fn whole(reason: Reason) -> Self {
        Self {
            pointer: String::new(),
            reason,
        }
    }

    /// A refusal of a request that has more values than one may have.
    pub(crate) fn too_many_values() -> Self {
        Self::whole(Reason::TooManyValues { max: MAX_VALUES })
    }

    /// The same refusal seen from further out.
    pub(crate) fn below(mut self, parent: &str) -> Self {
        self.pointer = format!("{parent}{}", self.pointer);
        self
    }
}

/// The JSON pointer of nested names. A name may be the caller's own, of any length, and an answer has no room for
/// that: beyond some letters it is cut.
pub(crate) fn pointer(names: &[&str]) -> String {
    let mut pointer = String::new();
    for name in names {
        pointer.push('/');
        let mut letters = name.chars();
        for letter in letters.by_ref().take(MAX_NAME_CHARS) {
            match letter {
                '~' => pointer.push_str("~0"),
                '/' => pointer.push_str("~1"),
                other => pointer.push(other),
            }
        }
        if letters.next().is_some() {
            pointer.push('…');
        }
    }
    pointer
}

const MAX_NAME_CHARS: usize = 64;

struct At<'a>(&'a str);

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            f.write_str("the request ")
        } else {
            write!(f, "{} ", self.0)
        }
    }
}

struct DidYouMean(Option<&'static str>);

impl fmt::Display for DidYouMean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, ", did you mean {name}?"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Reason, Refusal, pointer};

    #[test]
    fn a_refusal_reads_as_a_sentence() {
        let typo = Reason::Unknown {
            suggestion: Some("sessionId"),
        };
        assert_eq!(
            Refusal::field("sesionId", typo).to_string(),
            "/sesionId is not a known field, did you mean sessionId?"
        );
        let whole = Refusal::whole(Reason::Malformed { expected: "JSON" });
        assert_eq!(whole.to_string(), "the request is not JSON");
    }

    #[test]
    fn pointers_escape_their_own_signs() {
        assert_eq!(pointer(&["a/b", "c~d"]), "/a~1b/c~0d");
    }

    #[test]
    fn pointers_cut_what_is_too_long() {
        let name = "é".repeat(64);
        assert_eq!(pointer(&[&name, "b"]), format!("/{name}/b"));
        assert_eq!(pointer(&[&format!("{name}x")]), format!("/{name}…"));
    }
}
