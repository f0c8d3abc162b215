//! The ports, and the flag that changes each.

use std::fmt;

/// A port of the local run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// The HTTP API.
    Api,
    /// The emulated AgentCore Memory.
    Emulator,
    /// The embedded DynamoDB.
    DynamoDb,
}

impl Port {
    /// The flag that sets it.
    #[must_use]
    pub fn flag(self) -> &'static str {
        match self {
            Self::Api => "--port",
            Self::Emulator => "--emulator-port",
            Self::DynamoDb => "--dynamodb-port",
        }
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Api => "the HTTP API",
            Self::Emulator => "AgentCore Memory",
            Self::DynamoDb => "DynamoDB",
        })
    }
}
