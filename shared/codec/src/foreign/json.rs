//! JSON text of other writers.

use serde_json::Value;

/// A JSON document found in a text.
pub(crate) struct Document {
    pub(crate) value: Value,
    /// Whether lone halves of surrogate pairs had to be replaced. Writers in Python and Java can escape them;
    /// no text of ours can hold them.
    pub(crate) mended: bool,
}

/// Reads a text that is one JSON document, or nothing where it is something else.
pub(crate) fn parse(text: &str) -> Option<Document> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some(Document {
            value,
            mended: false,
        });
    }
    let value = serde_json::from_str(&without_lone_surrogates(text)?).ok()?;
    Some(Document {
        value,
        mended: true,
    })
}

/// The text with each escaped lone surrogate replaced by the escaped replacement character, or nothing
/// where it has none.
fn without_lone_surrogates(text: &str) -> Option<String> {
    let mut mended = String::with_capacity(text.len());
    let mut found = false;
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        mended.push_str(before);
        // A pair of surrogates is two escapes that belong together.
        let (length, lone) = match (code_unit(escape), escape.get(6..).and_then(code_unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (12, false),
            (Some(0xD800..=0xDFFF), _) => (6, true),
            _ => (1 + escape.chars().nth(1).map_or(0, char::len_utf8), false),
        };
        let (escape, after) = escape.split_at(length);
        mended.push_str(if lone { "\\ufffd" } else { escape });
        found |= lone;
        rest = after;
    }
    mended.push_str(rest);
    found.then_some(mended)
}

/// The code unit of a `\uXXXX` escape at the start of the text.
fn code_unit(escape: &str) -> Option<u16> {
    let digits = escape.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_kept() {
        let rows = [
            (r#""a\ud83d\ude00b""#, "a\u{1F600}b", false),
            (r#""a\ud83db""#, "a\u{FFFD}b", true),
            (r#""\ude00\ud83d""#, "\u{FFFD}\u{FFFD}", true),
            (r#""\ud83d\ud83d\ude00""#, "\u{FFFD}\u{1F600}", true),
            (r#""\\ud83d\ud83d""#, "\\ud83d\u{FFFD}", true),
            (r#""\n\"\ud83dé""#, "\n\"\u{FFFD}é", true),
        ];
        for (text, expected, mended) in rows {
            let document = parse(text).expect(text);
            assert_eq!(document.value, expected, "{text}");
            assert_eq!(document.mended, mended, "{text}");
        }
        for text in ["", "hello", r#""\ud83"#, "{\"a\":", r#""\"#] {
            assert!(parse(text).is_none(), "{text}");
        }
    }
}
