//! The system message as an item: its JSON in the attribute `m`.

use codec::model::{Message, SystemMessage};
use conversation::ports::{ContextError, StoredSystem};

use crate::attribute::{Item, Reader, text};

/// What the item is called in an error.
pub(crate) const NAME: &str = "system message";

/// The attributes of a system message.
pub(crate) fn fields(message: &SystemMessage) -> Result<Item, ContextError> {
    let json = serde_json::to_string(message).map_err(|_| unwritable())?;
    Ok(Item::from([("m".to_owned(), text(json))]))
}

/// Reads a system message; none where nothing but an expiry is left of it.
pub(crate) fn read(item: &Item) -> Result<Option<StoredSystem>, ContextError> {
    let reader = Reader { name: NAME, item };
    let Some(json) = reader.optional_text("m")? else {
        return Ok(None);
    };
    // The parser's own words may quote the message.
    match serde_json::from_str(json) {
        Ok(Message::System(message)) => Ok(Some(StoredSystem { message })),
        Ok(_) | Err(_) => Err(reader.corrupt("m", "not a system message")),
    }
}

fn unwritable() -> ContextError {
    ContextError::Corrupt {
        item: NAME.to_owned(),
        detail: "cannot be written as JSON".to_owned(),
    }
}
