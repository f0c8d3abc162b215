//! JSON that stays text until somebody looks into it.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use triomphe::{Arc, HeaderSlice};

use super::keys::{Keys, Marks};
use super::transcript::Transcript;
use super::view::parsed;
use super::{Length, Out};

/// What a kept text is the text of.
pub(crate) trait Tree:
    Clone + Default + PartialEq + DeserializeOwned + fmt::Debug + 'static
{
    /// The one that stands for nothing.
    fn nothing() -> &'static Self;

    /// Writes the compact JSON.
    fn write(&self, out: &mut impl Out);
}

/// A piece of JSON, as it was read or as it was made or changed.
#[derive(Clone)]
pub(crate) enum Kept<T> {
    /// Never that of nothing.
    Text(Text<T>),
    /// None for nothing, which then takes no memory of its own.
    Tree(Option<Box<T>>),
}

/// Compact JSON as this crate writes it, and what is known of it.
///
/// What is known lies with whoever holds the text, which is often enough to leave the text alone: finding it in memory is most of what
/// reading it costs. All else lies in one piece, and copies share it.
#[derive(Clone)]
pub(crate) struct Text<T> {
    json: Arc<HeaderSlice<Parsed<T>, str>>,
    marks: Marks,
}

/// The tree of a text, once somebody asked for it.
type Parsed<T> = OnceLock<Box<T>>;

impl<T: Tree> Kept<T> {
    /// Keeps what was read, unless it is what stands for nothing.
    pub(crate) fn of_transcript(transcript: Transcript, nothing: &str) -> Self {
        let (json, marks, doubled) = transcript.finish();
        if doubled {
            // Only a tree knows which of two members of one name counts.
            return Self::Tree(Some(Box::new(parsed(&json))));
        }
        if json.is_empty() || json == nothing {
            return Self::default();
        }
        Self::Text(Text {
            json: Arc::from_header_and_str(OnceLock::new(), &json),
            marks,
        })
    }

    /// The text, where there is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text.json()),
            Self::Tree(_) => None,
        }
    }

    /// What is known of the text, where there is one.
    pub(crate) fn marks(&self) -> Option<Marks> {
        match self {
            Self::Text(text) => Some(text.marks),
            Self::Tree(_) => None,
        }
    }

    /// Whether it may have a member of one of these names; told without looking at any.
    pub(crate) fn may_have(&self, keys: Keys) -> bool {
        match self {
            Self::Text(text) => text.marks.keys.may_meet(keys),
            Self::Tree(tree) => tree.is_some(),
        }
    }

    /// The tree, which is made when it is first asked for.
    pub(crate) fn tree(&self) -> &T {
        match self {
            Self::Text(text) => {
                let tree = || Box::new(parsed(text.json()));
                text.json.header.get_or_init(tree)
            }
            Self::Tree(Some(tree)) => tree,
            Self::Tree(None) => T::nothing(),
        }
    }

    /// The tree, to be changed; the text is gone.
    pub(crate) fn tree_mut(&mut self) -> &mut T {
        loop {
            match self {
                Self::Text(text) => *self = Self::Tree(Some(Box::new(text.take()))),
                Self::Tree(tree) => return tree.get_or_insert_default(),
            }
        }
    }

    /// The tree alone.
    pub(crate) fn into_tree(self) -> T {
        match self {
            Self::Text(mut text) => text.take(),
            Self::Tree(tree) => tree.map(|tree| *tree).unwrap_or_default(),
        }
    }

    /// Writes the compact JSON.
    pub(crate) fn write(&self, out: &mut impl Out) {
        match self {
            Self::Text(text) => out.compact(text.json()),
            Self::Tree(_) => self.tree().write(out),
        }
    }

    /// The compact JSON, written where there is only a tree.
    pub(crate) fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text.json()),
            Self::Tree(_) => {
                let mut json = String::new();
                self.write(&mut json);
                Cow::Owned(json)
            }
        }
    }

    /// How many bytes the compact JSON takes.
    pub(crate) fn json_len(&self) -> usize {
        let mut length = Length::default();
        self.write(&mut length);
        length.0
    }
}

impl<T> Text<T> {
    fn json(&self) -> &str {
        &self.json.slice
    }
}

impl<T: Tree> Text<T> {
    fn take(&mut self) -> T {
        let parsed_before = Arc::get_mut(&mut self.json).and_then(|json| json.header.take());
        parsed_before.map_or_else(|| parsed(self.json()), |tree| *tree)
    }
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self::Tree(None)
    }
}

impl<T: Tree> From<T> for Kept<T> {
    fn from(tree: T) -> Self {
        Self::Tree((tree != *T::nothing()).then(|| Box::new(tree)))
    }
}

impl<T: Tree> PartialEq for Kept<T> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(_), Self::Tree(None)) | (Self::Tree(None), Self::Text(_)) => false,
            (Self::Text(one), Self::Text(another)) if one.json() == another.json() => true,
            _ => self.tree() == other.tree(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::model::{Fields, Json, Object};

    fn read(text: &str) -> Fields {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_change_is_seen_in_the_text() {
        let mut fields = read(r#"{"a":1,"b":[2]}"#);
        assert_eq!(fields.get("a"), Some(&json!(1)));
        assert_eq!(fields.text(), Some(r#"{"a":1,"b":[2]}"#));
        fields.insert("c".to_owned(), json!(null));
        assert_eq!(fields.to_text(), r#"{"a":1,"b":[2],"c":null}"#);
        assert!(fields.has_nulls() && fields.contains_key("c"));
        fields.clear();
        assert!(fields.is_empty());
        assert_eq!(fields, Fields::new());
        assert_eq!(fields.to_text(), "{}");
    }

    #[test]
    fn equal_values_are_equal_in_every_form() {
        let tree = Fields::from(Object::from_iter([
            ("b".to_owned(), json!([2])),
            ("a".to_owned(), json!(1)),
        ]));
        let text = read(r#"{"a":1,"b":[2]}"#);
        assert_eq!(text, tree);
        assert_eq!(text, text.clone());
        assert_ne!(text, read(r#"{"a":1,"b":[3]}"#));
        assert_ne!(text, Fields::new());
        assert_eq!(read("{ }"), Fields::new());
        let null: Json = serde_json::from_str("null").unwrap();
        assert_eq!(null, Json::default());
        assert_ne!(null, Json::from(false));
    }

    #[test]
    fn it_takes_little_room() {
        assert_eq!(size_of::<Fields>(), 3 * size_of::<usize>());
        assert_eq!(size_of::<Json>(), 3 * size_of::<usize>());
    }
}
