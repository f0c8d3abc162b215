//! How many values a JSON text has, counted before any of them is built.
//!
//! A value takes a hundred times the memory of the two bytes it can be written in, and time to allocate. So a text
//! of a size that is fine in itself could take more of both than a function has.

use crate::literal::plain;

/// The most values a request may have: ten thousand short messages. They take about 20 MB.
pub(crate) const MAX_VALUES: usize = 100_000;

/// How many values an object counts as, since its table and its list of members take as much time and memory.
pub(crate) const OBJECT: usize = 3;

/// Whether a text has more values than a request may have. It looks no further than it has to, and what is no JSON it
/// does not mind.
pub(crate) fn too_many(text: &str) -> bool {
    Values::default().too_many(text.as_bytes())
}

/// The values of a text that comes in pieces.
#[derive(Default)]
pub(crate) struct Values {
    announced: usize,
    place: Place,
}

/// Where a piece ends.
#[derive(Clone, Copy, Default)]
enum Place {
    #[default]
    Outside,
    InString,
    /// In a string, behind a backslash.
    Escaped,
}

impl Values {
    /// Whether it is too many with those of the next piece.
    pub(crate) fn too_many(&mut self, piece: &[u8]) -> bool {
        let mut rest = match (self.place, piece) {
            (_, []) => return false,
            (Place::Outside, _) => piece,
            (Place::Escaped, [_, inside @ ..]) | (Place::InString, inside) => {
                self.after_string(inside)
            }
        };
        loop {
            let (structure, behind) = rest.split_at_checked(plain(rest)).unwrap_or_default();
            self.announced += announced(structure);
            if self.announced >= MAX_VALUES {
                return true;
            }
            rest = match behind {
                [b'"', inside @ ..] => self.after_string(inside),
                [_, after @ ..] => after,
                [] => return false,
            };
        }
    }

    /// What comes after a string that has begun.
    #[inline]
    fn after_string<'a>(&mut self, mut inside: &'a [u8]) -> &'a [u8] {
        let place = loop {
            inside = match inside {
                [b'"', after @ ..] => {
                    self.place = Place::Outside;
                    return after;
                }
                // Whatever is escaped, it does not end the string.
                [b'\\', _, after @ ..] | [0..b' ', after @ ..] => after,
                [b'\\'] => break Place::Escaped,
                [] => break Place::InString,
                _ => inside.get(plain(inside)..).unwrap_or_default(),
            };
        };
        self.place = place;
        &[]
    }
}

/// How many values are announced outside of strings. An array or an object has one value more than commas, unless it is
/// empty. So each value but the first is announced by a comma or by the bracket before it, and the object itself comes on top.
fn announced(structure: &[u8]) -> usize {
    structure
        .iter()
        .map(|byte| match byte {
            b',' | b'[' => 1,
            b'{' => OBJECT,
            _ => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::{MAX_VALUES, OBJECT, Values, too_many};

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
    fn pieces_have_the_values_of_the_whole() {
        let text = format!(r"[{}0]", r#"{"a,\"[":"\\"},"#.repeat(MAX_VALUES / 4 - 1));
        for size in [1, 2, 3, 7, 1000] {
            let in_pieces = |text: &str| {
                let mut values = Values::default();
                text.as_bytes()
                    .chunks(size)
                    .any(|piece| values.too_many(piece))
            };
            assert!(!in_pieces(&text), "{size}");
            assert!(in_pieces(&format!("[[[{text},{{}}]]]")), "{size}");
        }
    }

    #[test]
    fn what_is_no_json_does_no_harm() {
        for text in ["", "\"", "\"\\", "]]]", "\\\"["] {
            assert!(!too_many(text), "{text}");
        }
    }
}
