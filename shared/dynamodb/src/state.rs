//! One agent's state as an item: its JSON in the attribute `m`, its version in `n`.
//!
//! The object is kept as text, since a DynamoDB map would lose the order of keys and the digits of
//! numbers.

use conversation::ports::{AgentState, ContextError, StateWrite};
use serde_json::Value;

use crate::attribute::{Item, Reader, number, text};
use crate::table::TTL_ATTRIBUTE;

/// What the item is called in an error.
pub(crate) const NAME: &str = "agent state";

/// A conditional update of a state.
#[derive(Clone, Debug)]
pub(crate) struct StateUpdate {
    pub(crate) update: String,
    pub(crate) condition: Option<String>,
    pub(crate) values: Item,
}

/// The update that makes `write` the agent's state and raises its version.
pub(crate) fn update(write: &StateWrite, expires_at: i64) -> StateUpdate {
    let mut values = Item::from([
        (
            ":m".to_owned(),
            text(Value::Object(write.value.clone()).to_string()),
        ),
        (":zero".to_owned(), number(0)),
        (":one".to_owned(), number(1)),
        (":expires".to_owned(), number(expires_at)),
    ]);
    let condition = match write.expected_version {
        None => None,
        // An item whose expiry was renewed after it had gone has no version.
        Some(0) => Some("attribute_not_exists(n)".to_owned()),
        Some(version) => {
            values.insert(":was".to_owned(), number(version));
            Some("n = :was".to_owned())
        }
    };
    StateUpdate {
        update: format!(
            "SET m = :m, n = if_not_exists(n, :zero) + :one, {TTL_ATTRIBUTE} = :expires"
        ),
        condition,
        values,
    }
}

/// Reads a state; none where nothing but an expiry is left of it.
pub(crate) fn read(item: &Item) -> Result<Option<AgentState>, ContextError> {
    let reader = Reader { name: NAME, item };
    let Some(json) = reader.optional_text("m")? else {
        return Ok(None);
    };
    // The parser's own words may quote the state.
    let value = serde_json::from_str(json).map_err(|_| reader.corrupt("m", "not a JSON object"))?;
    Ok(Some(AgentState {
        value,
        version: reader.number("n")?,
    }))
}
