//! The escapes of JSON strings, looked for in many bytes at a time.

/// What stands for a byte that cannot stand in a string itself.
pub(crate) struct Escapes {
    quote: &'static str,
    backslash: &'static str,
    controls: [&'static str; 32],
}

impl Escapes {
    /// The escape of a byte, if it has one.
    pub(crate) fn of(&self, byte: u8) -> Option<&'static str> {
        match byte {
            b'"' => Some(self.quote),
            b'\\' => Some(self.backslash),
            byte => self.controls.get(usize::from(byte)).copied(),
        }
    }
}

/// The escapes in a string.
#[rustfmt::skip]
pub(crate) static PLAIN: Escapes = Escapes {
    quote: "\\\"",
    backslash: "\\\\",
    controls: [
        "\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005", "\\u0006", "\\u0007",
        "\\b", "\\t", "\\n", "\\u000b", "\\f", "\\r", "\\u000e", "\\u000f",
        "\\u0010", "\\u0011", "\\u0012", "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017",
        "\\u0018", "\\u0019", "\\u001a", "\\u001b", "\\u001c", "\\u001d", "\\u001e", "\\u001f",
    ],
};

/// The escapes in a string of JSON that stands in a string itself: each is escaped once more.
#[rustfmt::skip]
pub(crate) static NESTED: Escapes = Escapes {
    quote: "\\\\\\\"",
    backslash: "\\\\\\\\",
    controls: [
        "\\\\u0000", "\\\\u0001", "\\\\u0002", "\\\\u0003", "\\\\u0004", "\\\\u0005", "\\\\u0006", "\\\\u0007",
        "\\\\b", "\\\\t", "\\\\n", "\\\\u000b", "\\\\f", "\\\\r", "\\\\u000e", "\\\\u000f",
        "\\\\u0010", "\\\\u0011", "\\\\u0012", "\\\\u0013", "\\\\u0014", "\\\\u0015", "\\\\u0016", "\\\\u0017",
        "\\\\u0018", "\\\\u0019", "\\\\u001a", "\\\\u001b", "\\\\u001c", "\\\\u001d", "\\\\u001e", "\\\\u001f",
    ],
};

/// Writes a text with its escapes.
pub(crate) fn escape(out: &mut String, text: &str, escapes: &Escapes) {
    let mut rest = text;
    loop {
        let (plain, tail) = rest.split_at(plain_len(rest.as_bytes()));
        out.push_str(plain);
        let Some(byte) = tail.bytes().next() else {
            return;
        };
        out.push_str(escapes.of(byte).unwrap_or_default());
        // What is escaped is always a single byte, so the rest begins with a whole character.
        rest = tail.get(1..).unwrap_or_default();
    }
}

/// How many bytes a text takes with its escapes.
pub(crate) fn escaped_len(text: &str, escapes: &Escapes) -> usize {
    let mut len = text.len();
    let mut rest = text.as_bytes();
    while let Some((byte, tail)) = rest.get(plain_len(rest)..).and_then(<[u8]>::split_first) {
        len += escapes.of(*byte).map_or(0, |escape| escape.len() - 1);
        rest = tail;
    }
    len
}

/// How many bytes come before the first one that has an escape.
#[inline]
pub(crate) fn plain_len(bytes: &[u8]) -> usize {
    const LONG: usize = 64;
    let long = if bytes.len() < LONG {
        0
    } else {
        plain_steps(bytes)
    };
    let rest = bytes.get(long..).unwrap_or_default();
    let (halves, _) = rest.as_chunks::<16>();
    for (index, half) in halves.iter().enumerate() {
        if has_escaped(half) {
            return long + 16 * index + plain_words(half);
        }
    }
    // What is left is looked at within the last bytes, of which the first are known to be plain.
    match rest.last_chunk::<16>() {
        Some(last) if has_escaped(last) => bytes.len() - 16 + plain_words(last),
        Some(_) => bytes.len(),
        None => long + plain_words(rest),
    }
}

/// The same, a word at a time. What is left at the end is looked at within the text's last word, of which the first bytes
/// are known to be plain.
#[inline]
fn plain_words(bytes: &[u8]) -> usize {
    let Some(last) = bytes.last_chunk::<8>() else {
        return plain_bytes(bytes);
    };
    let (words, _) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let marks = escaped_bytes(u64::from_le_bytes(*word));
        if marks != 0 {
            return 8 * index + marks.trailing_zeros() as usize / 8;
        }
    }
    let marks = escaped_bytes(u64::from_le_bytes(*last));
    // Without a mark there are 64 zeros, which is the whole word.
    bytes.len() - 8 + marks.trailing_zeros() as usize / 8
}

/// The same for less than a word.
#[inline]
fn plain_bytes(bytes: &[u8]) -> usize {
    let first_escaped = bytes.iter().position(|byte| is_escaped(*byte));
    first_escaped.unwrap_or(bytes.len())
}

/// How many bytes from the start of a long text can be passed over in steps that a processor takes at once.
#[inline(never)]
fn plain_steps(bytes: &[u8]) -> usize {
    let (steps, _) = bytes.as_chunks::<32>();
    32 * steps.iter().take_while(|step| !has_escaped(step)).count()
}

/// Whether any of a few bytes has an escape.
#[inline]
fn has_escaped<const N: usize>(bytes: &[u8; N]) -> bool {
    let escaped = bytes
        .iter()
        .fold(0, |any, byte| any | u8::from(is_escaped(*byte)));
    escaped != 0
}

/// Written without branches, so that many bytes can be looked at side by side.
#[inline]
#[expect(
    clippy::needless_bitwise_bool,
    reason = "a branch a byte is what this avoids"
)]
fn is_escaped(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

/// Sets the high bit of each byte that has an escape. A borrow may set further bits, but only above the first.
fn escaped_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word;
    let controls = word.wrapping_sub(ONES * 0x20) & !word;
    (controls | zeros(word ^ (ONES * 0x22)) | zeros(word ^ (ONES * 0x5c))) & HIGH
}
