//! The size of an item as DynamoDB counts it.

use aws_sdk_dynamodb::types::AttributeValue;

use crate::attribute::Item;

/// The largest item the service takes.
pub(crate) const ITEM_LIMIT: usize = 400 * 1024;

/// The most one transaction may write.
pub(crate) const TRANSACTION_LIMIT: usize = 4 * 1024 * 1024;

/// Names and values, in bytes.
pub(crate) fn item_size(item: &Item) -> usize {
    item.iter()
        .map(|(name, value)| name.len() + value_size(value))
        .sum()
}

fn value_size(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::B(bytes) => bytes.as_ref().len(),
        // Two digits a byte, a byte for the exponent, and one for a sign.
        AttributeValue::N(digits) => digits.len().div_ceil(2) + 1,
        // No item of ours has any other type.
        _ => 1,
    }
}
