//! Payload items and events from the API's JSON, without a detour over [`Value`] for the usual shapes.
//!
//! An item of an unusual shape is not an error: it becomes [`Payload::Unknown`], put together again from the
//! pieces read so far.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::shape::{Members, Shape};
use super::{Event, Payload, Role};
use crate::model::Object;
use crate::name::Name;

impl<'de> Deserialize<'de> for Payload {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PayloadVisitor)
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EventVisitor)
    }
}

struct EventVisitor;

impl<'de> Visitor<'de> for EventVisitor {
    type Value = Event;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an AgentCore event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Event, A::Error> {
        let mut event = Event::default();
        while let Some(key) = map.next_key::<Name<'de>>()? {
            match &*key.0 {
                "payload" => event.payload = map.next_value::<Option<_>>()?.unwrap_or_default(),
                "metadata" => event.metadata = map.next_value::<Metadata>()?.0,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(event)
    }
}

/// An event's metadata with its `stringValue` wrappers taken off. Other kinds of value exist only on long-term
/// records, never on events.
struct Metadata(BTreeMap<String, String>);

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pairs =
            Option::<BTreeMap<String, Wrapper>>::deserialize(deserializer)?.unwrap_or_default();
        let pairs = pairs
            .into_iter()
            .filter_map(|(key, wrapper)| Some((key, wrapper.0?)));
        Ok(Self(pairs.collect()))
    }
}

struct Wrapper(Option<String>);

impl<'de> Deserialize<'de> for Wrapper {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_any(Members::<Value, 1>::new(["stringValue"]))? {
            Shape::Map([Some(Value::String(text))], _) => Ok(Self(Some(text))),
            Shape::Map(..) | Shape::Other(_) => Ok(Self(None)),
        }
    }
}

struct PayloadVisitor;

impl<'de> Visitor<'de> for PayloadVisitor {
    type Value = Payload;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a payload item")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Payload, A::Error> {
        let Some(first) = map.next_key::<Name<'de>>()? else {
            return Ok(Payload::Unknown(Object::new()));
        };
        let payload = match &*first.0 {
            "conversational" => map.next_value::<Conversational>()?.into(),
            "blob" => Payload::Blob(map.next_value()?),
            "json" => json(map.next_value()?),
            key => Payload::Unknown(Object::from_iter([(key.to_owned(), map.next_value()?)])),
        };
        let Some(second) = map.next_key::<String>()? else {
            return Ok(payload);
        };
        // A union has one member; what has more is kept as it is.
        let mut members = into_members(payload);
        members.insert(second, map.next_value()?);
        while let Some((key, value)) = map.next_entry()? {
            members.insert(key, value);
        }
        Ok(Payload::Unknown(members))
    }
}

fn json(member: Value) -> Payload {
    match member {
        Value::Object(mut fields) if fields.len() == 1 && fields.contains_key("content") => {
            Payload::Json(fields.shift_remove("content").unwrap_or_default())
        }
        other => Payload::Unknown(Object::from_iter([("json".to_owned(), other)])),
    }
}

fn into_members(payload: Payload) -> Object {
    match payload {
        Payload::Unknown(members) => members,
        Payload::Blob(blob) => Object::from_iter([("blob".to_owned(), blob)]),
        Payload::Json(content) => one("json", Value::Object(one("content", content))),
        Payload::Conversational { role, text } => {
            let mut fields = one("content", Value::Object(one("text", Value::String(text))));
            fields.insert("role".to_owned(), Value::String(role.as_str().to_owned()));
            one("conversational", Value::Object(fields))
        }
    }
}

fn one(key: &str, value: Value) -> Object {
    Object::from_iter([(key.to_owned(), value)])
}

/// What stands under `conversational`.
enum Conversational {
    Speech { role: Role, text: String },
    Other(Value),
}

impl From<Conversational> for Payload {
    fn from(member: Conversational) -> Self {
        match member {
            Conversational::Speech { role, text } => Payload::Conversational { role, text },
            Conversational::Other(value) => Payload::Unknown(one("conversational", value)),
        }
    }
}

impl<'de> Deserialize<'de> for Conversational {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (mut content, mut role, rest) =
            match deserializer.deserialize_any(Members::new(["content", "role"]))? {
                Shape::Map([content, role], rest) => (content, role, rest),
                Shape::Other(value) => return Ok(Self::Other(value)),
            };
        if let (Some(Inner::Text(_)), Some(Inner::Json(Value::String(_)))) = (&content, &role)
            && rest.is_empty()
            && let (Some(Inner::Text(text)), Some(Inner::Json(Value::String(role)))) =
                (content.take(), role.take())
        {
            return Ok(Self::Speech {
                role: Role::from(role),
                text,
            });
        }
        let known = [("content", content), ("role", role)];
        let known = known
            .into_iter()
            .filter_map(|(key, inner)| Some((key.to_owned(), inner?.into())));
        Ok(Self::Other(Value::Object(known.chain(rest).collect())))
    }
}

/// A member of `conversational`: `content` is an object with a text, `role` a string.
enum Inner {
    Text(String),
    Json(Value),
}

impl From<Inner> for Value {
    fn from(inner: Inner) -> Self {
        match inner {
            Inner::Text(text) => Value::Object(one("text", Value::String(text))),
            Inner::Json(value) => value,
        }
    }
}

impl<'de> Deserialize<'de> for Inner {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(
            match deserializer.deserialize_any(Members::<Value, 1>::new(["text"]))? {
                Shape::Map([Some(Value::String(text))], rest) if rest.is_empty() => {
                    Self::Text(text)
                }
                Shape::Map([text], rest) => {
                    let text = text.map(|text| ("text".to_owned(), text));
                    Self::Json(Value::Object(text.into_iter().chain(rest).collect()))
                }
                Shape::Other(value) => Self::Json(value),
            },
        )
    }
}
