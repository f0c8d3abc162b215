//! The payload union and the event, with the JSON shape of the AgentCore Memory API.

mod read;
mod shape;
mod write;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::model::Object;

/// One item of an event's payload.
#[derive(Clone, Debug, PartialEq)]
pub enum Payload {
    /// `{"conversational":{"content":{"text":…},"role":…}}`: prose that long-term memory may learn from.
    Conversational {
        /// Who speaks.
        role: Role,
        /// 1 to 100 000 characters; what we write has at most as many bytes.
        text: String,
    },
    /// `{"blob":…}`: any JSON. The service returns anything but a string mangled, so we write strings.
    Blob(Value),
    /// `{"json":{"content":…}}`: any JSON, null included.
    Json(Value),
    /// A member, or a shape of a known member, that this version does not know: kept verbatim.
    Unknown(Object),
}

/// The speaker of a conversational payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// `USER`
    User,
    /// `ASSISTANT`
    Assistant,
    /// `TOOL`
    Tool,
    /// `OTHER`
    Other,
    /// A role this version does not know, verbatim.
    Unknown(String),
}

impl Role {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::User => "USER",
            Self::Assistant => "ASSISTANT",
            Self::Tool => "TOOL",
            Self::Other => "OTHER",
            Self::Unknown(word) => word,
        }
    }
}

impl From<String> for Role {
    fn from(word: String) -> Self {
        match word.as_str() {
            "USER" => Self::User,
            "ASSISTANT" => Self::Assistant,
            "TOOL" => Self::Tool,
            "OTHER" => Self::Other,
            _ => Self::Unknown(word),
        }
    }
}

/// What decoding looks at of an AgentCore event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Event {
    /// The payload items in stored order.
    pub payload: Vec<Payload>,
    /// The event's metadata, its `stringValue` wrappers taken off.
    pub metadata: BTreeMap<String, String>,
}
