//! `codec encode`.

use std::str::FromStr;

use codec::converse::{ConverseMessage, from_converse};
use codec::model::Message;
use codec::{Dialect, EncodeError, Payload, encode as lay_out, pack};
use serde_json::{Value, json};

use super::fault::Fault;

/// What a line of input is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Messages,
    Converse,
}

impl FromStr for Source {
    type Err = &'static str;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "messages" => Ok(Self::Messages),
            "converse" => Ok(Self::Converse),
            _ => Err("it is `messages` or `converse`"),
        }
    }
}

pub(super) fn encode(value: Value, dialect: Dialect, from: Source) -> Result<Value, Fault> {
    let messages = match from {
        Source::Messages => vec![Message::try_from(value)?],
        Source::Converse => from_converse(&ConverseMessage::from_value(value)?),
    };
    let mut events = events(&messages, dialect)?;
    if events.len() == 1
        && let Some(payloads) = events.pop()
    {
        return Ok(json!({ "payloads": payloads }));
    }
    let events: Vec<Value> = events
        .iter()
        .map(|payload| json!({ "payload": payload }))
        .collect();
    Ok(json!({ "events": events }))
}

/// One Converse message may be two of ours. The seed dialect has no mark between messages, so there each has
/// an event of its own.
fn events(messages: &[Message], dialect: Dialect) -> Result<Vec<Vec<Payload>>, EncodeError> {
    if let Dialect::Camunda = dialect {
        return pack(messages, dialect);
    }
    let mut events = Vec::new();
    for message in messages {
        events.append(&mut lay_out(message, dialect)?);
    }
    Ok(events)
}
