//! JSON text, written straight into a `String`.
//!
//! Blobs are JSON inside JSON strings, so every byte of them is written twice; this writer has no errors to
//! hand around and scans text in runs, which keeps that affordable.

use serde_json::Value;

use crate::model::Object;

/// Writes a text as a JSON string.
pub(super) fn string(out: &mut String, text: &str) {
    out.push('"');
    escaped(out, text);
    out.push('"');
}

/// Writes any JSON, compact.
pub(super) fn value(out: &mut String, json: &Value) {
    match json {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => out.push_str(number.as_str()),
        Value::String(text) => string(out, text),
        Value::Array(items) => list(out, items, value),
        Value::Object(fields) => object(out, fields),
    }
}

/// Writes an object.
pub(super) fn object(out: &mut String, fields: &Object) {
    out.push('{');
    let mut comma = "";
    for (key, json) in fields {
        out.push_str(comma);
        member(out, key, json);
        comma = ",";
    }
    out.push('}');
}

/// Writes an object without the members that are null.
pub(super) fn object_without_nulls(out: &mut String, fields: &Object) {
    out.push('{');
    let mut comma = "";
    for (key, json) in fields.iter().filter(|(_, json)| !json.is_null()) {
        out.push_str(comma);
        member(out, key, json);
        comma = ",";
    }
    out.push('}');
}

/// Writes a list, each element by `element`.
pub(super) fn list<T>(out: &mut String, items: &[T], element: impl Fn(&mut String, &T)) {
    out.push('[');
    let mut comma = "";
    for item in items {
        out.push_str(comma);
        element(out, item);
        comma = ",";
    }
    out.push(']');
}

/// Writes `"key":value`.
pub(super) fn member(out: &mut String, key: &str, json: &Value) {
    string(out, key);
    out.push(':');
    value(out, json);
}

/// Writes `,"key":"text"`.
pub(super) fn text_member(out: &mut String, key: &str, text: &str) {
    out.push(',');
    string(out, key);
    out.push(':');
    string(out, text);
}

/// How many bytes a text takes inside a JSON string.
pub(super) fn escaped_len(text: &str) -> usize {
    text.bytes().map(byte_len).sum()
}

/// How many bytes one byte of a text takes inside a JSON string.
pub(super) fn byte_len(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 2,
        0..=0x1f => 6,
        _ => 1,
    }
}

fn escaped(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.bytes().position(is_escaped) {
        let (plain, tail) = rest.split_at(at);
        out.push_str(plain);
        let mut chars = tail.chars();
        match chars.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some('\u{8}') => out.push_str("\\b"),
            Some('\u{c}') => out.push_str("\\f"),
            Some(control) => {
                let code = u32::from(control);
                out.push_str("\\u00");
                out.extend([hex(code / 16), hex(code % 16)]);
            }
            None => {}
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
}

fn is_escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

fn hex(digit: u32) -> char {
    char::from_digit(digit, 16).unwrap_or('0')
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{escaped_len, string, value};

    #[test]
    fn text_is_written_as_serde_json_writes_it() {
        let every_ascii: String = (0..128u8).map(char::from).collect();
        for text in ["", "plain", "\"\\/", "é漢😀\u{2028}", every_ascii.as_str()] {
            let mut out = String::new();
            string(&mut out, text);
            assert_eq!(out, serde_json::to_string(text).unwrap());
            assert_eq!(out.len(), escaped_len(text) + 2);
        }
    }

    #[test]
    fn values_are_written_as_serde_json_writes_them() {
        let numbers: Value =
            serde_json::from_str("[1.0E20,-0,123456789012345678901234567890,1.50]").unwrap();
        let all = json!({"a":[null,true,false,{}],"b":{"c":[]},"n":numbers});
        let mut out = String::new();
        value(&mut out, &all);
        assert_eq!(out, all.to_string());
    }
}
