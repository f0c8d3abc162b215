//! Regular envelopes, read from their text straight into the model.
//!
//! Whatever is not exactly as Camunda and we write it (keys in another order, a null, a wrong type) is refused
//! here without a word and left to the careful way.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

use super::envelope::{Envelope, MetadataBlob, unwrapped};
use super::hints::Hints;
use crate::json::transcript::Transcript;
use crate::model::{Content, Fields, Json, Label, ToolCall, ToolResult};
use crate::name::Name;
use crate::wire::{COLLOQUY, Kind, MESSAGE_ID, MODEL_ID, STOP_REASON, USER_NAME};

/// Reads an envelope, if it is a regular one.
pub(super) fn envelope(text: &str) -> Result<Envelope, serde_json::Error> {
    serde_json::from_str::<Regular<Envelope>>(text).map(|regular| regular.0)
}

/// A value in its regular form.
struct Regular<T>(T);

/// Reads a map into a `T` one member after the other.
trait FromMap: Sized {
    fn from_map<'de, A: MapAccess<'de>>(map: A) -> Result<Self, A::Error>;
}

impl<'de, T: FromMap> Deserialize<'de> for Regular<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_map(MapVisitor(std::marker::PhantomData))
            .map(Regular)
    }
}

struct MapVisitor<T>(std::marker::PhantomData<T>);

impl<'de, T: FromMap> Visitor<'de> for MapVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::from_map(map)
    }
}

impl FromMap for Envelope {
    fn from_map<'de, A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        expect(&mut map, "blobType")?;
        let kind = Kind::of(&map.next_value::<Name<'de>>()?.0).ok_or_else(irregular)?;
        expect(&mut map, "version")?;
        if !matches!(map.next_value::<u8>()?, 1 | 2) {
            return Err(irregular());
        }
        expect(&mut map, kind.data_key())?;
        let envelope = match kind {
            Kind::Content => Self::Content(map.next_value::<Regular<_>>()?.0),
            Kind::ToolCalls => Self::ToolCalls(list(map.next_value()?)),
            Kind::Results => Self::Results(list(map.next_value()?)),
            Kind::Metadata => {
                let metadata = map.next_value::<Fields>()?;
                expect(&mut map, "properties")?;
                let Regular(mut blob) = map.next_value::<Regular<MetadataBlob>>()?;
                blob.metadata = metadata;
                Self::Metadata(Box::new(blob))
            }
        };
        match map.next_key::<Name<'de>>()? {
            None => Ok(envelope),
            Some(_) => Err(irregular()),
        }
    }
}

impl FromMap for MetadataBlob {
    fn from_map<'de, A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut blob = Self::default();
        while let Some(Name(key)) = map.next_key::<Name<'de>>()? {
            let text = match &*key {
                "role" => &mut blob.role,
                USER_NAME => &mut blob.user_name,
                MODEL_ID => &mut blob.model_id,
                MESSAGE_ID => &mut blob.message_id,
                STOP_REASON => &mut blob.stop_reason,
                COLLOQUY => {
                    blob.hints = Some(map.next_value::<Regular<Hints>>()?.0);
                    continue;
                }
                _ => return Err(irregular()),
            };
            *text = Some(map.next_value()?);
        }
        Ok(blob)
    }
}

impl FromMap for Hints {
    fn from_map<'de, A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut hints = Self::default();
        while let Some(Name(key)) = map.next_key::<Name<'de>>()? {
            if key == "extra" {
                hints.set_extra(map.next_value()?);
            } else {
                hints.take(&key, map.next_value()?).ok_or_else(irregular)?;
            }
        }
        Ok(hints)
    }
}

impl FromMap for Content {
    fn from_map<'de, A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        expect(&mut map, "type")?;
        let Name(kind) = map.next_value::<Name<'de>>()?;
        let key_of_value = match &*kind {
            "text" => "text",
            "document" => "document",
            "object" => "content",
            "reasoning" | "provider" => "payload",
            _ => return Err(irregular()),
        };
        let has_provider = key_of_value == "payload";
        let (mut text, mut value, mut provider) = (None, Json::default(), None);
        let (mut metadata, mut extra) = (Fields::new(), Transcript::default());
        while let Some(Name(key)) = map.next_key::<Name<'de>>()? {
            match &*key {
                key if key == key_of_value && key == "text" => text = Some(map.next_value()?),
                key if key == key_of_value => value = map.next_value()?,
                "provider" if has_provider => provider = Some(map.next_value::<Label>()?),
                "metadata" => metadata = map.next_value()?,
                "type" => return Err(irregular()),
                key => extra.member(key, &mut map)?,
            }
        }
        let extra = Fields::of_members(extra);
        if let Some(text) = text {
            return Ok(Self::Text {
                text,
                metadata,
                extra,
            });
        }
        if value.is_null() {
            return Err(irregular());
        }
        let block = match (&*kind, provider) {
            ("document", None) => Self::Document {
                document: value,
                metadata,
                extra,
            },
            ("object", None) => Self::Object {
                content: value,
                metadata,
                extra,
            },
            ("reasoning", Some(provider)) => Self::Reasoning {
                provider,
                payload: value,
                metadata,
                extra,
            },
            ("provider", Some(provider)) => Self::Provider {
                provider,
                payload: value,
                metadata,
                extra,
            },
            _ => return Err(irregular()),
        };
        Ok(unwrapped(block))
    }
}

impl FromMap for ToolCall {
    fn from_map<'de, A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let (mut id, mut name) = (None, None);
        let (mut arguments, mut extra) = (Fields::new(), Transcript::default());
        while let Some(Name(key)) = map.next_key::<Name<'de>>()? {
            match &*key {
                "id" => id = Some(map.next_value()?),
                "name" => name = Some(map.next_value()?),
                "arguments" => arguments = map.next_value()?,
                key => extra.member(key, &mut map)?,
            }
        }
        Ok(Self {
            id: id.ok_or_else(irregular)?,
            name: name.ok_or_else(irregular)?,
            arguments,
            extra: Fields::of_members(extra),
        })
    }
}

impl FromMap for ToolResult {
    fn from_map<'de, A: MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        let mut result = Self::default();
        let mut properties = Transcript::default();
        while let Some(Name(key)) = map.next_key::<Name<'de>>()? {
            match &*key {
                "id" => result.id = Some(map.next_value()?),
                "name" => result.name = Some(map.next_value()?),
                "content" => result.content = list(map.next_value()?),
                "elementId" => result.element_id = Some(map.next_value()?),
                "completedAt" => result.completed_at = Some(map.next_value()?),
                key => properties.member(key, &mut map)?,
            }
        }
        result.properties = Fields::of_members(properties);
        Ok(result)
    }
}

fn list<T>(items: Vec<Regular<T>>) -> Vec<T> {
    let mut list: Vec<T> = items.into_iter().map(|item| item.0).collect();
    // A list that was read has room for more than it will ever hold.
    list.shrink_to_fit();
    list
}

fn expect<'de, A: MapAccess<'de>>(map: &mut A, key: &str) -> Result<(), A::Error> {
    match map.next_key::<Name<'de>>()? {
        Some(Name(found)) if found == key => Ok(()),
        _ => Err(irregular()),
    }
}

fn irregular<E: Error>() -> E {
    E::custom("irregular")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::envelope;
    use crate::decode::envelope::careful;
    use crate::encode::{Dialect, encode};
    use crate::model::Message;
    use crate::note::{Mode, Notes};
    use crate::path::Path;
    use crate::payload::Payload;

    /// Whatever we write is regular, and the careful way reads it no differently.
    #[test]
    fn all_that_is_written_is_regular() {
        let messages = [
            json!({"role": "user", "name": "Ann", "content": [{"type": "text", "text": ""}, {"type": "new"},
                {"type": "document", "document": {}, "metadata": {"k": 1}, "x": 1}], "metadata": {"k": null}, "y": 2}),
            json!({"role": "assistant", "content": [{"type": "reasoning", "provider": "p", "payload": [1]}],
                "toolCalls": [{"id": "1", "name": "f", "arguments": {"a": null}, "x": 1}], "stopReason": "STOP"}),
            json!({"role": "tool_call_result", "results": [{"id": "1", "content": [{"type": "object", "content": 1.5}],
                "p": null, "q": true}]}),
        ];
        for message in messages {
            let message = Message::try_from(message).unwrap();
            for item in encode(&message, Dialect::Camunda).unwrap().concat() {
                let Payload::Blob(Value::String(text)) = item else {
                    continue;
                };
                let value = serde_json::from_str(&text).unwrap();
                let slow = careful(value, &Path::Root, &mut Notes::new(Mode::Strict)).unwrap();
                assert_eq!(envelope(&text).ok(), slow, "{text}");
            }
        }
    }
}
