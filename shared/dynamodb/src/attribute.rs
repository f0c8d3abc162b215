//! Values of attributes, with errors that name what is wrong.

use std::collections::HashMap;
use std::str::FromStr;

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use conversation::ports::ContextError;

/// An item as the SDK has it.
pub(crate) type Item = HashMap<String, AttributeValue>;

/// A number.
pub(crate) fn number(value: impl Into<i128>) -> AttributeValue {
    AttributeValue::N(value.into().to_string())
}

/// Bytes.
pub(crate) fn bytes(value: &[u8]) -> AttributeValue {
    AttributeValue::B(Blob::new(value))
}

/// Text.
pub(crate) fn text(value: impl Into<String>) -> AttributeValue {
    AttributeValue::S(value.into())
}

/// Reads the attributes of one item.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    /// What the item is called in an error.
    pub(crate) name: &'static str,
    pub(crate) item: &'a Item,
}

impl<'a> Reader<'a> {
    pub(crate) fn number<T: FromStr>(self, attribute: &str) -> Result<T, ContextError> {
        match self.item.get(attribute) {
            Some(AttributeValue::N(digits)) => digits
                .parse()
                .map_err(|_| self.corrupt(attribute, "out of range")),
            found => Err(self.wrong(attribute, found, "number")),
        }
    }

    pub(crate) fn optional_number<T: FromStr>(
        self,
        attribute: &str,
    ) -> Result<Option<T>, ContextError> {
        match self.item.get(attribute) {
            None => Ok(None),
            Some(_) => self.number(attribute).map(Some),
        }
    }

    pub(crate) fn bytes<const N: usize>(self, attribute: &str) -> Result<[u8; N], ContextError> {
        match self.item.get(attribute) {
            Some(AttributeValue::B(blob)) => <[u8; N]>::try_from(blob.as_ref())
                .map_err(|_| self.corrupt(attribute, "of another length")),
            found => Err(self.wrong(attribute, found, "binary")),
        }
    }

    pub(crate) fn text(self, attribute: &str) -> Result<&'a str, ContextError> {
        match self.item.get(attribute) {
            Some(AttributeValue::S(text)) => Ok(text),
            found => Err(self.wrong(attribute, found, "string")),
        }
    }

    pub(crate) fn optional_text(self, attribute: &str) -> Result<Option<&'a str>, ContextError> {
        match self.item.get(attribute) {
            None => Ok(None),
            Some(_) => self.text(attribute).map(Some),
        }
    }

    /// The item has something wrong with `attribute`.
    pub(crate) fn corrupt(self, attribute: &str, what: &str) -> ContextError {
        ContextError::Corrupt {
            item: self.name.to_owned(),
            detail: format!("attribute {attribute} is {what}"),
        }
    }

    fn wrong(
        self,
        attribute: &str,
        found: Option<&AttributeValue>,
        expected: &str,
    ) -> ContextError {
        match found {
            None => self.corrupt(attribute, "missing"),
            Some(_) => self.corrupt(attribute, &format!("not a {expected}")),
        }
    }
}
