//! Smithy documents and JSON values.
//!
//! A document has neither the order of an object's keys nor the digits of a number, so values read
//! from one are in sorted order, to be the same each time. Nothing of ours depends on that: what we
//! write is text and strings.

use std::collections::BTreeMap;

use aws_smithy_types::{Document, Number};
use conversation::ports::EventLogError;
use serde_json::Value;

use crate::error::not_sent;

/// The value of a document.
pub(crate) fn to_value(document: Document) -> Value {
    match document {
        Document::Null => Value::Null,
        Document::Bool(value) => Value::Bool(value),
        Document::String(text) => Value::String(text),
        Document::Number(number) => number_value(number),
        Document::Array(items) => items.into_iter().map(to_value).collect(),
        Document::Object(members) => {
            let sorted: BTreeMap<_, _> = members.into_iter().collect();
            sorted
                .into_iter()
                .map(|(key, value)| (key, to_value(value)))
                .collect()
        }
    }
}

/// The document of a value.
///
/// # Errors
///
/// A number that a document cannot hold is refused rather than sent as another number.
pub(crate) fn from_value(value: &Value) -> Result<Document, EventLogError> {
    Ok(match value {
        Value::Null => Document::Null,
        Value::Bool(value) => Document::Bool(*value),
        Value::String(text) => Document::String(text.clone()),
        Value::Number(number) => Document::Number(document_number(number)?),
        Value::Array(items) => {
            Document::Array(items.iter().map(from_value).collect::<Result<_, _>>()?)
        }
        Value::Object(members) => Document::Object(
            members
                .iter()
                .map(|(key, value)| Ok((key.clone(), from_value(value)?)))
                .collect::<Result<_, EventLogError>>()?,
        ),
    })
}

fn number_value(number: Number) -> Value {
    match number {
        Number::PosInt(value) => value.into(),
        Number::NegInt(value) => value.into(),
        // JSON has no spelling for what is not finite.
        Number::Float(value) => {
            serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number)
        }
    }
}

fn document_number(number: &serde_json::Number) -> Result<Number, EventLogError> {
    if let Some(value) = number.as_u64() {
        return Ok(Number::PosInt(value));
    }
    if let Some(value) = number.as_i64() {
        return Ok(Number::NegInt(value));
    }
    let is_integer = !number.as_str().contains(['.', 'e', 'E']);
    match number.as_f64() {
        Some(value) if value.is_finite() && !is_integer => Ok(Number::Float(value)),
        _ => Err(not_sent("a number beyond 64 bits")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_survive_both_ways() {
        let values = [
            json!(null),
            json!(true),
            json!("text \u{1f600}"),
            json!(0),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(0.1),
            json!(-2.5e300),
            json!([1, [2, []], {}]),
            json!({"a": {"b": null}, "c": "d"}),
        ];
        for value in values {
            assert_eq!(to_value(from_value(&value).expect("sendable")), value);
        }
    }

    #[test]
    fn numbers_that_would_change_are_refused() {
        for text in [
            "123456789012345678901234567890",
            "-99999999999999999999",
            "1e999",
        ] {
            let value: Value = serde_json::from_str(text).expect("JSON");
            assert!(from_value(&value).is_err(), "{text}");
        }
    }

    #[test]
    fn objects_read_the_same_each_time() {
        let members = ["z", "a", "m"].map(|key| (key.to_owned(), Document::Null));
        let read = to_value(Document::Object(members.into_iter().collect()));
        assert_eq!(read.to_string(), r#"{"a":null,"m":null,"z":null}"#);
    }
}
