//! An object split into the members asked for and the rest, or whatever else stood in its place.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

use crate::json::transcript::NUMBER;
use crate::model::Object;
use crate::name::Name;

/// What a [`Members`] visitor found.
pub(super) enum Shape<T, const N: usize> {
    /// An object: the members asked for, and the others.
    Map([Option<T>; N], Object),
    /// Any other JSON.
    Other(Value),
}

/// Visits any JSON, and reads the named members of an object as `T`.
pub(super) struct Members<T, const N: usize> {
    names: [&'static str; N],
    member: PhantomData<T>,
}

impl<T, const N: usize> Members<T, N> {
    pub(super) fn new(names: [&'static str; N]) -> Self {
        Self {
            names,
            member: PhantomData,
        }
    }
}

impl<'de, T: Deserialize<'de>, const N: usize> Visitor<'de> for Members<T, N> {
    type Value = Shape<T, N>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut found = [const { None }; N];
        let mut rest = Object::new();
        while let Some(Name(key)) = map.next_key::<Name<'de>>()? {
            let slot = self
                .names
                .iter()
                .zip(&mut found)
                .find(|(name, _)| **name == key);
            if let Some((_, slot)) = slot {
                *slot = Some(map.next_value()?);
            // `Value` knows of the form a number comes in; a visitor that takes any map has to know it too.
            } else if key == NUMBER {
                let digits: String = map.next_value()?;
                let number: Number = digits.parse().map_err(A::Error::custom)?;
                return Ok(Shape::Other(Value::Number(number)));
            } else {
                rest.insert(key.into_owned(), map.next_value()?);
            }
        }
        Ok(Shape::Map(found, rest))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Shape::Other(Value::Array(items)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        self.visit_string(text.to_owned())
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
        Ok(Shape::Other(Value::String(text)))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Shape::Other(Value::Bool(value)))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Shape::Other(Value::from(value)))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Shape::Other(Value::from(value)))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Shape::Other(Value::from(value)))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(Shape::Other(Value::Null))
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        self.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}
