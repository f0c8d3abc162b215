//! The model from JSON values: the careful way, which says where a fault is.
//!
//! Faults go to [`Notes`]: in strict mode the first one is the error, in lenient mode the part is mended or
//! left out. Reading a message as such ([`Message::try_from`]) is always strict.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{
    AssistantMessage, Content, Fields, Json, Label, Message, Object, SystemMessage, ToolCall,
    ToolResult, ToolResultMessage, UserMessage,
};
use crate::blank::is_blank;
use crate::error::{DecodeError, ShapeError};
use crate::note::{Mode, NoteReason, Notes};
use crate::path::Path;

impl TryFrom<Value> for Message {
    type Error = ShapeError;

    fn try_from(value: Value) -> Result<Self, ShapeError> {
        let mut notes = Notes::new(Mode::Strict);
        Ok(message(value, &mut notes)?)
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Message::try_from(Value::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl From<Object> for Content {
    /// Reads a block from its fields. What has an unknown type, or breaks the rules of its type, is kept
    /// verbatim, so this never fails.
    fn from(mut fields: Object) -> Self {
        if !is_known(&fields) {
            return Self::Unknown(fields.into());
        }
        let kind = take_text(&mut fields, "type").unwrap_or_default();
        let metadata = match fields.shift_remove("metadata") {
            Some(Value::Object(metadata)) => metadata.into(),
            _ => Fields::new(),
        };
        let mut value = |key| Json::from(fields.shift_remove(key).unwrap_or_default());
        match kind.as_str() {
            "text" => Self::Text {
                text: take_text(&mut fields, "text").unwrap_or_default(),
                metadata,
                extra: fields.into(),
            },
            "document" => Self::Document {
                document: value("document"),
                metadata,
                extra: fields.into(),
            },
            "object" => Self::Object {
                content: value("content"),
                metadata,
                extra: fields.into(),
            },
            "reasoning" => Self::Reasoning {
                payload: value("payload"),
                provider: take_text(&mut fields, "provider")
                    .unwrap_or_default()
                    .into(),
                metadata,
                extra: fields.into(),
            },
            _ => Self::Provider {
                payload: value("payload"),
                provider: take_text(&mut fields, "provider")
                    .unwrap_or_default()
                    .into(),
                metadata,
                extra: fields.into(),
            },
        }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Object::deserialize(deserializer).map(Content::from)
    }
}

/// The name of a value's JSON type.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The note that a value is not of the type it has to be.
pub(crate) fn wrong_type(expected: &'static str, value: &Value) -> NoteReason {
    NoteReason::WrongType {
        expected,
        found: type_name(value),
    }
}

/// An optional map: absent and null are empty.
pub(crate) fn object(
    value: Option<Value>,
    path: &Path<'_>,
    notes: &mut Notes,
) -> Result<Object, DecodeError> {
    match value {
        None | Some(Value::Null) => Ok(Object::new()),
        Some(Value::Object(fields)) => Ok(fields),
        Some(other) => {
            notes.take(path, wrong_type("an object", &other))?;
            Ok(Object::new())
        }
    }
}

/// An optional text: absent and null are none.
pub(crate) fn optional_text(
    value: Option<Value>,
    path: &Path<'_>,
    notes: &mut Notes,
) -> Result<Option<Label>, DecodeError> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.into())),
        Some(other) => {
            notes.take(path, wrong_type("a string", &other))?;
            Ok(None)
        }
    }
}

/// An optional list, each element read by `element`; absent and null are empty.
pub(crate) fn list<T>(
    value: Option<Value>,
    path: &Path<'_>,
    notes: &mut Notes,
    element: impl Fn(Value, &Path<'_>, &mut Notes) -> Result<Option<T>, DecodeError>,
) -> Result<Vec<T>, DecodeError> {
    let items = match value {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(other) => {
            notes.take(path, wrong_type("an array", &other))?;
            return Ok(Vec::new());
        }
    };
    let mut list = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        list.extend(element(item, &path.index(index), notes)?);
    }
    Ok(list)
}

/// A content block; what is no object is left out.
pub(crate) fn content(
    value: Value,
    path: &Path<'_>,
    notes: &mut Notes,
) -> Result<Option<Content>, DecodeError> {
    Ok(fields(value, path, notes)?.map(Content::from))
}

/// A tool call; what is no object is left out, what is wrong in one is left empty.
pub(crate) fn tool_call(
    value: Value,
    path: &Path<'_>,
    notes: &mut Notes,
) -> Result<Option<ToolCall>, DecodeError> {
    let Some(mut fields) = fields(value, path, notes)? else {
        return Ok(None);
    };
    Ok(Some(ToolCall {
        id: required_text(&mut fields, "id", path, notes)?,
        name: required_text(&mut fields, "name", path, notes)?,
        arguments: object(
            fields.shift_remove("arguments"),
            &path.key("arguments"),
            notes,
        )?
        .into(),
        extra: fields.into(),
    }))
}

/// How the content of a tool result is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultContent {
    /// An array of blocks, of unknown types too; but any other JSON is the older, flat form.
    Message,
    /// An array is a list of blocks only if it can be nothing else: a flat result may be an array as well.
    Event,
}

/// A tool result; what is no object is left out, what is wrong in one is left empty.
pub(crate) fn tool_result(
    form: ResultContent,
    value: Value,
    path: &Path<'_>,
    notes: &mut Notes,
) -> Result<Option<ToolResult>, DecodeError> {
    let Some(mut fields) = fields(value, path, notes)? else {
        return Ok(None);
    };
    let mut text =
        |key, notes: &mut Notes| optional_text(fields.shift_remove(key), &path.key(key), notes);
    let (id, name) = (text("id", notes)?, text("name", notes)?);
    let (element_id, completed_at) = (text("elementId", notes)?, text("completedAt", notes)?);
    Ok(Some(ToolResult {
        id,
        name,
        content: result_content(form, fields.shift_remove("content").unwrap_or_default()),
        element_id,
        completed_at,
        properties: fields.into(),
    }))
}

/// Renames the member the mapping document gives object content, `object`, to `content`.
pub(crate) fn without_alias(mut fields: Object) -> Object {
    if has_alias(&fields)
        && let Some(content) = fields.shift_remove("object")
    {
        fields.insert("content".to_owned(), content);
    }
    fields
}

fn has_alias(fields: &Object) -> bool {
    fields.get("type").and_then(Value::as_str) == Some("object")
        && !fields.contains_key("content")
        && fields
            .get("object")
            .is_some_and(|content| !content.is_null())
        && matches!(
            fields.get("metadata"),
            None | Some(Value::Null | Value::Object(_))
        )
}

/// The blocks of a result's content, which in older dialects is bare JSON.
fn result_content(form: ResultContent, content: Value) -> Vec<Content> {
    match content {
        Value::Null => Vec::new(),
        Value::String(text) if is_blank(&text) => Vec::new(),
        Value::String(text) => vec![Content::text(text)],
        Value::Array(items) if items.iter().all(|item| is_block(form, item)) => {
            let blocks = items.into_iter().filter_map(into_object);
            match form {
                ResultContent::Message => blocks.map(Content::from).collect(),
                ResultContent::Event => blocks.map(without_alias).map(Content::from).collect(),
            }
        }
        Value::Object(document) if document.contains_key("camunda.document.type") => {
            vec![Content::Document {
                document: Value::Object(document).into(),
                metadata: Fields::new(),
                extra: Fields::new(),
            }]
        }
        content => vec![Content::Object {
            content: content.into(),
            metadata: Fields::new(),
            extra: Fields::new(),
        }],
    }
}

fn is_block(form: ResultContent, item: &Value) -> bool {
    item.as_object().is_some_and(|fields| match form {
        ResultContent::Message => fields.get("type").is_some_and(Value::is_string),
        ResultContent::Event => is_known(fields) || has_alias(fields),
    })
}

/// The members of a value that is an object.
pub(crate) fn into_object(value: Value) -> Option<Object> {
    match value {
        Value::Object(fields) => Some(fields),
        _ => None,
    }
}

/// Whether the fields are those of a block whose type we know, with all that the type demands.
fn is_known(fields: &Object) -> bool {
    let has_text = |key| fields.get(key).is_some_and(Value::is_string);
    let has_value = |key| fields.get(key).is_some_and(|value| !value.is_null());
    let has_metadata = matches!(
        fields.get("metadata"),
        None | Some(Value::Null | Value::Object(_))
    );
    has_metadata
        && match fields.get("type").and_then(Value::as_str) {
            Some("text") => has_text("text"),
            Some("document") => has_value("document"),
            Some("object") => has_value("content"),
            Some("reasoning" | "provider") => has_text("provider") && has_value("payload"),
            _ => false,
        }
}

fn message(value: Value, notes: &mut Notes) -> Result<Message, DecodeError> {
    let root = Path::Root;
    let mut rest = fields(value, &root, notes)?.unwrap_or_default();
    let role = required_text(&mut rest, "role", &root, notes)?;
    let metadata = object(rest.shift_remove("metadata"), &root.key("metadata"), notes)?;
    let metadata = Fields::from(metadata);
    if role == "tool_call_result" {
        let element = |value, path: &Path<'_>, notes: &mut Notes| {
            tool_result(ResultContent::Message, value, path, notes)
        };
        return Ok(Message::ToolResult(ToolResultMessage {
            results: list(
                rest.shift_remove("results"),
                &root.key("results"),
                notes,
                element,
            )?,
            metadata,
            extra: rest.into(),
        }));
    }
    let content = list(
        rest.shift_remove("content"),
        &root.key("content"),
        notes,
        content,
    )?;
    let mut text =
        |key, notes: &mut Notes| optional_text(rest.shift_remove(key), &root.key(key), notes);
    match role.as_str() {
        "system" => Ok(Message::System(SystemMessage {
            content,
            metadata,
            extra: rest.into(),
        })),
        "user" => Ok(Message::User(UserMessage {
            name: text("name", notes)?,
            content,
            metadata,
            extra: rest.into(),
        })),
        "assistant" => Ok(Message::Assistant(AssistantMessage {
            content,
            model_id: text("modelId", notes)?,
            message_id: text("messageId", notes)?,
            stop_reason: text("stopReason", notes)?,
            tool_calls: list(
                rest.shift_remove("toolCalls"),
                &root.key("toolCalls"),
                notes,
                tool_call,
            )?,
            metadata,
            extra: rest.into(),
        })),
        _ => {
            // There is nothing to mend a message with that has no role we know: an error in either mode.
            let mut strict = Notes::new(Mode::Strict);
            strict.take(&root.key("role"), NoteReason::UnknownRole)?;
            Ok(Message::System(SystemMessage::default()))
        }
    }
}

fn fields(value: Value, path: &Path<'_>, notes: &mut Notes) -> Result<Option<Object>, DecodeError> {
    match value {
        Value::Object(fields) => Ok(Some(fields)),
        other => {
            notes.take(path, wrong_type("an object", &other))?;
            Ok(None)
        }
    }
}

fn required_text(
    fields: &mut Object,
    key: &'static str,
    path: &Path<'_>,
    notes: &mut Notes,
) -> Result<Label, DecodeError> {
    match fields.shift_remove(key) {
        Some(Value::String(text)) => return Ok(text.into()),
        Some(other) => notes.take(&path.key(key), wrong_type("a string", &other))?,
        None => notes.take(path, NoteReason::MissingField(key))?,
    }
    Ok(Label::default())
}

fn take_text(fields: &mut Object, key: &str) -> Option<String> {
    match fields.shift_remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}
