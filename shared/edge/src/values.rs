//! How many values a JSON text has, counted before any of them is built.
//!
//! A value takes a hundred times the memory of the two bytes it can be written in, and time to allocate. So a text
//! of a size that is fine in itself could take more of both than a function has.

use codec::plain_len;

/// The most values a request may have: ten thousand short messages. They take about 20 MB.
pub(crate) const MAX_VALUES: usize = 100_000;

/// How many values an object counts as, since its table and its list of members take as much time and memory.
pub(crate) const OBJECT: usize = 3;

/// Whether a text has more values than a request may have. It looks no further than it has to, and what is no JSON it
/// does not mind.
pub(crate) fn too_many(text: &str) -> bool {
    // An array or an object has one value more than commas, unless it is empty. So each value but the first
    // is announced by a comma or by the bracket before it, and the object itself comes on top.
    let mut values = 1_usize;
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = after;
        match byte {
            b'"' => rest = after_string(after),
            b',' | b'[' => values += 1,
            b'{' => values += OBJECT,
            _ => {}
        }
        if values > MAX_VALUES {
            return true;
        }
    }
    false
}

/// What comes after a string that has begun.
fn after_string(mut rest: &[u8]) -> &[u8] {
    loop {
        rest = match rest {
            [] | [_] => return &[],
            [b'"', after @ ..] => return after,
            // Whatever is escaped, it does not end the string.
            [b'\\', _, after @ ..] | [0..b' ', after @ ..] => after,
            _ => rest.get(plain_len(rest)..).unwrap_or_default(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_VALUES, OBJECT, too_many};

    #[test]
    fn values_are_counted_and_texts_are_not_looked_into() {
        let list = |count: usize| format!("[{}0]", "0,".repeat(count - 2));
        assert!(!too_many(&list(MAX_VALUES)));
        assert!(too_many(&list(MAX_VALUES + 1)));
        let objects = |count: usize| format!("[{}0]", r#"{"a":1},"#.repeat(count));
        let most = (MAX_VALUES - 2) / (1 + OBJECT);
        assert!(!too_many(&objects(most)));
        assert!(too_many(&objects(most + 1)));
        for letters in ["[{,", r#"\"["#, r"\\", r"\u005b["] {
            let text = format!("[\"{}\"]", letters.repeat(MAX_VALUES));
            assert!(!too_many(&text), "{letters}");
        }
    }

    #[test]
    fn what_is_no_json_does_no_harm() {
        for text in ["", "\"", "\"\\", "]]]", "\\\"["] {
            assert!(!too_many(text), "{text}");
        }
    }
}
