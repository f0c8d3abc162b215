//! The members of a JSON object, before their values are read.

use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use thiserror::Error;

use crate::literal;

/// More members than any gateway's event or any request of ours has. Those beyond are not kept, so an object with
/// a million of them costs no memory; what is kept is then already more than anybody knows the names of.
const MOST: usize = 64;

/// The first members of a JSON object in order, repeated keys included. The values are JSON texts, not yet parsed.
#[derive(Debug)]
pub(crate) struct Members<'a>(pub(crate) Vec<(String, &'a str)>);

/// A text that has no members.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(crate) enum NoMembers {
    #[error("not JSON")]
    NotJson,
    #[error("no JSON object")]
    NotAnObject,
}

impl<'a> Members<'a> {
    /// The members of the object a text is.
    pub(crate) fn read(text: &'a str) -> Result<Self, NoMembers> {
        members(text, inside(text)?).ok_or(NoMembers::NotJson)
    }
}

/// What follows the brace an object begins with.
pub(crate) fn inside(text: &str) -> Result<&str, NoMembers> {
    let value = after_blanks(text);
    if value.starts_with(begins_another_value) {
        return Err(NoMembers::NotAnObject);
    }
    value.strip_prefix('{').ok_or(NoMembers::NotJson)
}

/// What comes after that which may stand between the parts of a JSON text.
fn after_blanks(text: &str) -> &str {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    // Six million of them are looked at in steps, without a branch for each.
    let (steps, _) = text.as_bytes().as_chunks::<32>();
    let all_blank = |step: &&[u8; 32]| step.iter().fold(true, |all, byte| all & is_blank(byte));
    let blank = 32 * steps.iter().take_while(all_blank).count();
    let rest = text.get(blank..).unwrap_or_default();
    let more = rest.bytes().take_while(|byte| is_blank(byte)).count();
    rest.get(more..).unwrap_or_default()
}

fn begins_another_value(first: char) -> bool {
    matches!(first, '[' | '"' | '-' | '0'..='9' | 't' | 'f' | 'n')
}

/// The members in what follows an opening brace, which is the end of `whole`.
fn members<'a>(whole: &str, inside: &'a str) -> Option<Members<'a>> {
    let mut found = Vec::new();
    let mut rest = after_blanks(inside);
    if let Some(after) = rest.strip_prefix('}') {
        return is_blank(after).then_some(Members(found));
    }
    while found.len() < MOST {
        let (name, after) = rest.split_at_checked(literal::length(rest)?)?;
        let after = after_blanks(after).strip_prefix(':')?;
        let (value, after) = value(after_blanks(after))?;
        found.push((literal::text(name)?, value));
        let after = after_blanks(after);
        if let Some(after) = after.strip_prefix('}') {
            return is_blank(after).then_some(Members(found));
        }
        rest = after_blanks(after.strip_prefix(',')?);
    }
    // What is not kept has to be JSON all the same.
    let checked = serde_json::from_str::<IgnoredAny>(whole);
    checked.ok().map(|_| Members(found))
}

/// The value a text begins with, and what comes after it.
fn value(text: &str) -> Option<(&str, &str)> {
    if text.starts_with('"') {
        return text.split_at_checked(literal::length(text)?);
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let value = values.next()?.ok()?;
    Some((value.get(), text.get(values.byte_offset()..)?))
}

fn is_blank(text: &str) -> bool {
    after_blanks(text).is_empty()
}

#[cfg(test)]
mod tests {
    use serde::de::IgnoredAny;

    use super::{MOST, Members, NoMembers};

    #[test]
    fn members_come_in_order_and_repeated() {
        let text = "\r\n{ \"b\" :\t1, \"a\":[2,\"}\"] ,\"b\":{},\"\\u0063\":\"\\\"\",\"d\":-1.5e3,\"e\":null} ";
        let Members(members) = Members::read(text).unwrap();
        let pairs: Vec<(&str, &str)> = members
            .iter()
            .map(|(key, value)| (key.as_str(), *value))
            .collect();
        let expected = [
            ("b", "1"),
            ("a", "[2,\"}\"]"),
            ("b", "{}"),
            ("c", r#""\"""#),
            ("d", "-1.5e3"),
            ("e", "null"),
        ];
        assert_eq!(pairs, expected);
    }

    #[test]
    fn what_the_parser_refuses_has_no_members() {
        for text in [
            "{}",
            " { } ",
            r#"{"a":1}"#,
            r#"{"a":"b","c":true}"#,
            "",
            "{",
            "{{}}",
            "{}}",
            "{} x",
            "{,}",
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{"a":1,}"#,
            r#"{"a":1 "b":2}"#,
            r#"{"a":1x}"#,
            r#"{"a":01}"#,
            r#"{"a":truefalse}"#,
            r#"{"a":"b"c}"#,
            r#"{"a":"b}"#,
            r#"{"a":[}"#,
            r#"{"a":1;"b":2}"#,
            r"{a:1}",
            r#"{"a" 1}"#,
            "{\"a\u{1}\":1}",
            "{\"a\":\u{a0}1}",
        ] {
            let parsed = serde_json::from_str::<IgnoredAny>(text);
            assert_eq!(Members::read(text).is_ok(), parsed.is_ok(), "{text}");
        }
    }

    #[test]
    fn another_value_is_no_object() {
        for text in ["[]", "\"x\"", "7", "-1", "null", " true", "false"] {
            assert_eq!(Members::read(text).unwrap_err(), NoMembers::NotAnObject);
        }
        for text in ["", "x", "}", "{]"] {
            assert_eq!(Members::read(text).unwrap_err(), NoMembers::NotJson);
        }
    }

    #[test]
    fn no_more_are_kept_than_anybody_knows() {
        let many = format!("{{{}\"z\":0}}", r#""a":1,"#.repeat(10_000));
        let Members(members) = Members::read(&many).unwrap();
        assert_eq!(members.len(), MOST);
        let broken = format!("{{{}\"z\":}}", r#""a":1,"#.repeat(10_000));
        assert!(Members::read(&broken).is_err());
    }
}
