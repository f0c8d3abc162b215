//! Any JSON inside a message.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::json::keys::Keys;
use crate::json::transcript::Transcript;
use crate::json::{self, Kept, Out, Tree, View};

/// A JSON value that stays text from when it is read until somebody looks into it.
///
/// It can be read like a [`Value`]; that is when a text is parsed. [`view`](Self::view) and the other methods here do without.
#[derive(Clone, Default, PartialEq)]
pub struct Json(
    /// Nothing for null.
    Kept<Value>,
);

static NULL: Value = Value::Null;

impl Json {
    /// Whether it is null.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self.0, Kept::Tree(None))
    }

    /// Whether it is a string.
    #[must_use]
    pub fn is_string(&self) -> bool {
        self.view().is_string()
    }

    /// Whether it is an object.
    #[must_use]
    pub fn is_object(&self) -> bool {
        self.view().is_object()
    }

    /// Whether it is an object with a member of that name.
    #[must_use]
    pub fn contains_key(&self, key: &str) -> bool {
        self.member(key).is_some()
    }

    /// A look at the member of that name, where it is an object.
    #[must_use]
    #[inline]
    pub fn member(&self, key: &str) -> Option<View<'_>> {
        let may_have = self.may_have(Keys::of(&[key]));
        may_have.then(|| self.view().member(key))?
    }

    /// A look at it.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        match self.0.text() {
            Some(json) => View::of_text(json),
            None => View::from(self.0.tree()),
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

    /// The value itself.
    #[must_use]
    pub fn into_value(self) -> Value {
        self.0.into_tree()
    }

    /// Whether it may have a member of one of these names; told without looking at any.
    pub(crate) fn may_have(&self, keys: Keys) -> bool {
        self.0.may_have(keys)
    }

    /// How many arrays and objects its innermost value lies in, where it is known.
    pub(crate) fn depth(&self) -> Option<usize> {
        Some(self.0.marks()?.depth.into())
    }

    /// Writes the compact JSON.
    pub(crate) fn write(&self, out: &mut impl Out) {
        self.0.write(out);
    }
}

impl Tree for Value {
    fn nothing() -> &'static Self {
        &NULL
    }

    fn write(&self, out: &mut impl Out) {
        json::value(out, self);
    }
}

impl Deref for Json {
    type Target = Value;

    fn deref(&self) -> &Value {
        self.0.tree()
    }
}

impl<T: Into<Value>> From<T> for Json {
    fn from(value: T) -> Self {
        Self(Kept::from(value.into()))
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let transcript = Transcript::of_value(deserializer)?;
        Ok(Self(Kept::of_transcript(transcript, "null")))
    }
}
