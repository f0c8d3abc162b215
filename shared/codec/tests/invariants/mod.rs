//! What holds for every event there can be. Shared by the fuzz targets and their bounded version in the tests.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    reason = "a broken invariant has to stop the run; not every program uses all of it"
)]

use codec::{Dialect, EncodeError, Event, Mode, Payload, Role, decode, encode, join};
use serde_json::Value;

/// Decoding fails only in strict mode, and what was decoded can be written and read again without a change.
pub(crate) fn hold(event: &Event) {
    let decoded = decode(event, Mode::Lenient).unwrap();
    match decode(event, Mode::Strict) {
        Ok(strict) => assert_eq!(strict.messages, decoded.messages),
        Err(error) => assert!(
            decoded
                .notes
                .iter()
                .any(|note| note.reason == error.reason && note.path == error.path)
        ),
    }
    for message in decoded.messages {
        match encode(&message, Dialect::Camunda) {
            Ok(events) => {
                let read = |payload: Vec<Payload>| {
                    let text = serde_json::to_string(&payload).unwrap();
                    let payload = serde_json::from_str(&text).unwrap();
                    decode(
                        &Event {
                            payload,
                            ..Event::default()
                        },
                        Mode::Strict,
                    )
                    .unwrap()
                };
                assert_eq!(
                    join(events.into_iter().map(read).collect()).messages,
                    [message]
                );
            }
            Err(EncodeError::TooDeep { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// An event with an item a line: a text where the line begins with the letter of a role, a blob otherwise.
pub(crate) fn event_of_lines(text: &str) -> Event {
    let item = |line: &str| match line.split_at_checked(1) {
        Some(("U", text)) => speech(Role::User, text),
        Some(("A", text)) => speech(Role::Assistant, text),
        Some(("T", text)) => speech(Role::Tool, text),
        Some(("O", text)) => speech(Role::Other, text),
        _ => Payload::Blob(Value::String(line.to_owned())),
    };
    Event {
        payload: text.split('\n').map(item).collect(),
        ..Event::default()
    }
}

fn speech(role: Role, text: &str) -> Payload {
    Payload::Conversational {
        role,
        text: text.to_owned(),
    }
}
