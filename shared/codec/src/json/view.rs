//! A look at JSON that is kept as text, without parsing all of it.

use std::borrow::Cow;

use serde_json::{Map, Value, map};

use super::escape::plain_len;
use super::{Out, json_len, value};

/// A piece of JSON, be it a tree or still a text.
///
/// The text is compact and was written by this crate, so finding the end of a value takes no more than counting
/// brackets and passing over strings. A text that is no JSON gives some nonsense, but never a panic.
#[derive(Clone, Copy, Debug)]
pub struct View<'a>(Form<'a>);

#[derive(Clone, Copy, Debug)]
enum Form<'a> {
    Text(&'a str),
    Tree(&'a Value),
}

impl<'a> View<'a> {
    /// Looks at the compact JSON of a value.
    pub(crate) fn of_text(json: &'a str) -> Self {
        Self(Form::Text(json))
    }

    /// The member of an object.
    #[must_use]
    pub fn member(self, key: &str) -> Option<Self> {
        match self.0 {
            Form::Text(json) => of_members(json)
                .find(|(name, _)| *name == key)
                .map(|(_, it)| it),
            Form::Tree(tree) => tree.get(key).map(View::from),
        }
    }

    /// The members of an object, in order; none where it is something else.
    pub fn members(self) -> Members<'a> {
        match self.0 {
            Form::Text(json) => of_members(json),
            Form::Tree(Value::Object(fields)) => of_fields(fields),
            Form::Tree(_) => of_members(""),
        }
    }

    /// The elements of an array; none where it is something else.
    pub fn elements(self) -> impl Iterator<Item = View<'a>> {
        let (mut rest, tree) = match self.0 {
            Form::Text(json) => (json.strip_prefix('[').unwrap_or_default(), None),
            Form::Tree(tree) => ("", tree.as_array()),
        };
        let texts = std::iter::from_fn(move || {
            let (json, after) = split_value(rest)?;
            rest = after.strip_prefix(',').unwrap_or_default();
            Some(View::of_text(json))
        });
        texts.chain(tree.into_iter().flatten().map(View::from))
    }

    /// The text of a string.
    #[must_use]
    pub fn text(self) -> Option<Cow<'a, str>> {
        match self.0 {
            Form::Text(json) => json.starts_with('"').then(|| unquoted(json)),
            Form::Tree(tree) => tree.as_str().map(Cow::Borrowed),
        }
    }

    /// Whether it is a string.
    #[must_use]
    pub fn is_string(self) -> bool {
        match self.0 {
            Form::Text(json) => json.starts_with('"'),
            Form::Tree(tree) => tree.is_string(),
        }
    }

    /// Whether it is an object.
    #[must_use]
    pub fn is_object(self) -> bool {
        match self.0 {
            Form::Text(json) => json.starts_with('{'),
            Form::Tree(tree) => tree.is_object(),
        }
    }

    /// Whether it is an array.
    #[must_use]
    pub fn is_array(self) -> bool {
        match self.0 {
            Form::Text(json) => json.starts_with('['),
            Form::Tree(tree) => tree.is_array(),
        }
    }

    /// Whether it is null.
    #[must_use]
    pub fn is_null(self) -> bool {
        match self.0 {
            Form::Text(json) => json == "null",
            Form::Tree(tree) => tree.is_null(),
        }
    }

    /// Whether it is `true`.
    #[must_use]
    pub fn is_true(self) -> bool {
        match self.0 {
            Form::Text(json) => json == "true",
            Form::Tree(tree) => *tree == Value::Bool(true),
        }
    }

    /// A number that is not negative and has no fraction.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        match self.0 {
            Form::Text(json) => json.parse().ok(),
            Form::Tree(tree) => tree.as_u64(),
        }
    }

    /// How many bytes its compact JSON takes.
    #[must_use]
    pub fn json_len(self) -> usize {
        match self.0 {
            Form::Text(json) => json.len(),
            Form::Tree(tree) => json_len(tree),
        }
    }

    /// All of it as a tree.
    #[must_use]
    pub fn to_value(self) -> Value {
        match self.0 {
            Form::Text(json) => parsed(json),
            Form::Tree(tree) => tree.clone(),
        }
    }

    /// Writes its compact JSON.
    pub(crate) fn write(self, out: &mut impl Out) {
        match self.0 {
            Form::Text(json) => out.compact(json),
            Form::Tree(tree) => value(out, tree),
        }
    }
}

impl<'a> From<&'a Value> for View<'a> {
    fn from(tree: &'a Value) -> Self {
        Self(Form::Tree(tree))
    }
}

/// The members of an object.
#[derive(Clone, Debug)]
pub struct Members<'a>(Rest<'a>);

#[derive(Clone, Debug)]
enum Rest<'a> {
    Text(&'a str),
    Tree(map::Iter<'a>),
}

impl<'a> Iterator for Members<'a> {
    type Item = (Cow<'a, str>, View<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Rest::Text(rest) => {
                let (key, after) = split_value(rest)?;
                let (json, after) = split_value(after.strip_prefix(':')?)?;
                *rest = after.strip_prefix(',').unwrap_or_default();
                Some((unquoted(key), View::of_text(json)))
            }
            Rest::Tree(fields) => {
                let (key, tree) = fields.next()?;
                Some((Cow::Borrowed(key), View::from(tree)))
            }
        }
    }
}

/// The members of the object that a compact text is.
pub(crate) fn of_members(json: &str) -> Members<'_> {
    Members(Rest::Text(json.strip_prefix('{').unwrap_or_default()))
}

/// The members of an object that is a tree.
pub(crate) fn of_fields(fields: &Map<String, Value>) -> Members<'_> {
    Members(Rest::Tree(fields.iter()))
}

/// The tree of a text that this crate wrote. Such a text can always be read, so what a broken one gives does not matter.
pub(crate) fn parsed<T: serde::de::DeserializeOwned + Default>(json: &str) -> T {
    serde_json::from_str(json).unwrap_or_default()
}

/// The value at the start of a text, and what follows it; nothing at the end of an array or object.
fn split_value(text: &str) -> Option<(&str, &str)> {
    let end = match text.bytes().next()? {
        b'"' => string_len(text),
        b'{' | b'[' => nested_len(text),
        _ => text.find([',', '}', ']']).unwrap_or(text.len()),
    };
    (end > 0).then(|| text.split_at_checked(end))?
}

/// How long the string at the start of a text is, its marks included.
fn string_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while let Some(rest) = bytes.get(at..) {
        at += plain_len(rest);
        match bytes.get(at) {
            // What is escaped is never the end.
            Some(b'\\') => at += 2,
            Some(b'"') => return at + 1,
            Some(_) => at += 1,
            None => break,
        }
    }
    bytes.len()
}

/// How long the array or object at the start of a text is.
fn nested_len(text: &str) -> usize {
    let mut level = 0_usize;
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let Some(byte) = rest.bytes().next() else {
            break;
        };
        match byte {
            b'"' => {
                at += string_len(rest);
                continue;
            }
            b'{' | b'[' => level += 1,
            b'}' | b']' => level = level.saturating_sub(1),
            _ => {}
        }
        at += 1;
        if level == 0 {
            return at;
        }
    }
    text.len()
}

/// The text a JSON string stands for.
fn unquoted(json: &str) -> Cow<'_, str> {
    let inside = json
        .strip_prefix('"')
        .and_then(|json| json.strip_suffix('"'));
    match inside {
        Some(inside) if !inside.as_bytes().contains(&b'\\') => Cow::Borrowed(inside),
        _ => Cow::Owned(parsed(json)),
    }
}
