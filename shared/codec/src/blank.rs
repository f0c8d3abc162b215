//! What counts as blank text, by the rule of Java's `Character.isWhitespace`.
//!
//! Camunda's reader drops or refuses blank text by that rule, and `char::is_whitespace` differs from it in
//! both directions: it takes the no-break spaces and U+0085, and leaves out U+001C to U+001F.

/// Whether a text is empty or made of nothing but Java white space.
#[must_use]
pub fn is_blank(text: &str) -> bool {
    text.chars().all(is_java_whitespace)
}

fn is_java_whitespace(c: char) -> bool {
    matches!(
        c,
        '\t'..='\r'
            | '\u{1c}'..='\u{20}'
            | '\u{1680}'
            | '\u{2000}'..='\u{2006}'
            | '\u{2008}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{205f}'
            | '\u{3000}'
    )
}

#[cfg(test)]
mod tests {
    use super::is_blank;

    #[test]
    fn java_white_space_is_blank() {
        for text in [
            "",
            " ",
            "\t\n\u{b}\u{c}\r",
            "\u{1c}\u{1d}\u{1e}\u{1f}",
            "\u{1680}\u{2000}\u{2006}\u{2008}\u{200a}\u{2028}\u{2029}\u{205f}\u{3000}",
        ] {
            assert!(is_blank(text), "{text:?}");
        }
    }

    #[test]
    fn what_only_other_rules_call_white_space_is_not_blank() {
        for text in [
            "\u{a0}", "\u{2007}", "\u{202f}", "\u{85}", "\u{200b}", "\u{feff}", "\0", "\u{8}",
            " x ",
        ] {
            assert!(!is_blank(text), "{text:?}");
        }
    }
}
