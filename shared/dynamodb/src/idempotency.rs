//! An idempotency key as an item: the head its store answered with (see `head.rs` for the letters),
//! the hash of the request in `b`, the number of messages stored in `m`.

use conversation::KeyHash;
use conversation::ports::{ContextError, KeyRecord};

use crate::attribute::{Item, Reader, bytes, number};
use crate::head;
use crate::table::{PARTITION_KEY, TTL_ATTRIBUTE};

/// What the item is called in an error.
const NAME: &str = "idempotency key";

/// The attributes of a record.
pub(crate) fn fields(record: &KeyRecord) -> Item {
    let head = head::fields(&record.head).into_iter();
    head.map(|(name, value)| (name.to_owned(), value))
        .chain([
            (head::SUMMARIZED.to_owned(), number(record.head.summarized)),
            ("b".to_owned(), bytes(&record.body)),
            ("m".to_owned(), number(record.stored)),
            (TTL_ATTRIBUTE.to_owned(), number(record.expires_at)),
        ])
        .collect()
}

/// Reads the record of `key`, expired or not.
pub(crate) fn read(key: &KeyHash, item: &Item) -> Result<KeyRecord, ContextError> {
    let reader = Reader { name: NAME, item };
    Ok(KeyRecord {
        key: *key,
        body: reader.bytes("b")?,
        head: head::read(NAME, item)?,
        stored: reader.number("m")?,
        expires_at: reader.number(TTL_ATTRIBUTE)?,
    })
}

/// The key may be put: it is not there, or only because the table has not dropped it yet.
pub(crate) fn free() -> String {
    format!("attribute_not_exists({PARTITION_KEY}) OR {TTL_ATTRIBUTE} <= :now")
}
