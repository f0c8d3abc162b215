//! What the command line says about a line it cannot convert.

use codec::converse::ConverseError;
use codec::{DecodeError, EncodeError, ShapeError};
use serde_json::{Value, json};

/// An error of one line. The text never holds content of the line.
#[derive(Debug)]
pub(super) struct Fault {
    code: &'static str,
    message: String,
    path: String,
}

impl Fault {
    pub(super) fn new(code: &'static str, message: &str, path: &str) -> Self {
        Self {
            code,
            message: message.to_owned(),
            path: path.to_owned(),
        }
    }

    /// An empty line is not JSON either: it gets an error line too, so that lines out match lines in.
    pub(super) fn not_json(error: &serde_json::Error) -> Self {
        let message = format!("not JSON: the fault is at column {}", error.column());
        Self::new("invalid_json", &message, "")
    }

    pub(super) fn into_json(self) -> Value {
        json!({"error": {"code": self.code, "message": self.message, "path": self.path}})
    }
}

impl From<ShapeError> for Fault {
    fn from(error: ShapeError) -> Self {
        Self::new(error.code(), &error.reason.to_string(), &error.path)
    }
}

impl From<ConverseError> for Fault {
    fn from(error: ConverseError) -> Self {
        Self::new(error.code(), &error.to_string(), &error.path())
    }
}

impl From<EncodeError> for Fault {
    fn from(error: EncodeError) -> Self {
        Self::new(error.code(), &error.to_string(), "")
    }
}

impl From<DecodeError> for Fault {
    fn from(error: DecodeError) -> Self {
        let path = format!("/payload/{}{}", error.payload, error.path);
        Self::new(error.code(), &error.reason.to_string(), &path)
    }
}
