//! Personal data and secrets, taken out before a model sees the text.

use regex_lite::{Captures, Regex};

/// Replaces what its patterns find by a word for its kind.
#[derive(Clone, Debug)]
pub struct Redactor {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
struct Rule {
    kind: String,
    pattern: Regex,
    accept: Accept,
}

/// Says whether a match is really what the pattern looks for.
type Accept = fn(&str) -> bool;

/// The built-in set, in order of application: keys first, since they may hold digits that look like
/// something else.
const BUILT_IN: &[(&str, &str, Accept)] = &[
    (
        "private key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
        always,
    ),
    ("key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b", always),
    ("key", r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}", always),
    ("key", r"\bgh[pousr]_[A-Za-z0-9]{20,}", always),
    ("key", r"\bxox[abprs]-[A-Za-z0-9-]{10,}", always),
    (
        "key",
        r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
        always,
    ),
    (
        "e-mail",
        r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+",
        always,
    ),
    ("card", r"\b\d(?:[ -]?\d){12,18}\b", is_card),
    (
        "phone",
        r"(?:\+\d{1,3}[ .-]?)?(?:\(\d{1,4}\)[ .-]?)?\d{2,4}(?:[ .-]\d{2,4}){2,4}\b",
        is_phone,
    ),
    ("phone", r"\(\d{2,4}\)[ .-]?\d{3,4}[ .-]?\d{3,4}\b", always),
    ("phone", r"\+\d{8,15}\b", always),
];

impl Redactor {
    /// Finds e-mail addresses, phone and card numbers, and the usual forms of keys.
    #[must_use]
    pub fn built_in() -> Self {
        let rules = BUILT_IN.iter().filter_map(|(kind, pattern, accept)| {
            Some(Rule {
                kind: (*kind).to_owned(),
                pattern: Regex::new(pattern).ok()?,
                accept: *accept,
            })
        });
        Self {
            rules: rules.collect(),
        }
    }

    /// Adds a pattern of the operator's own.
    pub fn with(mut self, kind: &str, pattern: &str) -> Result<Self, regex_lite::Error> {
        self.rules.push(Rule {
            kind: kind.to_owned(),
            pattern: Regex::new(pattern)?,
            accept: always,
        });
        Ok(self)
    }

    /// The text without what the patterns find.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        self.rules
            .iter()
            .fold(text.to_owned(), |text, rule| rule.apply(&text))
    }
}

impl Rule {
    fn apply(&self, text: &str) -> String {
        let replace = |found: &Captures<'_>| {
            let found = found.get(0).map_or("", |found| found.as_str());
            if (self.accept)(found) {
                format!("[{}]", self.kind)
            } else {
                found.to_owned()
            }
        };
        self.pattern.replace_all(text, replace).into_owned()
    }
}

fn always(_: &str) -> bool {
    true
}

fn digits(text: &str) -> impl DoubleEndedIterator<Item = u32> {
    text.chars().filter_map(|c| c.to_digit(10))
}

/// The check digit of card numbers holds (Luhn).
fn is_card(text: &str) -> bool {
    let sum: u32 = digits(text)
        .rev()
        .enumerate()
        .map(|(place, digit)| match (place % 2, digit * 2) {
            (0, _) => digit,
            (_, double) if double > 9 => double - 9,
            (_, double) => double,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Long enough for a phone number, and no date.
fn is_phone(text: &str) -> bool {
    let count = digits(text).count();
    let looks_like_a_date = count == 8 && text.split(['-', '.', ' ']).count() == 3;
    (7..=15).contains(&count) && !looks_like_a_date
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_found_and_what_only_looks_like_it_stays() {
        let rows = [
            (
                "write to ann.lee+x@mail.example.com now",
                "write to [e-mail] now",
            ),
            ("card 4111 1111 1111 1111.", "card [card]."),
            ("order 4111 1111 1111 1112", "order 4111 1111 1111 1112"),
            ("call +43 660 123 4567", "call [phone]"),
            ("call (212) 555-0123 4", "call [phone] 4"),
            ("call +436601234567", "call [phone]"),
            ("on 2026-11-18 at 10:30", "on 2026-11-18 at 10:30"),
            ("id AKIAIOSFODNN7EXAMPLE", "id [key]"),
            ("use sk-abcdefghijklmnop1234", "use [key]"),
            ("bearer eyJhbGciOiJI.eyJzdWIiOiIx.abc-_", "bearer [key]"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- ok",
                "[private key] ok",
            ),
            ("-----BEGIN PRIVATE KEY-----\nMIIE cut", "[private key]"),
            ("the year 1984 and 3.14159", "the year 1984 and 3.14159"),
        ];
        let redactor = Redactor::built_in();
        for (text, expected) in rows {
            assert_eq!(redactor.redact(text), expected);
        }
    }

    #[test]
    fn every_built_in_pattern_is_a_pattern() {
        assert_eq!(Redactor::built_in().rules.len(), BUILT_IN.len());
    }

    #[test]
    fn an_operator_may_add_patterns() {
        let redactor = Redactor::built_in().with("ticket", r"\bTCK-\d+\b").unwrap();
        assert_eq!(redactor.redact("see TCK-12"), "see [ticket]");
        assert!(Redactor::built_in().with("broken", "(").is_err());
    }
}
