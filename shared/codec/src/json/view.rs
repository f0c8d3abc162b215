//! A look at JSON that is kept as text, without parsing all of it.

use std::borrow::Cow;

use serde_json::{Map, Value, map};

use super::escape::plain_len;
use super::{Out, json_len, value};

/// A piece of JSON, be it a tree or still a text.
///
/// The text is compact and was written by this crate, so finding the end of a value takes no more than counting
/// brackets and passing over strings, and is only done where the end matters. A text that is no JSON gives some nonsense,
/// but never a panic.
#[derive(Clone, Copy, Debug)]
pub struct View<'a>(Form<'a>);

#[derive(Clone, Copy, Debug)]
enum Form<'a> {
    /// The value is what the text begins with.
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
            Form::Text(json) => member(json, key),
            Form::Tree(tree) => tree.get(key).map(View::from),
        }
    }

    /// The members of an object, in order; none where it is something else.
    #[must_use]
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
            Form::Text(json) => json.starts_with('"').then(|| unquoted(whole(json))),
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
            Form::Text(json) => json.starts_with('n'),
            Form::Tree(tree) => tree.is_null(),
        }
    }

    /// Whether it is `true`.
    #[must_use]
    pub fn is_true(self) -> bool {
        match self.0 {
            Form::Text(json) => json.starts_with('t'),
            Form::Tree(tree) => *tree == Value::Bool(true),
        }
    }

    /// A number that is not negative and has no fraction.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        match self.0 {
            Form::Text(json) => whole(json).parse().ok(),
            Form::Tree(tree) => tree.as_u64(),
        }
    }

    /// How many bytes its compact JSON takes.
    #[must_use]
    pub fn json_len(self) -> usize {
        match self.0 {
            Form::Text(json) => whole(json).len(),
            Form::Tree(tree) => json_len(tree),
        }
    }

    /// All of it as a tree.
    #[must_use]
    pub fn to_value(self) -> Value {
        match self.0 {
            Form::Text(json) => parsed(whole(json)),
            Form::Tree(tree) => tree.clone(),
        }
    }

    /// The text that begins with it, where it is one.
    pub(crate) fn as_text(self) -> Option<&'a str> {
        match self.0 {
            Form::Text(json) => Some(json),
            Form::Tree(_) => None,
        }
    }

    /// Writes its compact JSON.
    pub(crate) fn write(self, out: &mut impl Out) {
        match self.0 {
            Form::Text(json) => out.compact(whole(json)),
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
                let (key, after) = rest.starts_with('"').then(|| split_value(rest))??;
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

/// The value at the start of a text.
fn whole(text: &str) -> &str {
    split_value(text).map_or(text, |(json, _)| json)
}

/// The member of the object at the start of a text.
fn member<'a>(json: &'a str, key: &str) -> Option<View<'a>> {
    let mut rest = json.strip_prefix('{')?;
    while let Some(inside) = rest.strip_prefix('"') {
        let found = inside
            .strip_prefix(key)
            .and_then(|rest| rest.strip_prefix("\":"));
        if let Some(value) = found {
            return Some(View::of_text(value));
        }
        let (_, after) = split_value(rest)?;
        let (_, after) = split_value(after.strip_prefix(':')?)?;
        rest = after.strip_prefix(',').unwrap_or_default();
    }
    // A key with a sign in it that has an escape is not written as it is.
    let is_escaped = plain_len(key.as_bytes()) < key.len();
    let mut members = is_escaped.then(|| of_members(json))?;
    members
        .find(|(name, _)| *name == key)
        .map(|(_, value)| value)
}

/// The value at the start of a text, and what follows it; nothing at the end of an array or object.
fn split_value(text: &str) -> Option<(&str, &str)> {
    let end = match text.bytes().next()? {
        b'"' => string_end(text.as_bytes(), 0),
        b'{' | b'[' => nested_len(text.as_bytes()),
        _ => text.find([',', '}', ']']).unwrap_or(text.len()),
    };
    (end > 0).then(|| text.split_at_checked(end))?
}

/// Where the string ends that begins at a place in a text, its marks included.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
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
fn nested_len(bytes: &[u8]) -> usize {
    let mut level = 0_usize;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = string_end(bytes, at);
                continue;
            }
            b'{' | b'[' => level += 1,
            b'}' | b']' if level <= 1 => return at + 1,
            b'}' | b']' => level -= 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// The text a JSON string stands for.
fn unquoted(json: &str) -> Cow<'_, str> {
    let inside = json
        .strip_prefix('"')
        .and_then(|json| json.strip_suffix('"'));
    match inside {
        Some(inside) if plain_len(inside.as_bytes()) == inside.len() => Cow::Borrowed(inside),
        _ => Cow::Owned(parsed(json)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::View;

    /// A text and its tree look the same, wherever one looks.
    fn check(text: View<'_>, tree: View<'_>) {
        assert_eq!(text.to_value(), tree.to_value());
        assert_eq!(text.json_len(), tree.json_len());
        assert_eq!(text.text(), tree.text());
        assert_eq!(text.as_u64(), tree.as_u64());
        let kinds = |view: View<'_>| {
            let kinds = [view.is_string(), view.is_object(), view.is_array()];
            (kinds, view.is_null(), view.is_true())
        };
        assert_eq!(kinds(text), kinds(tree));
        assert_eq!(text.elements().count(), tree.elements().count());
        for (one, other) in text.elements().zip(tree.elements()) {
            check(one, other);
        }
        assert_eq!(text.members().count(), tree.members().count());
        for ((key, one), (name, other)) in text.members().zip(tree.members()) {
            assert_eq!(key, name);
            check(one, other);
            check(text.member(&key).unwrap(), other);
        }
        assert!(text.member("nowhere").is_none());
    }

    #[test]
    fn a_text_looks_like_its_tree() {
        let all = json!({
            "": [], "a": {}, "text": "x", "quoted \" key\\": {"\n": null},
            "list": [1, "two", [true, false, {"deep": ["}", "]", "\\", "\"", ","]}], -0.5, null],
            "long": "x".repeat(100) + "\" and \\" + &"y".repeat(40), "é漢": "😀", "n": 18_446_744_073_709_551_615_u64,
        });
        check(View::of_text(&all.to_string()), View::from(&all));
        for scalar in ["null", "true", "7", "\"t\"", "[]", "{}"] {
            let tree: Value = serde_json::from_str(scalar).unwrap();
            check(View::of_text(scalar), View::from(&tree));
        }
    }

    #[test]
    fn what_is_no_json_does_no_harm() {
        let broken = [
            "", "{", "[", "\"", "{\"a", "{\"a\"", "{\"a\":", "[1,", "\\", "{a:1}", "\"\\", "]",
            "nul", "é",
        ];
        for text in broken {
            let view = View::of_text(text);
            let _ = (
                view.text(),
                view.to_value(),
                view.json_len(),
                view.member("a").is_some(),
            );
            assert!(
                view.members().count() + view.elements().count() < 3,
                "{text}"
            );
        }
    }
}
