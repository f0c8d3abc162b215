//! Messages to payload items.

mod camunda;
mod depth;
mod hints;
mod items;
mod pack;
mod seed;
mod size;
mod split;
mod summary;

use std::fmt;
use std::str::FromStr;

pub use pack::{pack, pack_within};

use items::JsonItems;

use crate::error::EncodeError;
use crate::limits::Limits;
use crate::model::Message;
use crate::payload::Payload;

/// How messages are laid out in payload items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Camunda's structured layout, with a metadata blob as the last item of a message: nothing is lost.
    #[default]
    Camunda,
    /// The mapping document's layout, without metadata: names, metadata and order are lost, as it says.
    Seed,
}

impl Dialect {
    /// The word for the dialect in settings.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Camunda => "camunda",
            Self::Seed => "seed",
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that names no dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a dialect; there are `camunda` and `seed`")]
pub struct UnknownDialect;

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(word: &str) -> Result<Self, UnknownDialect> {
        [Self::Camunda, Self::Seed]
            .into_iter()
            .find(|dialect| dialect.as_str() == word)
            .ok_or(UnknownDialect)
    }
}

/// Lays a message out in payload items: one inner list an event, and nearly always exactly one. Only a message
/// beyond the limits of an event is spread over several; [`join`](crate::join) puts it together again.
///
/// # Errors
///
/// A system message has no place in the event log; see [`EncodeError`] for the other reasons.
pub fn encode(message: &Message, dialect: Dialect) -> Result<Vec<Vec<Payload>>, EncodeError> {
    encode_within(message, dialect, &Limits::default())
}

/// [`encode`] with other limits than the service's.
pub fn encode_within(
    message: &Message,
    dialect: Dialect,
    limits: &Limits,
) -> Result<Vec<Vec<Payload>>, EncodeError> {
    if matches!(message, Message::System(_)) {
        return Err(EncodeError::System);
    }
    depth::check(message)?;
    let payloads = match dialect {
        Dialect::Camunda => {
            let mut items = Vec::with_capacity(3);
            camunda::event(&mut items, message, limits);
            items
        }
        Dialect::Seed => seed::event(message, limits)?,
    };
    let excess = size::check(&payloads, limits);
    match (dialect, excess) {
        (_, Ok(())) => Ok(vec![payloads]),
        (Dialect::Camunda, Err(_)) => split::events(message, limits),
        (Dialect::Seed, Err(error)) => Err(error),
    }
}

/// [`encode`], with each event's items as the text of a JSON array: the very bytes the items serialize to, for
/// callers that write JSON anyway. It takes about half the time, since blobs are not built first.
pub fn encode_json(message: &Message, dialect: Dialect) -> Result<Vec<String>, EncodeError> {
    let limits = Limits::default();
    if dialect == Dialect::Camunda && !matches!(message, Message::System(_)) {
        depth::check(message)?;
        let mut items = JsonItems::default();
        camunda::event(&mut items, message, &limits);
        if let Some(event) = items.into_event(&limits) {
            return Ok(vec![event]);
        }
    }
    let events = encode_within(message, dialect, &limits)?;
    Ok(events.iter().map(|event| items::json(event)).collect())
}

#[cfg(test)]
mod tests {
    use super::{Dialect, UnknownDialect};

    #[test]
    fn dialects_are_read_by_their_own_names() {
        for dialect in [Dialect::Camunda, Dialect::Seed] {
            assert_eq!(dialect.to_string().parse(), Ok(dialect));
        }
        assert_eq!("Camunda".parse::<Dialect>(), Err(UnknownDialect));
    }
}
