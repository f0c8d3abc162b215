//! The limits of the AgentCore Memory service that shape what the codec writes.

/// The most bytes of UTF-8 in a conversational text. The service's model says 100 000 characters and its quota page
/// 100 KB, and nobody says whether a character is a code point or a UTF-16 unit: a text has at least as many bytes as
/// either, so this limit keeps all of them.
pub const MAX_TEXT_BYTES: usize = 100_000;

/// The most items in the payload of one event.
pub const MAX_ITEMS: usize = 100;

/// The size of an event the service documents. Whether it counts decimal megabytes, and whether the request
/// around the payload counts, is not documented, so we stay well below it.
pub const MAX_EVENT_BYTES: usize = 10_000_000;

/// The most bytes of payload JSON we write into one event: three quarters of [`MAX_EVENT_BYTES`], since the
/// service's front end has been seen to refuse bodies from about 8 MB on.
pub const EVENT_BUDGET_BYTES: usize = 7_500_000;

/// The deepest nesting of a value inside a message. Readers stop at 128 levels, and the envelopes around a
/// value need some of them.
pub const MAX_DEPTH: usize = 120;

/// The most metadata pairs on an event.
pub const MAX_METADATA_PAIRS: usize = 15;

/// The most characters in a metadata key; it has at least one.
pub const MAX_METADATA_KEY_CHARS: usize = 128;

/// The most characters in a metadata value.
pub const MAX_METADATA_VALUE_CHARS: usize = 256;

/// The limits an encoder keeps to. The service's own are the default; tests use smaller ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of UTF-8 in a conversational text.
    pub text_bytes: usize,
    /// The most items in an event.
    pub items: usize,
    /// The most bytes of payload JSON in an event.
    pub event_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text_bytes: MAX_TEXT_BYTES,
            items: MAX_ITEMS,
            event_bytes: EVENT_BUDGET_BYTES,
        }
    }
}

/// Whether a text may be the key of an event's metadata.
#[must_use]
pub fn is_metadata_key(key: &str) -> bool {
    !key.is_empty() && key.len() <= MAX_METADATA_KEY_CHARS && key.chars().all(is_metadata_char)
}

/// Whether a text may be a value of an event's metadata.
#[must_use]
pub fn is_metadata_value(value: &str) -> bool {
    value.len() <= MAX_METADATA_VALUE_CHARS && value.chars().all(is_metadata_char)
}

/// Letters, digits, white space and `._:/=+@-`, all of them ASCII: the service's pattern matches no others.
fn is_metadata_char(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(
            c,
            '\t'..='\r' | ' ' | '.' | '_' | ':' | '/' | '=' | '+' | '@' | '-'
        )
}

#[cfg(test)]
mod tests {
    use super::{is_metadata_key, is_metadata_value};

    #[test]
    fn metadata_takes_the_alphabet_of_the_service() {
        for good in ["a", "a.b_c:d/e=f+g@h-i", "two words", "1/2"] {
            assert!(is_metadata_key(good) && is_metadata_value(good), "{good:?}");
        }
        for bad in [
            "{}", "a,b", "\"", "0001#ab", "é", "a|b", "\u{a0}", "\u{2028}",
        ] {
            assert!(!is_metadata_key(bad) && !is_metadata_value(bad), "{bad:?}");
        }
    }

    #[test]
    fn metadata_lengths_are_bounded() {
        assert!(!is_metadata_key(""));
        assert!(is_metadata_value(""));
        assert!(is_metadata_key(&"k".repeat(128)));
        assert!(!is_metadata_key(&"k".repeat(129)));
        assert!(is_metadata_value(&"v".repeat(256)));
        assert!(!is_metadata_value(&"v".repeat(257)));
    }
}
