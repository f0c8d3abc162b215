//! JSON string literals: where one ends, and what it says.
//!
//! A gateway's event carries the caller's body as one literal of up to six million bytes, and all of them may be escapes.
//! The JSON parser takes some nanoseconds for each. These take about one, so that such a body is refused in time.

use codec::plain_len;

/// Bytes that are copied at once.
const WORD: usize = 8;

/// How many pairs of a backslash and a letter are looked at in one step.
const PAIRS: usize = 16;

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
                after_pairs(after, |_| {})
            }
            [b'\\' | 0..b' ', ..] | [] => return None,
            _ => rest.get(plain(rest)..)?,
        };
    }
}

/// What a literal says; nothing where it is not well-formed, or not Unicode.
pub(crate) fn text(literal: &str) -> Option<String> {
    let mut said = Said::of(literal)?;
    said.read_on(usize::MAX)?;
    said.whole()
}

/// What a literal says, as far as it is read.
pub(crate) struct Said<'a> {
    text: Vec<u8>,
    rest: &'a [u8],
}

impl<'a> Said<'a> {
    /// Nothing yet; none where it is no literal.
    pub(crate) fn of(literal: &'a str) -> Option<Self> {
        let rest = literal.as_bytes().strip_prefix(b"\"")?;
        let text = Vec::with_capacity(rest.len());
        Some(Self { text, rest })
    }

    /// Whether there is more to read.
    pub(crate) fn goes_on(&self) -> bool {
        self.rest != b"\""
    }

    /// Reads some bytes more, or what there is, and gives them; none where the literal is not well-formed.
    pub(crate) fn read_on(&mut self, bytes: usize) -> Option<&[u8]> {
        let before = self.text.len();
        let enough = before.saturating_add(bytes);
        while self.goes_on() && self.text.len() < enough {
            self.rest = read_piece(self.rest, &mut self.text)?;
        }
        self.text.get(before..)
    }

    /// All of it, once it is read; none where it is not Unicode.
    pub(crate) fn whole(self) -> Option<String> {
        String::from_utf8(self.text).ok()
    }
}

/// Reads an escape, many of them, or a piece without any; what comes after it.
#[inline]
fn read_piece<'a>(rest: &'a [u8], text: &mut Vec<u8>) -> Option<&'a [u8]> {
    match rest {
        [b'\\', b'u', ..] => {
            let (character, after) = character(rest)?;
            text.extend(character.encode_utf8(&mut [0; 4]).as_bytes());
            Some(after)
        }
        [b'\\', letter, after @ ..] => {
            text.push(meaning(*letter)?);
            Some(after_pairs(after, |said| text.extend_from_slice(said)))
        }
        [b'"' | b'\\' | 0..b' ', ..] | [] => None,
        _ => {
            let plain = plain(rest);
            match rest.first_chunk::<WORD>() {
                // A whole word is copied sooner than a part of it.
                Some(word) if plain < WORD => {
                    text.extend_from_slice(word);
                    text.truncate(text.len() - (WORD - plain));
                }
                _ => text.extend_from_slice(rest.get(..plain)?),
            }
            rest.get(plain..)
        }
    }
}

/// How many bytes come before the first that JSON has an escape for. Often those are a few, which are looked at one by one.
#[inline]
pub(crate) fn plain(rest: &[u8]) -> usize {
    let is_plain = |byte: &&u8| !matches!(byte, b'"' | b'\\' | 0..b' ');
    match rest.iter().take(WORD).take_while(is_plain).count() {
        WORD => plain_len(rest),
        few => few,
    }
}

/// What comes after the steps that are nothing but escapes of one letter, which are shown what they say.
fn after_pairs(mut rest: &[u8], mut show: impl FnMut(&[u8; PAIRS])) -> &[u8] {
    while let Some((step, after)) = rest.split_first_chunk::<{ 2 * PAIRS }>() {
        let (pairs, _) = step.as_chunks::<2>();
        // Usually an escape or two stand alone, which is not worth a look at all of the step.
        let begins = |pair: &[u8; 2]| pair.starts_with(b"\\");
        if !pairs.iter().take(4).all(begins) {
            return rest;
        }
        let (mut said, mut is_one) = ([0; PAIRS], true);
        for (said, [backslash, letter]) in said.iter_mut().zip(pairs) {
            *said = meaning_or_zero(*letter);
            is_one &= *backslash == b'\\' && *said != 0;
        }
        if !is_one {
            return rest;
        }
        show(&said);
        rest = after;
    }
    rest
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

/// As [`meaning`], zero where it has none. There are no branches, so that many letters are looked at at once.
#[inline]
fn meaning_or_zero(letter: u8) -> u8 {
    let says = |known: u8, said: u8| if letter == known { said } else { 0 };
    says(b'"', b'"')
        | says(b'\\', b'\\')
        | says(b'/', b'/')
        | says(b'b', 8)
        | says(b'f', 12)
        | says(b'n', b'\n')
        | says(b'r', b'\r')
        | says(b't', b'\t')
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

    use super::{Said, length, text};

    /// Holds both to what the JSON parser says.
    fn check(literal: &str) {
        let parsed = serde_json::from_str::<String>(literal).ok();
        assert_eq!(text(literal), parsed, "{literal}");
        assert_eq!(in_pieces(literal), parsed, "{literal}");
        let longer = format!("{literal},\"x\"");
        let ends = length(&longer).map(|end| longer.split_at(end).0);
        let skipped = serde_json::from_str::<IgnoredAny>(literal);
        let is_literal = literal.starts_with('"') && skipped.is_ok();
        assert_eq!(ends == Some(literal), is_literal, "{literal}");
    }

    fn in_pieces(literal: &str) -> Option<String> {
        let mut said = Said::of(literal)?;
        while said.goes_on() {
            said.read_on(3)?;
        }
        said.whole()
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
            &r#"\""#.repeat(100),
            &r"\n\/\\".repeat(33),
            &format!(r"{}plain\u0041", r"\t".repeat(17)),
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
            &format!(r"{}\x", r"\n".repeat(40)),
            &format!(r"\n{}\x{}", r"\n".repeat(3), r"\n".repeat(40)),
            &format!("\\n{}\\n", "xn".repeat(16)),
            &format!("{}\"", r"\n".repeat(40)),
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
