//! Both conversions are exact for every message, hints and forgeries included.
#![allow(clippy::expect_used, clippy::indexing_slicing, unreachable_pub)] // Strategies panic when they are wrong.

mod converse_any;

use codec::converse::{ConverseMessage, Reader, from_converse, outgoing, to_converse, to_json};
use codec::model::Message;
use codec::{Dialect, Event, Mode, Payload, decode, pack};
use converse_any::{any_converse, any_messages};
use proptest::prelude::*;

fn to_model(messages: &[ConverseMessage]) -> Vec<Message> {
    messages.iter().flat_map(from_converse).collect()
}

/// The same, after a trip through JSON text: what is kept in memory alone is not kept.
fn through_json<T: serde::Serialize + serde::de::DeserializeOwned>(values: &[T]) -> Vec<T> {
    let text = serde_json::to_string(values).expect("JSON");
    serde_json::from_str(&text).expect("the same JSON")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn any_converse_messages_survive_the_model(messages in any_converse()) {
        let model = through_json(&to_model(&messages));
        prop_assert_eq!(through_json(&to_converse(&model)), messages);
    }

    #[test]
    fn any_converse_messages_survive_storage(messages in any_converse()) {
        prop_assert_eq!(to_converse(&stored(&to_model(&messages))), messages);
    }

    #[test]
    fn any_messages_survive_converse(messages in any_messages()) {
        let converse = through_json(&to_converse(&messages));
        prop_assert_eq!(to_model(&converse), messages);
    }

    #[test]
    fn wrapping_over_and_over_stays_exact(messages in any_messages()) {
        // A caller may take Converse messages for its own and store them as such, hints and all.
        let once = to_converse(&messages);
        let twice: Vec<Message> = once
            .iter()
            .flat_map(|message| {
                let mut message = message.clone();
                message.content.reverse();
                from_converse(&message)
            })
            .collect();
        prop_assert_eq!(to_model(&to_converse(&twice)), twice);
    }

    #[test]
    fn what_is_written_at_once_is_what_conversion_gives(messages in any_messages(), foreign in any_converse()) {
        // Messages of the model, and the stored form of Converse messages, hints and all.
        let messages: Vec<Message> = messages.into_iter().chain(to_model(&foreign)).collect();
        let converted = to_converse(&messages);
        let written = |reader| read(&to_json(outgoing(&messages), reader));
        prop_assert_eq!(written(Reader::Caller), converted.clone());
        let for_model: Vec<_> = converted.into_iter().map(ConverseMessage::for_model).collect();
        prop_assert_eq!(written(Reader::Model), for_model);
    }

    /// What was read from events is kept as text; nobody can tell by what is written of it.
    #[test]
    fn what_was_stored_is_written_as_what_was_not(messages in any_messages(), foreign in any_converse()) {
        let messages: Vec<Message> = messages.into_iter().chain(to_model(&foreign)).collect();
        let stored = stored(&messages);
        // Messages that are read by themselves are trees.
        let trees = through_json(&stored);
        for reader in [Reader::Caller, Reader::Model] {
            prop_assert_eq!(to_json(outgoing(&stored), reader), to_json(outgoing(&trees), reader));
        }
        prop_assert_eq!(to_converse(&stored), to_converse(&messages));
    }
}

/// The messages as they come back from events.
fn stored(messages: &[Message]) -> Vec<Message> {
    let events = pack(messages, Dialect::Camunda).expect("within the limits");
    let read = |payload: Vec<Payload>| {
        let payload = through_json(&payload);
        let event = Event {
            payload,
            ..Event::default()
        };
        decode(&event, Mode::Strict).expect("what we wrote")
    };
    let events = events.into_iter();
    events.flat_map(|payload| read(payload).messages).collect()
}

fn read(json: &str) -> Vec<ConverseMessage> {
    serde_json::from_str(json).expect("a list of Converse messages")
}
