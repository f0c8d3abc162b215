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
#[derive(Clone, Default)]
pub struct Fields(
    /// None where there are no members; there may be none as well after a change.
    Option<Box<Kept<Object>>>,
);

static EMPTY: LazyLock<Object> = LazyLock::new(Object::new);

impl Fields {
    /// No members at all.
    #[must_use]
    pub const fn new() -> Self {
        Self(None)
    }

    /// Whether there are no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        // A text is never that of an empty object.
        self.kept()
            .is_none_or(|kept| kept.text().is_none() && kept.tree().is_empty())
    }

    /// Whether there is a member of that name.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.view(key).is_some()
    }

    /// A look at the member of that name.
    #[must_use]
    pub fn view(&self, key: &str) -> Option<View<'_>> {
        let kept = self.kept()?;
        match kept.text() {
            Some(_) if !self.may_have(Keys::of(&[key])) => None,
            Some(json) => View::of_text(json).member(key),
            None => kept.tree().get(key).map(View::from),
        }
    }

    /// A look at all members, in order.
    #[must_use]
    pub fn members(&self) -> Members<'_> {
        match self.kept().map(|kept| (kept.text(), kept)) {
            None => of_members(""),
            Some((Some(json), _)) => of_members(json),
            Some((None, kept)) => of_fields(kept.tree()),
        }
    }

    /// How many bytes the compact JSON takes.
    #[must_use]
    pub fn json_len(&self) -> usize {
        self.kept().map_or("{}".len(), Kept::json_len)
    }

    /// The compact JSON.
    #[must_use]
    pub fn to_text(&self) -> Cow<'_, str> {
        let kept = self.0.as_ref();
        kept.map_or(Cow::Borrowed("{}"), |kept| kept.to_text())
    }

    /// The object itself.
    #[must_use]
    pub fn into_object(self) -> Object {
        self.0.map(|kept| kept.into_tree()).unwrap_or_default()
    }

    /// What was read, one member after the other.
    pub(crate) fn of_members(mut transcript: Transcript) -> Self {
        transcript.end();
        Self::of_transcript(transcript)
    }

    fn of_transcript(transcript: Transcript) -> Self {
        let kept = Kept::of_transcript(transcript);
        let is_empty = matches!(kept.text(), Some("" | "{}"));
        Self((!is_empty).then(|| Box::new(kept)))
    }

    /// The text, where it was not parsed and changed.
    pub(crate) fn text(&self) -> Option<&str> {
        self.kept()?.text()
    }

    /// Whether there may be a member of one of these names; told without looking at any.
    pub(crate) fn may_have(&self, keys: Keys) -> bool {
        let marks = self.kept().map(Kept::marks);
        marks.is_some_and(|marks| marks.is_none_or(|marks| marks.keys.may_meet(keys)))
    }

    /// Whether a member is null.
    pub(crate) fn has_nulls(&self) -> bool {
        self.kept().is_some_and(|kept| match kept.marks() {
            Some(marks) => marks.nulls,
            None => kept.tree().values().any(Value::is_null),
        })
    }

    /// How many arrays and objects its innermost value lies in, where it is known.
    pub(crate) fn depth(&self) -> Option<usize> {
        Some(self.kept()?.marks()?.depth.into())
    }

    /// Writes the compact JSON.
    pub(crate) fn write(&self, out: &mut impl Out) {
        match self.kept() {
            Some(kept) => kept.write(out),
            None => out.syntax("{}"),
        }
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

    fn kept(&self) -> Option<&Kept<Object>> {
        self.0.as_deref()
    }
}

/// The text of an object without its brackets.
pub(crate) fn inside(json: &str) -> Option<&str> {
    json.strip_prefix('{')?.strip_suffix('}')
}

impl Tree for Object {
    fn write(&self, out: &mut impl Out) {
        json::object(out, self);
    }
}

impl Deref for Fields {
    type Target = Object;

    fn deref(&self) -> &Object {
        self.kept().map_or(&*EMPTY, Kept::tree)
    }
}

impl DerefMut for Fields {
    fn deref_mut(&mut self) -> &mut Object {
        let empty = || Box::new(Kept::Tree(Object::new()));
        self.0.get_or_insert_with(empty).tree_mut()
    }
}

impl From<Object> for Fields {
    fn from(fields: Object) -> Self {
        Self((!fields.is_empty()).then(|| Box::new(Kept::Tree(fields))))
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

impl PartialEq for Fields {
    fn eq(&self, other: &Self) -> bool {
        match (self.kept(), other.kept()) {
            (Some(one), Some(another)) => one == another,
            (None, None) => true,
            _ => self.is_empty() && other.is_empty(),
        }
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
