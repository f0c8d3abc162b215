//! Stored events to messages.

use codec::{Decoded, Event, Mode};

use crate::error::{Error, InvalidReason};
use crate::ports::StoredEvent;

/// Reads one event.
pub(crate) fn decode(event: &StoredEvent, mode: Mode) -> Result<Decoded, Error> {
    let form = Event {
        payload: event.payload.clone(),
        metadata: event.metadata.clone(),
    };
    codec::decode(&form, mode).map_err(|error| {
        let pointer = format!(
            "/events/{}/payload/{}{}",
            event.id, error.payload, error.path
        );
        Error::invalid(pointer, InvalidReason::Event(error.reason))
    })
}

/// Reads consecutive events, messages that lie over several of them made whole.
pub(crate) fn decode_all<'a>(
    events: impl IntoIterator<Item = &'a StoredEvent>,
    mode: Mode,
) -> Result<Decoded, Error> {
    let parts: Result<Vec<_>, _> = events
        .into_iter()
        .map(|event| decode(event, mode))
        .collect();
    Ok(codec::join(parts?))
}
