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
    find: Find,
}

/// Says which part of a match is really what the pattern looks for.
type Find = fn(&str) -> Option<&str>;

/// The built-in set, in order of application: keys first, since they may hold digits that look like
/// something else.
const BUILT_IN: &[(&str, &str, Find)] = &[
    (
        "private key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)",
        whole,
    ),
    ("key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b", whole),
    ("key", r"\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}", whole),
    (
        "key",
        r"\b(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{20,}",
        whole,
    ),
    ("key", r"\bAIza[A-Za-z0-9_-]{35}", whole),
    ("key", r"\bxox[abprs]-[A-Za-z0-9-]{10,}", whole),
    (
        "key",
        r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
        whole,
    ),
    (
        "e-mail",
        r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+",
        whole,
    ),
    ("card", r"\b\d(?:[ -]?\d){12,18}\b", card),
    (
        "phone",
        r"(?:\+\d{1,3}[ .-]?)?(?:\(\d{1,4}\)[ .-]?)?\d{2,4}(?:[ .-]\d{2,4}){2,4}\b",
        phone,
    ),
    ("phone", r"\(\d{2,4}\)[ .-]?\d{3,4}[ .-]?\d{3,4}\b", whole),
    ("phone", r"\+\d{8,15}\b", whole),
];

impl Redactor {
    /// Finds e-mail addresses, phone and card numbers, and the usual forms of keys.
    #[must_use]
    pub fn built_in() -> Self {
        let rules = BUILT_IN.iter().filter_map(|(kind, pattern, find)| {
            Some(Rule {
                kind: (*kind).to_owned(),
                pattern: Regex::new(pattern).ok()?,
                find: *find,
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
            find: whole,
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
            match (self.find)(found) {
                // The part occurs first where it was found: the search goes from the left.
                Some(part) => found.replacen(part, &format!("[{}]", self.kind), 1),
                None => found.to_owned(),
            }
        };
        self.pattern.replace_all(text, replace).into_owned()
    }
}

// The signature of `Find`, of which this is the simplest.
#[allow(clippy::unnecessary_wraps)]
fn whole(text: &str) -> Option<&str> {
    Some(text)
}

fn digits(text: &str) -> impl DoubleEndedIterator<Item = u32> {
    text.chars().filter_map(|c| c.to_digit(10))
}

/// The longest run of whole groups of digits that is a card number: an expiry date or a check code may
/// stand right beside it.
fn card(text: &str) -> Option<&str> {
    let is_end = |at: &usize| {
        let bytes = text.as_bytes();
        *at == text.len() || bytes.get(*at).is_some_and(|byte| !byte.is_ascii_digit())
    };
    let is_start = |at: &usize| *at == 0 || is_end(&(at - 1));
    let runs = (0..text.len()).filter(is_start).flat_map(|start| {
        let ends = (start + 1..=text.len()).rev().filter(is_end);
        ends.filter_map(move |end| text.get(start..end))
    });
    let mut cards = runs.filter(|run| is_card(run));
    cards.next()
}

/// The length and the check digit of card numbers (Luhn).
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
    (13..=19).contains(&digits(text).count()) && sum.is_multiple_of(10)
}

/// Long enough for a phone number, and no date.
fn phone(text: &str) -> Option<&str> {
    let count = digits(text).count();
    let looks_like_a_date = count == 8 && text.split(['-', '.', ' ']).count() == 3;
    ((7..=15).contains(&count) && !looks_like_a_date).then_some(text)
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
            ("amex 3782 822463 10005", "amex [card]"),
            (
                "mc 5555555555554444, 19: 6304000000000000000",
                "mc [card], 19: [card]",
            ),
            ("4111-1111-1111-1111 12 28", "[card] 12 28"),
            ("12 4111111111111111", "12 [card]"),
            ("two 4111111111111111 5555555555554444", "two [card] [card]"),
            ("number 41111111111111110000", "number 41111111111111110000"),
            ("call +43 660 123 4567", "call [phone]"),
            ("call (212) 555-0123 4", "call [phone] 4"),
            ("call +436601234567", "call [phone]"),
            ("on 2026-11-18 at 10:30", "on 2026-11-18 at 10:30"),
            ("id AKIAIOSFODNN7EXAMPLE", "id [key]"),
            ("use sk-abcdefghijklmnop1234", "use [key]"),
            ("use sk_live_abcdefghijklmnop1234", "use [key]"),
            ("use ghp_abcdefghijklmnopqrstuvwxyz0123456789", "use [key]"),
            ("use github_pat_11ABCDEFG0123456789_abcdefghij", "use [key]"),
            ("use xoxb-123456789012-abcdefghij", "use [key]"),
            ("use ASIAIOSFODNN7EXAMPLE", "use [key]"),
            ("use AIzaabcdefghijklmnopqrstuvwxyz012345678", "use [key]"),
            ("the task-force of sk-ies", "the task-force of sk-ies"),
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
