//! `codec decode`.

use std::str::FromStr;

use codec::converse::to_converse;
use codec::{Decoded, Event, Mode, decode as read, join, to_prompt};
use serde_json::{Map, Value, json};

use super::fault::Fault;

/// What a line of output holds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    Messages,
    Converse,
    Prompt,
}

impl FromStr for Target {
    type Err = &'static str;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "messages" => Ok(Self::Messages),
            "converse" => Ok(Self::Converse),
            "prompt" => Ok(Self::Prompt),
            _ => Err("it is `messages`, `converse` or `prompt`"),
        }
    }
}

pub(super) fn decode(line: Value, mode: Mode, to: Target) -> Result<Value, Fault> {
    let Value::Object(mut fields) = line else {
        return Err(Fault::new("wrong_type", "an event is a JSON object", ""));
    };
    let decoded = match fields.shift_remove("events") {
        Some(events) => decode_events(events, mode)?,
        None => read(&event(fields, "")?, mode)?,
    };
    Ok(answer(&decoded, to))
}

/// The several events `codec encode` writes for one large message. A page of `ListEvents` looks alike but runs
/// backwards in time, so it is refused rather than read in the wrong order.
fn decode_events(events: Value, mode: Mode) -> Result<Decoded, Fault> {
    let Value::Array(events) = events else {
        return Err(Fault::new("wrong_type", "`events` is an array", "/events"));
    };
    let mut decoded = Vec::with_capacity(events.len());
    for (index, value) in events.into_iter().enumerate() {
        let path = format!("/events/{index}");
        match value {
            Value::Object(fields) if fields.contains_key("eventId") => {
                let message = "a page of events: hand in one event a line, oldest first";
                return Err(Fault::new("many_events", message, &path));
            }
            Value::Object(fields) => decoded.push(read(&event(fields, &path)?, mode)?),
            _ => return Err(Fault::new("wrong_type", "an event is a JSON object", &path)),
        }
    }
    Ok(join(decoded))
}

/// Checks the outer shape, which the codec itself takes on trust. An event that was listed without its
/// payload is an error: it must not pass for an empty one.
fn event(mut fields: Map<String, Value>, path: &str) -> Result<Event, Fault> {
    if let Some(payloads) = fields.shift_remove("payloads") {
        fields.entry("payload").or_insert(payloads);
    }
    let path = format!("{path}/payload");
    let items = match fields.get("payload") {
        Some(Value::Array(items)) => items,
        Some(_) => return Err(Fault::new("wrong_type", "`payload` is an array", &path)),
        None => {
            return Err(Fault::new(
                "missing_field",
                "the event has no `payload`",
                &path,
            ));
        }
    };
    if let Some(index) = items.iter().position(|item| !item.is_object()) {
        let path = format!("{path}/{index}");
        return Err(Fault::new(
            "wrong_type",
            "a payload item is a JSON object",
            &path,
        ));
    }
    if !matches!(
        fields.get("metadata"),
        None | Some(Value::Null | Value::Object(_))
    ) {
        return Err(Fault::new(
            "wrong_type",
            "`metadata` is an object",
            "/metadata",
        ));
    }
    serde_json::from_value(Value::Object(fields))
        .map_err(|_| Fault::new("wrong_type", "the line is not an event", ""))
}

fn answer(decoded: &Decoded, to: Target) -> Value {
    let mut answer = Map::new();
    let (key, value) = match to {
        Target::Messages => ("messages", json!(decoded.messages)),
        Target::Converse => ("messages", json!(to_converse(&decoded.messages))),
        Target::Prompt => ("prompt", to_prompt(&decoded.messages).into()),
    };
    answer.insert(key.to_owned(), value);
    if !decoded.agents.is_empty() {
        answer.insert("agents".to_owned(), json!(decoded.agents));
    }
    if let Some(part) = &decoded.part {
        let part = json!({"index": part.index, "count": part.count});
        answer.insert("part".to_owned(), part);
    }
    answer.insert("notes".to_owned(), json!(decoded.notes));
    Value::Object(answer)
}
