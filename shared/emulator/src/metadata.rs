//! The metadata of a stored event.

/// Pairs of key and text in the order they were given, in one piece: there is one of these for each event, and a
/// string of its own for every key would take more memory than the payload.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Metadata {
    text: Box<str>,
    /// Where each key, and each value behind it, ends in the text.
    ends: Box<[(usize, usize)]>,
}

impl Metadata {
    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut start = 0;
        self.ends.iter().map(move |&(key_end, value_end)| {
            let piece = |range| self.text.get(range).unwrap_or_default();
            let pair = (piece(start..key_end), piece(key_end..value_end));
            start = value_end;
            pair
        })
    }

    /// The value of a key.
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        self.iter()
            .find(|(name, _)| *name == key)
            .map(|(_, value)| value)
    }
}

impl<K: AsRef<str>, V: AsRef<str>> FromIterator<(K, V)> for Metadata {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut text = String::new();
        let mut ends = Vec::new();
        for (key, value) in pairs {
            text.push_str(key.as_ref());
            let key_end = text.len();
            text.push_str(value.as_ref());
            ends.push((key_end, text.len()));
        }
        Self {
            text: text.into(),
            ends: ends.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_back_as_they_were_given() {
        let pairs = [("b", "1"), ("a", ""), ("", "\0"), ("é", "2 3")];
        let metadata: Metadata = pairs.into_iter().collect();
        assert_eq!(metadata.iter().collect::<Vec<_>>(), pairs);
        assert_eq!(metadata.value("a"), Some(""));
        assert_eq!(metadata.value("é"), Some("2 3"));
        assert_eq!(metadata.value("1"), None);
        assert!(Metadata::default().is_empty() && !metadata.is_empty());
    }
}
