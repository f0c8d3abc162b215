//! The Converse message and its JSON.

use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::ConverseError;
use crate::model::Object;

/// One content block: a JSON object with one recognised key (`text`, `toolUse`, `image`, …). Bytes inside
/// it stay in their JSON form, the marker object of Strands or a base64 string.
pub type Block = Object;

/// A message in the form of the Bedrock Converse API, with the fields Strands adds to it.
#[derive(Clone, Debug, PartialEq)]
pub struct ConverseMessage {
    /// Who speaks. Tool results come from the user.
    pub role: ConverseRole,
    /// The blocks, in order.
    pub content: Vec<Block>,
    /// Facts about the message that no model sees.
    pub metadata: Option<Object>,
    /// The id Strands gives a message; no model sees it.
    pub tracking_id: Option<String>,
    /// Fields this version does not know, or known ones of an unexpected type.
    pub extra: Object,
}

/// The speaker of a Converse message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConverseRole {
    /// `user`
    User,
    /// `assistant`
    Assistant,
}

impl ConverseMessage {
    /// Reads a message from its JSON.
    pub fn from_value(value: Value) -> Result<Self, ConverseError> {
        let Value::Object(mut fields) = value else {
            return Err(ConverseError::NotAnObject);
        };
        let role = match fields.shift_remove("role") {
            Some(Value::String(role)) => match role.as_str() {
                "user" => ConverseRole::User,
                "assistant" => ConverseRole::Assistant,
                _ => return Err(ConverseError::Role),
            },
            _ => return Err(ConverseError::Role),
        };
        let Some(Value::Array(items)) = fields.shift_remove("content") else {
            return Err(ConverseError::Content);
        };
        let content = items
            .into_iter()
            .enumerate()
            .map(|(index, item)| match item {
                Value::Object(block) => Ok(block),
                _ => Err(ConverseError::Block { index }),
            })
            .collect::<Result<_, _>>()?;
        let metadata = match fields.shift_remove("metadata") {
            Some(Value::Object(metadata)) => Some(metadata),
            other => put_back(&mut fields, "metadata", other),
        };
        let tracking_id = match fields.shift_remove("tracking_id") {
            Some(Value::String(id)) => Some(id),
            other => put_back(&mut fields, "tracking_id", other),
        };
        Ok(Self {
            role,
            content,
            metadata,
            tracking_id,
            extra: fields,
        })
    }

    /// Whether every block is one Converse knows, which no JSON of another meaning is likely to be.
    pub(crate) fn has_known_blocks(&self) -> bool {
        let is_known = |block: &Block| match block.keys().next() {
            Some(key) => block.len() == 1 && MEMBERS.contains(&key.as_str()),
            None => false,
        };
        !self.content.is_empty() && self.content.iter().all(is_known)
    }

    /// The message's JSON, as it is stored.
    #[must_use]
    pub fn into_value(self) -> Value {
        let mut fields = Object::new();
        fields.insert("role".to_owned(), self.role.as_str().into());
        let blocks = self.content.into_iter().map(Value::Object).collect();
        fields.insert("content".to_owned(), Value::Array(blocks));
        if let Some(metadata) = self.metadata {
            fields.insert("metadata".to_owned(), Value::Object(metadata));
        }
        if let Some(id) = self.tracking_id {
            fields.insert("tracking_id".to_owned(), Value::String(id));
        }
        fields.extend(self.extra);
        Value::Object(fields)
    }

    /// The message as a Converse call takes it: role and content alone, no hint of ours, and each block cut
    /// down to what the API knows (`reasoningSignature` is an addition of Strands, and an S3 source is
    /// spelled `s3Location` there). It does not mend a history: blank texts, roles in a row and unanswered
    /// tool uses are for whoever puts the history together.
    #[must_use]
    pub fn for_model(self) -> Self {
        Self {
            role: self.role,
            content: self.content.into_iter().map(block_for_model).collect(),
            metadata: None,
            tracking_id: None,
            extra: Object::new(),
        }
    }
}

impl ConverseRole {
    /// The role's name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

impl Serialize for ConverseMessage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("role", self.role.as_str())?;
        map.serialize_entry("content", &self.content)?;
        if let Some(metadata) = &self.metadata {
            map.serialize_entry("metadata", metadata)?;
        }
        if let Some(id) = &self.tracking_id {
            map.serialize_entry("tracking_id", id)?;
        }
        for (key, value) in &self.extra {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for ConverseMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_value(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// A field of an unexpected type is kept with the unknown ones, so that nothing is lost.
fn put_back<T>(fields: &mut Object, key: &str, value: Option<Value>) -> Option<T> {
    if let Some(value) = value {
        fields.insert(key.to_owned(), value);
    }
    None
}

/// The members of a block that are unions of one: anything beside them is not Converse.
pub(super) const MEMBERS: [&str; 11] = [
    "text",
    "image",
    "document",
    "video",
    "audio",
    "toolUse",
    "toolResult",
    "reasoningContent",
    "guardContent",
    "citationsContent",
    "cachePoint",
];

/// The one member of a block that a model sees, whatever stands beside it.
pub(super) fn the_member(block: &Block) -> Option<(&str, &Value)> {
    if block.len() == 1 {
        let sole = block.iter().next();
        return sole.map(|(key, value)| (key.as_str(), value));
    }
    let member = |key: &&'static str| Some((*key, block.get(*key)?));
    MEMBERS.iter().find_map(member)
}

/// Whether a model may get the block as it is: it has one member, and nothing in it is ours or spelled otherwise.
pub(super) fn is_for_model(block: &Block) -> bool {
    match (block.len(), the_member(block)) {
        (1, Some(("toolUse" | "toolResult", _))) => false,
        (1, Some((_, value))) => {
            let source = value.get("source");
            source.is_none_or(|source| source.get("location").is_none())
        }
        _ => false,
    }
}

pub(super) fn block_for_model(mut block: Block) -> Block {
    if let Some(member) = MEMBERS.iter().find(|member| block.contains_key(**member)) {
        block.retain(|key, _| key == member);
    }
    for (key, value) in &mut block {
        if let Value::Object(fields) = value {
            member_for_model(key, fields);
        }
    }
    block
}

fn member_for_model(key: &str, fields: &mut Object) {
    match key {
        "toolUse" => {
            fields.shift_remove("reasoningSignature");
        }
        "toolResult" => {
            if let Some(Value::Array(items)) = fields.get_mut("content") {
                for item in items.iter_mut().filter_map(Value::as_object_mut) {
                    *item = block_for_model(std::mem::take(item));
                }
            }
        }
        "image" | "document" | "video" | "audio" => {
            if let Some(Value::Object(source)) = fields.get_mut("source") {
                spell_s3_for_model(source);
            }
        }
        _ => {}
    }
}

fn spell_s3_for_model(source: &mut Object) {
    let is_s3 = source.get("location").and_then(|l| l.get("type")) == Some(&"s3".into());
    if is_s3 && let Some(Value::Object(mut location)) = source.shift_remove("location") {
        location.shift_remove("type");
        source.insert("s3Location".to_owned(), Value::Object(location));
    }
}
