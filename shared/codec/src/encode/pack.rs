//! Several messages in as few events as the limits allow.

use super::{Dialect, encode_within, size};
use crate::error::EncodeError;
use crate::limits::Limits;
use crate::model::Message;
use crate::payload::Payload;

/// Lays messages out one after the other, several to an event: fewer writes, and each is billed. Decoding takes
/// an event apart at each metadata blob. A message beyond the limits of an event has events of its own.
///
/// # Errors
///
/// Besides what [`encode`](crate::encode) refuses: the seed dialect has no mark between two messages.
pub fn pack(messages: &[Message], dialect: Dialect) -> Result<Vec<Vec<Payload>>, EncodeError> {
    pack_within(messages, dialect, &Limits::default())
}

/// [`pack`] with other limits than the service's.
pub fn pack_within(
    messages: &[Message],
    dialect: Dialect,
    limits: &Limits,
) -> Result<Vec<Vec<Payload>>, EncodeError> {
    if dialect == Dialect::Seed {
        return Err(EncodeError::NoPacking(dialect));
    }
    let mut packing = Packing {
        events: Vec::new(),
        open: Vec::new(),
        bytes: 0,
    };
    for message in messages {
        packing.add(encode_within(message, dialect, limits)?, limits);
    }
    packing.close();
    Ok(packing.events)
}

struct Packing {
    events: Vec<Vec<Payload>>,
    open: Vec<Payload>,
    bytes: usize,
}

impl Packing {
    fn add(&mut self, events: Vec<Vec<Payload>>, limits: &Limits) {
        let whole = events.len() == 1;
        for payloads in events {
            let bytes = size::bytes(&payloads);
            let fits = self.open.len() + payloads.len() <= limits.items
                && self.bytes + bytes <= limits.event_bytes;
            if !(whole && fits) {
                self.close();
            }
            self.open.extend(payloads);
            self.bytes += bytes;
            if !whole {
                // A part is told by its event, which it therefore shares with nothing else.
                self.close();
            }
        }
    }

    fn close(&mut self) {
        if !self.open.is_empty() {
            self.events.push(std::mem::take(&mut self.open));
            self.bytes = 0;
        }
    }
}
