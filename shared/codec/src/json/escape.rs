//! The escapes of JSON strings, looked for in many bytes at a time.

/// What stands for a byte that cannot stand in a string itself.
pub(crate) struct Escapes {
    quote: &'static str,
    backslash: &'static str,
    line_feed: &'static str,
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
    line_feed: "\\n",
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
    line_feed: "\\\\n",
    controls: [
        "\\\\u0000", "\\\\u0001", "\\\\u0002", "\\\\u0003", "\\\\u0004", "\\\\u0005", "\\\\u0006", "\\\\u0007",
        "\\\\b", "\\\\t", "\\\\n", "\\\\u000b", "\\\\f", "\\\\r", "\\\\u000e", "\\\\u000f",
        "\\\\u0010", "\\\\u0011", "\\\\u0012", "\\\\u0013", "\\\\u0014", "\\\\u0015", "\\\\u0016", "\\\\u0017",
        "\\\\u0018", "\\\\u0019", "\\\\u001a", "\\\\u001b", "\\\\u001c", "\\\\u001d", "\\\\u001e", "\\\\u001f",
    ],
};

/// Writes a text as it stands in a string.
pub(crate) fn escape(out: &mut String, text: &str) {
    escape_by::<false>(out, text);
}

/// Writes a text as it stands in a string of JSON that stands in a string itself.
pub(crate) fn escape_nested(out: &mut String, text: &str) {
    escape_by::<true>(out, text);
}

#[inline]
fn escape_by<const IN_STRING: bool>(out: &mut String, text: &str) {
    let mut start = 0;
    escaped_places(text.as_bytes(), |at| {
        start = escape_at::<IN_STRING>(out, text, start, at);
    });
    out.push_str(text.get(start..).unwrap_or_default());
}

/// Writes a plain piece and the escape behind it; where the next piece begins. Made for each of the escapes, so that the
/// common ones are known when this is compiled.
#[inline(never)]
fn escape_at<const IN_STRING: bool>(
    out: &mut String,
    text: &str,
    start: usize,
    at: usize,
) -> usize {
    let escapes = const { if IN_STRING { &NESTED } else { &PLAIN } };
    out.push_str(text.get(start..at).unwrap_or_default());
    match text.as_bytes().get(at) {
        Some(b'"') => out.push_str(escapes.quote),
        Some(b'\n') => out.push_str(escapes.line_feed),
        Some(byte) => out.push_str(escapes.of(*byte).unwrap_or_default()),
        None => {}
    }
    // What is escaped is always a single byte, so the rest begins with a whole character.
    at + 1
}

/// Whether a text is no longer than ids and names are and has no escapes. Its first and its last bytes are looked at, which
/// overlap: that takes less than going over it from one end to the other.
#[inline]
pub(crate) fn is_short_and_plain(bytes: &[u8]) -> bool {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<16>(), bytes.last_chunk::<16>()) {
        let marks = |half| u128::from_le_bytes(marked(half));
        return bytes.len() <= 32 && marks(first) | marks(last) == 0;
    }
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => marks(*first) | marks(*last) == 0,
        _ => !bytes.iter().copied().any(is_escaped),
    }
}

/// How many bytes a text takes with its escapes.
pub(crate) fn escaped_len(text: &str, escapes: &Escapes) -> usize {
    let bytes = text.as_bytes();
    let mut len = bytes.len();
    escaped_places(bytes, |at| {
        let escape = bytes.get(at).and_then(|byte| escapes.of(*byte));
        len += escape.map_or(0, |escape| escape.len() - 1);
    });
    len
}

/// How many bytes of a string come before the first one JSON has an escape for: a quote, a backslash or a control character.
#[inline]
#[must_use]
pub fn plain_len(bytes: &[u8]) -> usize {
    // Where escapes are many the first word has one; where they are few there is a long way to go.
    match bytes.first_chunk().map(|word| marks(*word)) {
        Some(0) => plain_far(bytes),
        Some(marks) => first(marks),
        None => plain_bytes(bytes),
    }
}

fn plain_far(bytes: &[u8]) -> usize {
    let (steps, _) = bytes.as_chunks::<32>();
    let is_plain = |step: &&[u8; 32]| marked(step) == [0; 32];
    let far = 32 * steps.iter().take_while(is_plain).count();
    let rest = bytes.get(far..).unwrap_or_default();
    let (words, tail) = rest.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let marks = marks(*word);
        if marks != 0 {
            return far + 8 * index + first(marks);
        }
    }
    bytes.len() - tail.len() + plain_bytes(tail)
}

fn plain_bytes(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| !is_escaped(**byte)).count()
}

/// Shows the place of each byte that has an escape, in order.
#[inline]
fn escaped_places(bytes: &[u8], mut found: impl FnMut(usize)) {
    let mut at = 0;
    let mut rest = bytes;
    while let Some((step, behind)) = rest.split_first_chunk::<32>() {
        show(at, &marked(step), &mut found);
        at += 32;
        rest = behind;
    }
    if let Some((step, behind)) = rest.split_first_chunk::<16>() {
        show(at, &marked(step), &mut found);
        at += 16;
        rest = behind;
    }
    // What is left is looked at within the last bytes, of which the first were seen before.
    if let (Some(last), [_, ..]) = (bytes.last_chunk::<16>(), rest) {
        let marks = u128::from_le_bytes(marked(last)) >> (8 * (16 - rest.len()));
        show(at, &marks.to_le_bytes(), &mut found);
        return;
    }
    if let Some((word, behind)) = rest.split_first_chunk::<8>() {
        show(at, &marks(*word).to_le_bytes(), &mut found);
        at += 8;
        rest = behind;
    }
    for (index, byte) in rest.iter().enumerate() {
        if is_escaped(*byte) {
            found(at + index);
        }
    }
}

/// Shows the places that are marked.
#[inline]
fn show<const N: usize>(start: usize, marked: &[u8; N], found: &mut impl FnMut(usize)) {
    let (words, _) = marked.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    // Nearly always there is none, and then that is all.
    if words.clone().fold(0, |any, marks| any | marks) == 0 {
        return;
    }
    for (index, mut marks) in words.enumerate() {
        while marks != 0 {
            found(start + 8 * index + first(marks));
            marks &= marks - 1;
        }
    }
}

/// The place of the first byte of a word that is marked; there has to be one.
#[inline]
fn first(marks: u64) -> usize {
    marks.trailing_zeros() as usize / 8
}

/// Marks each byte that has an escape, in a form that becomes a few instructions for all of them at once.
#[inline]
fn marked<const N: usize>(bytes: &[u8; N]) -> [u8; N] {
    let mut marked = [0; N];
    for (mark, byte) in marked.iter_mut().zip(bytes) {
        *mark = if is_escaped(*byte) { MARK } else { 0 };
    }
    marked
}

/// The same for a word, with arithmetic: for so few bytes it takes no more.
#[inline]
fn marks(word: [u8; 8]) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const LOW: u64 = ONES * 0x7f;
    let word = u64::from_le_bytes(word);
    // The low bits carry into the high one unless all are zero, and nothing carries from byte to byte.
    let zeros = |word: u64| !(((word & LOW) + LOW) | word | LOW);
    zeros(word & (ONES * 0xe0)) | zeros(word ^ (ONES * 0x22)) | zeros(word ^ (ONES * 0x5c))
}

/// What a byte that has an escape is marked with: a single bit, so that it is taken off at once.
const MARK: u8 = 0x80;

/// Written without branches, so that many bytes can be looked at side by side.
#[inline]
#[expect(
    clippy::needless_bitwise_bool,
    reason = "a branch a byte is what this avoids"
)]
fn is_escaped(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

#[cfg(test)]
mod tests {
    use super::{is_short_and_plain, plain_len};

    #[test]
    fn a_byte_with_an_escape_is_found_wherever_it_is() {
        for (length, other) in (0..90).flat_map(|length| [(length, b'x'), (length, 0xff)]) {
            let mut bytes = vec![other; length];
            assert_eq!(plain_len(&bytes), length);
            assert_eq!(is_short_and_plain(&bytes), length <= 32);
            for at in (0..length).rev() {
                for escaped in [b'\\', b'"', 0, 0x1f] {
                    bytes[at] = escaped;
                    assert_eq!(plain_len(&bytes), at);
                    assert!(!is_short_and_plain(&bytes));
                }
            }
        }
    }
}
