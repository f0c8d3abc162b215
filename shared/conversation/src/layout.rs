//! Layouts: the messages of a turn as the payloads of its events, whatever they will follow.

use codec::model::Message;
use codec::{Dialect, EncodeError, Event, Mode, Payload};

use crate::error::{Error, InvalidReason};
use crate::pace::{CONVERSATIONAL_PER_SECOND, SILENT_PER_SECOND};
use crate::settings::Layout;
use crate::turn::PartHash;

/// One event to be, before it is known where it goes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    /// Its items.
    pub(crate) payload: Vec<Payload>,
    /// The number of its first message within the turn.
    pub(crate) offset: u64,
    /// The hash of its items.
    pub(crate) hash: PartHash,
}

/// Lays out the messages; `indices` are their places in the request, for pointers.
pub(crate) fn lay_out(
    messages: &[Message],
    indices: &[usize],
    dialect: Dialect,
    layout: Layout,
) -> Result<Vec<Part>, Error> {
    match (layout, dialect) {
        (Layout::Turn, Dialect::Camunda) => packed(messages, indices, dialect),
        // The seed dialect has no mark between two messages of one event.
        (Layout::Message, _) | (Layout::Turn, Dialect::Seed) => {
            one_by_one(messages, indices, dialect)
        }
    }
}

/// How many of these events the service takes a second.
pub(crate) fn creates_per_second(parts: &[Part]) -> usize {
    let speaks = parts
        .iter()
        .flat_map(|part| &part.payload)
        .any(|item| matches!(item, Payload::Conversational { .. }));
    if speaks {
        CONVERSATIONAL_PER_SECOND
    } else {
        SILENT_PER_SECOND
    }
}

fn one_by_one(
    messages: &[Message],
    indices: &[usize],
    dialect: Dialect,
) -> Result<Vec<Part>, Error> {
    let mut parts = Vec::with_capacity(messages.len());
    for ((offset, message), index) in messages.iter().enumerate().zip(indices) {
        let events = codec::encode(message, dialect)
            .map_err(|error| refused(format!("/messages/{index}"), error))?;
        parts.extend(
            events
                .into_iter()
                .map(|payload| part(payload, offset as u64)),
        );
    }
    Ok(parts)
}

fn packed(messages: &[Message], indices: &[usize], dialect: Dialect) -> Result<Vec<Part>, Error> {
    let events = codec::pack(messages, dialect).map_err(|error| {
        // Packing does not say which message it was; the message that cannot be encoded alone is it.
        one_by_one(messages, indices, dialect)
            .err()
            .unwrap_or_else(|| refused("/messages".to_owned(), error))
    })?;
    let single = events.len() == 1;
    let mut offset = 0;
    let mut parts = Vec::with_capacity(events.len());
    for payload in events {
        let (before, begun) = if single { (0, 0) } else { begun(&payload) };
        offset -= before;
        parts.push(part(payload, offset));
        offset += begun;
    }
    Ok(parts)
}

/// How many messages an event goes on with, and how many there are in it.
fn begun(payload: &[Payload]) -> (u64, u64) {
    let event = Event {
        payload: payload.to_vec(),
        ..Event::default()
    };
    let decoded = codec::decode(&event, Mode::Lenient).unwrap_or_default();
    let continued = decoded.part.is_some_and(|part| part.index > 0);
    (u64::from(continued), decoded.messages.len() as u64)
}

fn part(payload: Vec<Payload>, offset: u64) -> Part {
    let hash = PartHash::of(&payload);
    Part {
        payload,
        offset,
        hash,
    }
}

fn refused(pointer: String, error: EncodeError) -> Error {
    match error {
        EncodeError::TooLarge { bytes, limit } => Error::TooLarge {
            what: pointer,
            size_bytes: bytes,
            limit_bytes: limit,
        },
        error => Error::invalid(pointer, InvalidReason::Message(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Part, creates_per_second};
    use crate::error::{Error, InvalidReason};
    use crate::settings::Layout;
    use crate::testing::{call, user};
    use codec::model::{Content, Message, SystemMessage, UserMessage};
    use codec::{Dialect, EncodeError};

    fn lay_out_from(
        first: usize,
        messages: &[Message],
        dialect: Dialect,
        layout: Layout,
    ) -> Result<Vec<Part>, Error> {
        let indices: Vec<_> = (first..first + messages.len()).collect();
        super::lay_out(messages, &indices, dialect, layout)
    }

    #[test]
    fn message_layout_has_an_event_a_message() {
        let parts = lay_out_from(
            0,
            &[user("a"), user("b")],
            Dialect::Camunda,
            Layout::Message,
        )
        .unwrap();
        assert_eq!(
            parts.iter().map(|part| part.offset).collect::<Vec<_>>(),
            [0, 1]
        );
    }

    #[test]
    fn turn_layout_has_one_event() {
        let messages: Vec<_> = (0..40).map(|i| user(&format!("text {i}"))).collect();
        let parts = lay_out_from(0, &messages, Dialect::Camunda, Layout::Turn).unwrap();
        assert_eq!(parts.len(), 1);
    }

    #[test]
    fn packed_parts_know_their_first_message() {
        // Two items a message and a hundred items an event: fifty messages an event.
        let messages: Vec<_> = (0..120).map(|i| user(&format!("text {i}"))).collect();
        let parts = lay_out_from(0, &messages, Dialect::Camunda, Layout::Turn).unwrap();
        let offsets: Vec<_> = parts.iter().map(|part| part.offset).collect();
        assert_eq!(offsets, [0, 50, 100]);
    }

    #[test]
    fn a_message_over_several_events_keeps_its_number() {
        let long = Message::User(UserMessage {
            content: (0..150)
                .map(|i| Content::text(format!("block {i}")))
                .collect(),
            ..UserMessage::default()
        });
        for layout in [Layout::Message, Layout::Turn] {
            let messages = [user("a"), long.clone(), user("z")];
            let parts = lay_out_from(0, &messages, Dialect::Camunda, layout).unwrap();
            let offsets: Vec<_> = parts.iter().map(|part| part.offset).collect();
            assert_eq!(offsets, [0, 1, 1, 2], "{layout:?}");
        }
    }

    #[test]
    fn events_without_prose_go_twice_as_fast() {
        let prose = lay_out_from(0, &[user("a")], Dialect::Camunda, Layout::Message).unwrap();
        let silent = lay_out_from(0, &[call("c")], Dialect::Camunda, Layout::Message).unwrap();
        assert_eq!(creates_per_second(&prose), 5);
        assert_eq!(creates_per_second(&silent), 10);
    }

    #[test]
    fn a_message_that_cannot_be_written_is_named() {
        let system = Message::System(SystemMessage::default());
        for layout in [Layout::Message, Layout::Turn] {
            assert_eq!(
                lay_out_from(3, &[user("a"), system.clone()], Dialect::Camunda, layout),
                Err(Error::invalid(
                    "/messages/4",
                    InvalidReason::Message(EncodeError::System)
                ))
            );
        }
    }

    #[test]
    fn the_seed_dialect_keeps_an_event_a_message() {
        let messages = [user("a"), user("b")];
        assert_eq!(
            lay_out_from(0, &messages, Dialect::Seed, Layout::Turn),
            lay_out_from(0, &messages, Dialect::Seed, Layout::Message)
        );
    }
}
