//! JSON text, written in one pass, either as it is or as it stands inside a JSON string.
//!
//! Blobs are JSON inside JSON strings. Where the whole event is wanted as text, writing a blob first and escaping
//! it then would touch every byte twice; [`Nested`] writes the escaped form at once.

pub(crate) mod escape;
mod kept;
pub(crate) mod keys;
pub(crate) mod transcript;
pub(crate) mod view;

use serde_json::Value;

use crate::model::Object;
use escape::{Escapes, PLAIN, escape, escape_nested, is_short_and_plain};
pub(crate) use kept::{Kept, Tree};
pub use view::{Members, View};

/// Where JSON goes.
pub(crate) trait Out {
    /// Syntax without quotation marks, numbers and words.
    fn syntax(&mut self, text: &str);
    /// A quotation mark that begins or ends a string.
    fn quote(&mut self);
    /// The inside of a string.
    fn inside(&mut self, text: &str);
    /// Compact JSON that is already written.
    fn compact(&mut self, json: &str);

    /// A string.
    fn string(&mut self, text: &str) {
        self.quote();
        self.inside(text);
        self.quote();
    }

    /// A comma, but before the first of several.
    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.syntax(",");
        }
    }
}

/// JSON as it is.
impl Out for String {
    fn syntax(&mut self, text: &str) {
        self.push_str(text);
    }

    fn quote(&mut self) {
        self.push('"');
    }

    fn inside(&mut self, text: &str) {
        escape(self, text);
    }

    fn string(&mut self, text: &str) {
        self.reserve(text.len() + 2);
        self.push('"');
        if is_short_and_plain(text.as_bytes()) {
            self.push_str(text);
        } else {
            escape(self, text);
        }
        self.push('"');
    }

    fn compact(&mut self, json: &str) {
        self.push_str(json);
    }
}

/// JSON as it stands inside a JSON string.
#[derive(Debug, Default)]
pub(crate) struct Nested(pub(super) String);

impl Out for Nested {
    fn syntax(&mut self, text: &str) {
        self.0.push_str(text);
    }

    fn quote(&mut self) {
        self.0.push_str("\\\"");
    }

    fn inside(&mut self, text: &str) {
        escape_nested(&mut self.0, text);
    }

    fn compact(&mut self, json: &str) {
        escape(&mut self.0, json);
    }
}

/// How long JSON is, which nobody has to write to know.
#[derive(Debug, Default)]
struct Length(usize);

impl Out for Length {
    fn syntax(&mut self, text: &str) {
        self.0 += text.len();
    }

    fn quote(&mut self) {
        self.0 += 1;
    }

    fn inside(&mut self, text: &str) {
        self.0 += escaped_len(text);
    }

    fn compact(&mut self, json: &str) {
        self.0 += json.len();
    }
}

/// How many bytes the compact JSON of a value takes.
pub(crate) fn json_len(json: &Value) -> usize {
    let mut length = Length::default();
    value(&mut length, json);
    length.0
}

/// Writes a text as a JSON string.
pub(crate) fn string(out: &mut impl Out, text: &str) {
    out.string(text);
}

/// Writes a string that has nothing to escape.
pub(crate) fn word(out: &mut impl Out, word: &str) {
    out.quote();
    out.syntax(word);
    out.quote();
}

/// Writes `"key":` for a key that has nothing to escape.
pub(crate) fn key(out: &mut impl Out, name: &str) {
    word(out, name);
    out.syntax(":");
}

/// Writes any JSON, compact.
pub(crate) fn value(out: &mut impl Out, json: &Value) {
    match json {
        Value::Null => out.syntax("null"),
        Value::Bool(true) => out.syntax("true"),
        Value::Bool(false) => out.syntax("false"),
        Value::Number(number) => out.syntax(number.as_str()),
        Value::String(text) => string(out, text),
        Value::Array(items) => list(out, items, value),
        Value::Object(fields) => object(out, fields),
    }
}

/// Writes an object.
pub(crate) fn object(out: &mut impl Out, fields: &Object) {
    out.syntax("{");
    for (index, (key, json)) in fields.iter().enumerate() {
        out.comma(index);
        member(out, key, json);
    }
    out.syntax("}");
}

/// Writes a list, each element by `element`.
pub(crate) fn list<O: Out, T>(out: &mut O, items: &[T], element: impl Fn(&mut O, &T)) {
    out.syntax("[");
    for (index, item) in items.iter().enumerate() {
        out.comma(index);
        element(out, item);
    }
    out.syntax("]");
}

/// Writes `"key":value`.
pub(crate) fn member(out: &mut impl Out, name: &str, json: &Value) {
    string(out, name);
    out.syntax(":");
    value(out, json);
}

/// Writes `"key":value` for a value that may still be text.
pub(crate) fn view_member(out: &mut impl Out, name: &str, value: View<'_>) {
    string(out, name);
    out.syntax(":");
    value.write(out);
}

/// Writes `,"key":"text"` for a key that has nothing to escape.
pub(crate) fn text_member(out: &mut impl Out, name: &str, text: &str) {
    out.syntax(",");
    key(out, name);
    string(out, text);
}

/// How many bytes a text takes inside a JSON string.
pub(crate) fn escaped_len(text: &str) -> usize {
    escape::escaped_len(text, &PLAIN)
}

/// How many bytes one byte of a text takes under the escapes given.
pub(crate) fn byte_len(byte: u8, escapes: &Escapes) -> usize {
    escapes.of(byte).map_or(1, str::len)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Nested, escaped_len, json_len, string, value};

    #[test]
    fn text_is_written_as_serde_json_writes_it() {
        let every_ascii: String = (0..128u8).map(char::from).collect();
        let mut texts = vec![
            String::new(),
            "plain".to_owned(),
            "é漢😀\u{2028}".to_owned(),
            every_ascii,
        ];
        // A sign to escape at every place of a machine word, before and behind others.
        texts.extend((0..70).map(|n| format!("{}\"{}\\é\n", "a".repeat(n), "b".repeat(n))));
        for text in texts {
            let mut out = String::new();
            string(&mut out, &text);
            assert_eq!(out, serde_json::to_string(&text).unwrap());
            assert_eq!(out.len(), escaped_len(&text) + 2);
            let mut nested = Nested::default();
            string(&mut nested, &text);
            assert_eq!(
                format!("\"{}\"", nested.0),
                serde_json::to_string(&out).unwrap()
            );
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
        assert_eq!(json_len(&all), out.len());
    }
}
