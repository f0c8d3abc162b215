//! A JSON object inside a message.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, map};

use super::Object;
use crate::json::keys::Keys;
use crate::json::transcript::Transcript;
use crate::json::view::{of_fields, of_members};
use crate::json::{self, Kept, Members, Out, Tree, View};

/// A JSON object that stays text from when it is read until somebody looks into it.
///
/// It can be used like an [`Object`]; that is when a text is parsed. [`view`](Self::view), [`members`](Self::members) and the
/// other methods here do without, and an empty one takes no memory of its own.
#[derive(Clone, Default, PartialEq)]
pub struct Fields(
    /// Nothing where there are no members; there may be none as well after a change.
    Kept<Object>,
);

static EMPTY: LazyLock<Object> = LazyLock::new(Object::new);

impl Fields {
    /// No members at all.
    #[must_use]
    pub const fn new() -> Self {
        Self(Kept::Tree(None))
    }

    /// Whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.0 {
            Kept::Text(_) => false,
            Kept::Tree(tree) => tree.as_ref().is_none_or(|tree| tree.is_empty()),
        }
    }

    /// Whether there is a member of that name.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.view(key).is_some()
    }

    /// A look at the member of that name.
    #[must_use]
    #[inline]
    pub fn view(&self, key: &str) -> Option<View<'_>> {
        if !self.may_have(Keys::of(&[key])) {
            return None;
        }
        self.find(key)
    }

    /// A look at all members, in order.
    #[must_use]
    pub fn members(&self) -> Members<'_> {
        match self.0.text() {
            Some(json) => of_members(json),
            None => of_fields(self.0.tree()),
        }
    }

    /// How many bytes the compact JSON takes.
    #[must_use]
    pub fn json_len(&self) -> usize {
        self.0.json_len()
    }

    /// The compact JSON.
    #[must_use]
    pub fn to_text(&self) -> Cow<'_, str> {
        self.0.to_text()
    }

    /// The object itself.
    #[must_use]
    pub fn into_object(self) -> Object {
        self.0.into_tree()
    }

    fn find(&self, key: &str) -> Option<View<'_>> {
        match self.0.text() {
            Some(json) => View::of_text(json).member(key),
            None => self.0.tree().get(key).map(View::from),
        }
    }

    /// What was read, one member after the other.
    pub(crate) fn of_members(mut transcript: Transcript) -> Self {
        transcript.end();
        Self::of_transcript(transcript)
    }

    fn of_transcript(transcript: Transcript) -> Self {
        Self(Kept::of_transcript(transcript, "{}"))
    }

    /// The text, where it was not parsed and changed.
    pub(crate) fn text(&self) -> Option<&str> {
        self.0.text()
    }

    /// Whether there may be a member of one of these names; told without looking at any.
    pub(crate) fn may_have(&self, keys: Keys) -> bool {
        self.0.may_have(keys)
    }

    /// Whether a member is null.
    pub(crate) fn has_nulls(&self) -> bool {
        match self.0.marks() {
            Some(marks) => marks.nulls,
            None => self.0.tree().values().any(Value::is_null),
        }
    }

    /// How many arrays and objects its innermost value lies in, where it is known.
    pub(crate) fn depth(&self) -> Option<usize> {
        Some(self.0.marks()?.depth.into())
    }

    /// Writes the compact JSON.
    pub(crate) fn write(&self, out: &mut impl Out) {
        self.0.write(out);
    }

    /// Writes the members alone, each after a comma.
    pub(crate) fn write_members(&self, out: &mut impl Out) {
        if let Some(inside) = self.text().and_then(inside) {
            out.syntax(",");
            return out.compact(inside);
        }
        for (key, value) in self.members() {
            out.syntax(",");
            json::view_member(out, &key, value);
        }
    }
}

/// The text of an object without its brackets.
pub(crate) fn inside(json: &str) -> Option<&str> {
    json.strip_prefix('{')?.strip_suffix('}')
}

impl Tree for Object {
    fn nothing() -> &'static Self {
        &EMPTY
    }

    fn write(&self, out: &mut impl Out) {
        json::object(out, self);
    }
}

impl Deref for Fields {
    type Target = Object;

    fn deref(&self) -> &Object {
        self.0.tree()
    }
}

impl DerefMut for Fields {
    fn deref_mut(&mut self) -> &mut Object {
        self.0.tree_mut()
    }
}

impl From<Object> for Fields {
    fn from(fields: Object) -> Self {
        Self(Kept::from(fields))
    }
}

impl From<Fields> for Object {
    fn from(fields: Fields) -> Self {
        fields.into_object()
    }
}

impl FromIterator<(String, Value)> for Fields {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        Object::from_iter(members).into()
    }
}

impl<'a> IntoIterator for &'a Fields {
    type Item = (&'a String, &'a Value);
    type IntoIter = map::Iter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq<Object> for Fields {
    fn eq(&self, other: &Object) -> bool {
        **self == *other
    }
}

impl fmt::Debug for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Transcript::of_object(deserializer).map(Self::of_transcript)
    }
}
