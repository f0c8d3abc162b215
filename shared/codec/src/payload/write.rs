//! The API's JSON of payload items.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::{Payload, Role};

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Payload::Unknown(member) = self {
            return member.serialize(serializer);
        }
        let mut map = serializer.serialize_map(Some(1))?;
        match self {
            Payload::Conversational { role, text } => map.serialize_entry(
                "conversational",
                &Speech {
                    text,
                    role: role.as_str(),
                },
            )?,
            Payload::Blob(blob) => map.serialize_entry("blob", blob)?,
            Payload::Json(content) => map.serialize_entry("json", &Wrapped("content", content))?,
            Payload::Unknown(_) => {}
        }
        map.end()
    }
}

impl Serialize for Role {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

struct Speech<'a> {
    text: &'a str,
    role: &'a str,
}

impl Serialize for Speech<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("content", &Wrapped("text", self.text))?;
        map.serialize_entry("role", self.role)?;
        map.end()
    }
}

/// An object with a single member.
struct Wrapped<'a, T: ?Sized>(&'static str, &'a T);

impl<T: Serialize + ?Sized> Serialize for Wrapped<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(self.0, self.1)?;
        map.end()
    }
}
