//! Stored events to messages.

use codec::{Decoded, Event, Mode};

use super::pages::Piece;
use crate::error::{Error, InvalidReason};
use crate::ports::{EventId, StoredEvent};

/// Reads one event of other software.
pub(crate) fn decode_foreign(event: &StoredEvent, mode: Mode) -> Result<Decoded, Error> {
    let form = Event {
        payload: event.payload.clone(),
        metadata: event.metadata.clone(),
    };
    decode(&event.id, &form, mode)
}

/// Reads the events of a turn, messages that lie over several of them made whole.
pub(crate) fn decode_turn(pieces: &[&Piece], mode: Mode) -> Result<Decoded, Error> {
    let parts: Result<Vec<_>, _> = pieces
        .iter()
        .map(|piece| decode(&piece.id, &piece.event, mode))
        .collect();
    Ok(codec::join(parts?))
}

fn decode(id: &EventId, event: &Event, mode: Mode) -> Result<Decoded, Error> {
    codec::decode(event, mode).map_err(|error| {
        let pointer = format!("/events/{id}/payload/{}{}", error.payload, error.path);
        Error::invalid(pointer, InvalidReason::Event(error.reason))
    })
}
