//! JSON written down as it is read: compact text, without a tree in between.
//!
//! The text is what the writers of this crate would make of the tree, byte for byte, and what reading refuses as a tree is
//! refused here. On the way everything is noted that somebody may want to know without looking into the text.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use super::keys::{Marks, hash};
use super::{Out, string};
use crate::name::Name;

/// The key under which `serde_json` hands over a number of arbitrary precision, as a map with a text in it.
pub(crate) const NUMBER: &str = "$serde_json::private::Number";
/// The key under which it would hand over a piece of raw JSON.
const RAW: &str = "$serde_json::private::RawValue";

/// A text being written.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    out: String,
    marks: Marks,
    /// The level that is being written.
    level: u8,
    /// Hashes of the keys of all objects that are still open.
    hashes: Vec<u64>,
    /// Whether two keys of an object may be the same.
    doubled: bool,
}

impl Transcript {
    /// Reads any JSON.
    pub(crate) fn of_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut transcript = Self::roomy();
        deserializer.deserialize_any(Any(&mut transcript))?;
        Ok(transcript)
    }

    /// An empty one, with room for most of what is written.
    fn roomy() -> Self {
        Self {
            out: String::with_capacity(512),
            hashes: Vec::with_capacity(16),
            ..Self::default()
        }
    }

    /// Reads an object.
    pub(crate) fn of_object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Whole)
    }

    /// Adds a member to the outermost object, which is begun where there is none yet.
    pub(crate) fn member<'de, A: MapAccess<'de>>(
        &mut self,
        key: &str,
        map: &mut A,
    ) -> Result<(), A::Error> {
        if self.out.is_empty() {
            *self = Self::roomy();
        }
        self.level = 1;
        self.marks.depth = self.marks.depth.max(1);
        self.key(key, if self.out.is_empty() { "{" } else { "," });
        self.member_value(map)
    }

    /// Ends an object that was made member by member.
    pub(crate) fn end(&mut self) {
        if !self.out.is_empty() {
            self.close_object(0);
        }
    }

    /// The text, what is known of it, and whether it may name a key twice.
    pub(crate) fn finish(self) -> (String, Marks, bool) {
        (self.out, self.marks, self.doubled)
    }

    fn key(&mut self, key: &str, before: &str) {
        self.out.syntax(before);
        string(&mut self.out, key);
        self.out.syntax(":");
        let hash = hash(key);
        self.hashes.push(hash);
        if self.level == 1 {
            self.marks.keys.add(hash);
        }
    }

    fn member_value<'de, A: MapAccess<'de>>(&mut self, map: &mut A) -> Result<(), A::Error> {
        let start = self.out.len();
        map.next_value_seed(Any(self))?;
        if self.level == 1 && self.out.get(start..) == Some("null") {
            self.marks.nulls = true;
        }
        Ok(())
    }

    fn enter(&mut self) {
        // A reader stops long before a byte is full.
        self.level = self.level.saturating_add(1);
        self.marks.depth = self.marks.depth.max(self.level);
    }

    fn close_object(&mut self, base: usize) {
        self.out.syntax("}");
        self.level = self.level.saturating_sub(1);
        let hashes = self.hashes.get_mut(base..).unwrap_or_default();
        self.doubled |= has_twins(hashes);
        self.hashes.truncate(base);
    }

    /// Reads the members of an object from its second key on.
    fn rest<'de, A: MapAccess<'de>>(&mut self, map: &mut A, base: usize) -> Result<(), A::Error> {
        self.member_value(map)?;
        while map.next_key_seed(Key(self, ","))?.is_some() {
            self.member_value(map)?;
        }
        self.close_object(base);
        Ok(())
    }
}

/// Whether two of the hashes are equal. Keys that only have the same hash count as well: such an object is read in
/// another way, which is slower but no different.
fn has_twins(hashes: &mut [u64]) -> bool {
    const FEW: usize = 12;
    if hashes.len() > FEW {
        hashes.sort_unstable();
        return hashes
            .windows(2)
            .any(|pair| matches!(pair, [a, b] if a == b));
    }
    let mut rest = &*hashes;
    while let Some((first, others)) = rest.split_first() {
        if others.contains(first) {
            return true;
        }
        rest = others;
    }
    false
}

/// Reads any JSON into a transcript.
struct Any<'t>(&'t mut Transcript);

impl<'de> DeserializeSeed<'de> for Any<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Any<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let transcript = self.0;
        let base = transcript.hashes.len();
        transcript.enter();
        match map.next_key_seed(FirstKey(transcript))? {
            None => {
                transcript.out.syntax("{");
                transcript.close_object(base);
                Ok(())
            }
            Some(First::Key) => transcript.rest(&mut map, base),
            Some(First::Number) => {
                transcript.level = transcript.level.saturating_sub(1);
                let digits: Name<'de> = map.next_value()?;
                let number: Number = digits.0.parse().map_err(A::Error::custom)?;
                transcript.out.syntax(number.as_str());
                Ok(())
            }
            // What it means depends on how `serde_json` was built, so it is left to whoever reads a tree.
            Some(First::Raw) => Err(A::Error::custom("raw JSON")),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let transcript = self.0;
        transcript.enter();
        let mut before = "[";
        loop {
            let start = transcript.out.len();
            transcript.out.syntax(before);
            if seq.next_element_seed(Any(transcript))?.is_none() {
                // The comma was for an element that did not come.
                transcript
                    .out
                    .truncate(if before == "," { start } else { start + 1 });
                break;
            }
            before = ",";
        }
        transcript.out.syntax("]");
        transcript.level = transcript.level.saturating_sub(1);
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        string(&mut self.0.out, text);
        Ok(())
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.0.out.syntax(if value { "true" } else { "false" });
        Ok(())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.0.out.syntax(&value.to_string());
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.0.out.syntax(&value.to_string());
        Ok(())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        let number = Number::from_f64(value);
        self.0
            .out
            .syntax(number.as_ref().map_or("null", Number::as_str));
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.0.out.syntax("null");
        Ok(())
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// Reads an object, whatever its keys are.
struct Whole;

impl<'de> Visitor<'de> for Whole {
    type Value = Transcript;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Transcript, A::Error> {
        let mut transcript = Transcript::roomy();
        transcript.enter();
        if map.next_key_seed(Key(&mut transcript, "{"))?.is_some() {
            transcript.rest(&mut map, 0)?;
        } else {
            transcript.out.syntax("{}");
        }
        Ok(transcript)
    }
}

/// Writes a key, with what comes before it.
struct Key<'t>(&'t mut Transcript, &'static str);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<(), E> {
        self.0.key(key, self.1);
        Ok(())
    }
}

/// Writes the first key of an object, unless the object stands for something else.
struct FirstKey<'t>(&'t mut Transcript);

enum First {
    Key,
    Number,
    Raw,
}

impl<'de> DeserializeSeed<'de> for FirstKey<'_> {
    type Value = First;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<First, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for FirstKey<'_> {
    type Value = First;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<First, E> {
        match key {
            NUMBER => return Ok(First::Number),
            RAW => return Ok(First::Raw),
            _ => self.0.key(key, "{"),
        }
        Ok(First::Key)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use serde_json::Value;

    use crate::model::{Fields, Json, Object, View};

    /// What is read as text is what is read as a tree.
    fn check(text: &str) {
        let (kept, tree) = (
            serde_json::from_str::<Json>(text),
            serde_json::from_str::<Value>(text),
        );
        match (kept, tree) {
            (Ok(kept), Ok(tree)) => {
                assert_eq!(kept.to_text(), tree.to_string(), "{text}");
                assert_eq!(*kept, tree, "{text}");
            }
            (kept, tree) => assert!(kept.is_err() && tree.is_err(), "{text}"),
        }
        let (kept, tree) = (
            serde_json::from_str::<Fields>(text),
            serde_json::from_str::<Object>(text),
        );
        assert_eq!(kept.is_ok(), tree.is_ok(), "{text}");
        if let (Ok(kept), Ok(tree)) = (kept, tree) {
            assert_eq!(kept.to_text(), Value::Object(tree.clone()).to_string());
            assert_eq!(kept.is_empty(), tree.is_empty());
            assert_eq!(kept.has_nulls(), tree.values().any(Value::is_null));
            assert_eq!(kept.into_object(), tree, "{text}");
        }
    }

    #[test]
    fn text_is_what_the_tree_would_be_written_as() {
        for text in [
            r#" { "a" : [ 1 , 2.50 , -0 , 1E5, 1e-07, 123456789012345678901234567890 ] , "b" : { } } "#,
            r#"["\u00e9\/\ud83d\ude00\b\u0000", "é", true, false, null, [], {}, [[]], ""]"#,
            r#"{"a":1,"b":2,"a":{"x":null}}"#,
            r#"{"deep":[{"a":1,"a":null}],"n":null}"#,
            r#"{"$serde_json::private::Number":"1.50"}"#,
            r#"{"x":{"$serde_json::private::Number":"1.50"}}"#,
            r#"{"x":{"$serde_json::private::Number":"one"}}"#,
            r#"{"x":{"$serde_json::private::Number":"1","y":2}}"#,
            r#"{"\"quoted\"\n":1,"\"quoted\"\n":2}"#,
            "null",
            "7",
            "\"x\"",
            "",
            "{",
            "[1,]",
            "{\"a\"}",
            "01",
            "+1",
            "\"\\ud800\"",
            "\"\n\"",
            "nul",
            "{} x",
        ] {
            check(text);
        }
        for levels in [1, 100, 126, 127, 128, 129, 5_000] {
            check(&("[".repeat(levels) + &"]".repeat(levels)));
            check(&("{\"a\":".repeat(levels) + "1" + &"}".repeat(levels)));
        }
    }

    #[test]
    fn the_depth_is_that_of_the_innermost_value() {
        for (text, depth) in [
            ("1", 0),
            ("[]", 1),
            ("[1,[2],3]", 2),
            (r#"{"a":[{"b":{}}],"c":1.5}"#, 4),
        ] {
            let kept: Json = serde_json::from_str(text).unwrap();
            assert_eq!(kept.depth(), Some(depth), "{text}");
        }
    }

    #[test]
    fn many_keys_take_no_more_than_their_share() {
        let many = |last: &str| {
            let keys: Vec<String> = (0..100_000).map(|n| format!("\"k{n}\":{n}")).collect();
            format!("{{{},\"{last}\":null}}", keys.join(","))
        };
        let start = Instant::now();
        let single: Fields = serde_json::from_str(&many("other")).unwrap();
        assert_eq!(single.members().count(), 100_001);
        // The last of two counts, in the place of the first.
        let double: Fields = serde_json::from_str(&many("k7")).unwrap();
        assert_eq!(double.len(), 100_000);
        assert!(double.view("k7").is_some_and(View::is_null));
        assert!(start.elapsed() < Duration::from_mins(1));
    }
}
