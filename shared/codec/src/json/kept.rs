//! JSON that stays text until somebody looks into it.

use std::fmt;
use std::sync::OnceLock;

use serde::de::DeserializeOwned;

use super::transcript::{Marks, Transcript};
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
            json: json.into_boxed_str(),
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

    /// How many bytes the compact JSON takes.
    pub(crate) fn json_len(&self) -> usize {
        let mut length = Length::default();
        self.write(&mut length);
        length.0
    }
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
