//! JSON that stays text until somebody looks into it.

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use serde::de::DeserializeOwned;

use super::keys::Marks;
use super::transcript::Transcript;
use super::view::parsed;
use super::{Length, Out};

/// What a kept text is the text of.
pub(crate) trait Tree: Clone + Default + PartialEq + DeserializeOwned + fmt::Debug {
    /// Writes the compact JSON.
    fn write(&self, out: &mut impl Out);
}

/// A piece of JSON, as it was read or as it was made or changed.
#[derive(Clone)]
pub(crate) enum Kept<T> {
    Text(Text<T>),
    Tree(T),
}

/// Compact JSON as this crate writes it, and what is known of it.
pub(crate) struct Text<T> {
    json: Box<str>,
    marks: Marks,
    /// The tree, once somebody asked for it.
    tree: OnceLock<Box<T>>,
}

impl<T: Tree> Kept<T> {
    /// Keeps what was read.
    pub(crate) fn of_transcript(transcript: Transcript) -> Self {
        let (json, marks, doubled) = transcript.finish();
        if doubled {
            // Only a tree knows which of two members of one name counts.
            return Self::Tree(parsed(&json));
        }
        Self::Text(Text {
            json: snug(json),
            marks,
            tree: OnceLock::new(),
        })
    }

    /// The text, where there is one.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.json),
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

    /// The tree, which is made when it is first asked for.
    pub(crate) fn tree(&self) -> &T {
        match self {
            Self::Text(text) => text.tree.get_or_init(|| Box::new(parsed(&text.json))),
            Self::Tree(tree) => tree,
        }
    }

    /// The tree, to be changed; the text is gone.
    pub(crate) fn tree_mut(&mut self) -> &mut T {
        loop {
            match self {
                Self::Text(text) => *self = Self::Tree(text.take()),
                Self::Tree(tree) => return tree,
            }
        }
    }

    /// The tree alone.
    pub(crate) fn into_tree(self) -> T {
        match self {
            Self::Text(mut text) => text.take(),
            Self::Tree(tree) => tree,
        }
    }

    /// Writes the compact JSON.
    pub(crate) fn write(&self, out: &mut impl Out) {
        match self {
            Self::Text(text) => out.compact(&text.json),
            Self::Tree(tree) => tree.write(out),
        }
    }

    /// The compact JSON, written where there is only a tree.
    pub(crate) fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(&text.json),
            Self::Tree(tree) => {
                let mut json = String::new();
                tree.write(&mut json);
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

/// The text in no more room than it needs. A short one is copied, which leaves the room it was written in whole for the
/// next one to be written: what is kept then lies close together, and nearly all that reading it costs is finding it.
fn snug(json: String) -> Box<str> {
    const SHORT: usize = 1024;
    if json.len() <= SHORT {
        return Box::from(json.as_str());
    }
    json.into_boxed_str()
}

impl<T: Tree> Text<T> {
    fn take(&mut self) -> T {
        self.tree
            .take()
            .map_or_else(|| parsed(&self.json), |tree| *tree)
    }
}

impl<T> Clone for Text<T> {
    /// A copy is parsed again where it has to be: most copies are only written.
    fn clone(&self) -> Self {
        Self {
            json: self.json.clone(),
            marks: self.marks,
            tree: OnceLock::new(),
        }
    }
}

impl<T: Tree> PartialEq for Kept<T> {
    fn eq(&self, other: &Self) -> bool {
        let same_text = self.text().is_some() && self.text() == other.text();
        same_text || self.tree() == other.tree()
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
        assert_eq!(size_of::<Fields>(), size_of::<usize>());
        assert_eq!(size_of::<Json>(), size_of::<usize>());
    }
}
