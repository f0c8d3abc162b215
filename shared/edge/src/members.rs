//! The members of a JSON object, before their values are read.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// More members than any gateway's event or any request of ours has. Those beyond are not kept, so an object with
/// a million of them costs no memory; what is kept is then already more than anybody knows the names of.
const MOST: usize = 64;

/// The first members of a JSON object in order, repeated keys included, values not yet parsed.
pub(crate) struct Members<'a>(pub(crate) Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while members.len() < MOST {
                    match map.next_entry()? {
                        Some(member) => members.push(member),
                        None => return Ok(Members(members)),
                    }
                }
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, Members};

    #[test]
    fn members_come_in_order_and_repeated() {
        let Members(members) = serde_json::from_str(r#"{"b":1,"a":[2],"b":{}}"#).unwrap();
        let pairs: Vec<(&str, &str)> = members
            .iter()
            .map(|(key, value)| (key.as_str(), value.get()))
            .collect();
        assert_eq!(pairs, [("b", "1"), ("a", "[2]"), ("b", "{}")]);
    }

    #[test]
    fn no_more_are_kept_than_anybody_knows() {
        let many = format!("{{{}\"z\":0}}", r#""a":1,"#.repeat(10_000));
        let Members(members) = serde_json::from_str(&many).unwrap();
        assert_eq!(members.len(), MOST);
        // What is not kept has to be JSON all the same.
        let broken = format!("{{{}\"z\":}}", r#""a":1,"#.repeat(10_000));
        assert!(serde_json::from_str::<Members<'_>>(&broken).is_err());
    }
}
