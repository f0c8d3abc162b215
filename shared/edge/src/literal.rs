//! JSON string literals: where one ends, and what it says.
//!
//! A gateway's event carries the caller's body as one literal of up to six million bytes, and all of them may be escapes.
//! The JSON parser takes some nanoseconds for each. These take about one, so that such a body is refused in time.

use codec::plain_len;

/// The length in bytes of the literal a text begins with, its quotes included; nothing where it is not well-formed.
pub(crate) fn length(text: &str) -> Option<usize> {
    let mut rest = text.as_bytes().strip_prefix(b"\"")?;
    loop {
        rest = match rest {
            [b'"', after @ ..] => return Some(text.len() - after.len()),
            [b'\\', b'u', digits @ ..] => {
                let (digits, after) = digits.split_first_chunk()?;
                code_unit(*digits)?;
                after
            }
            [b'\\', letter, after @ ..] => {
                meaning(*letter)?;
                after
            }
            [b'\\' | 0..b' ', ..] | [] => return None,
            _ => rest.get(plain_len(rest)..)?,
        };
    }
}

/// What a literal says; nothing where it is not well-formed, or not Unicode.
pub(crate) fn text(literal: &str) -> Option<String> {
    let mut rest = literal.as_bytes().strip_prefix(b"\"")?;
    let mut text = Vec::with_capacity(rest.len());
    loop {
        rest = match rest {
            [b'"'] => return String::from_utf8(text).ok(),
            [b'\\', b'u', ..] => {
                let (character, after) = character(rest)?;
                text.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
                after
            }
            [b'\\', letter, after @ ..] => {
                text.push(meaning(*letter)?);
                after
            }
            [b'"' | b'\\' | 0..b' ', ..] | [] => return None,
            _ => {
                let (said, after) = rest.split_at_checked(plain_len(rest))?;
                text.extend_from_slice(said);
                after
            }
        };
    }
}

fn meaning(letter: u8) -> Option<u8> {
    match letter {
        b'"' | b'\\' | b'/' => Some(letter),
        b'b' => Some(8),
        b'f' => Some(12),
        b'n' => Some(b'\n'),
        b'r' => Some(b'\r'),
        b't' => Some(b'\t'),
        _ => None,
    }
}

/// The character that `\u` and its digits stand for, or two of them together, and what comes after.
fn character(escaped: &[u8]) -> Option<(char, &[u8])> {
    let unit = |bytes: &'_ [u8]| code_unit(*bytes.strip_prefix(b"\\u")?.first_chunk()?);
    let (first, after) = (unit(escaped)?, escaped.get(6..)?);
    if let Some(character) = char::from_u32(first.into()) {
        return Some((character, after));
    }
    let pair = char::decode_utf16([first, unit(after)?]).next()?.ok()?;
    Some((pair, after.get(6..)?))
}

fn code_unit(digits: [u8; 4]) -> Option<u16> {
    digits.iter().try_fold(0, |unit, digit| {
        let digit = char::from(*digit).to_digit(16)?;
        Some((unit << 4) | u16::try_from(digit).ok()?)
    })
}

#[cfg(test)]
mod tests {
    use serde::de::IgnoredAny;

    use super::{length, text};

    /// Holds both to what the JSON parser says.
    fn check(literal: &str) {
        let parsed = serde_json::from_str::<String>(literal).ok();
        assert_eq!(text(literal), parsed, "{literal}");
        let longer = format!("{literal},\"x\"");
        let ends = length(&longer).map(|end| longer.split_at(end).0);
        let skipped = serde_json::from_str::<IgnoredAny>(literal);
        let is_literal = literal.starts_with('"') && skipped.is_ok();
        assert_eq!(ends == Some(literal), is_literal, "{literal}");
    }

    #[test]
    fn literals_say_what_the_parser_says() {
        for inside in [
            "",
            "plain",
            "Grüße 😀, more than sixteen bytes of it",
            r#"\""#,
            r"\\",
            r"\\\\\n\/\b\f\r\t",
            r"\u0041\u00e9\u20AC\ud83d\ude00",
            r"\u0000",
            r"fifteen letters\n",
            r"sixteen letters.\n and more than sixteen",
            // These are no literals.
            r"\",
            r"\x",
            r"\u12",
            r"\u+123",
            r"\u00zz",
            r"\ud800",
            r"\ud800\n",
            r"\ud800\u0041",
            r"\ude00\ud83d",
            r"\ud83dx\ude00",
            "a\nb",
            "\u{1f}",
            "\"",
            "a\"b",
        ] {
            check(&format!("\"{inside}\""));
        }
        for other in ["", "\"", "\"a", "\"a\\", "a\"", "7", "null", "\"\\u00"] {
            check(other);
        }
    }

    #[test]
    fn every_ascii_letter_is_taken_as_the_parser_takes_it() {
        for letter in '\0'..='\u{7f}' {
            check(&format!("\"{letter}\""));
            check(&format!("\"\\{letter}\""));
            check(&format!("\"a block of sixteen bytes {letter} and more\""));
        }
    }
}
