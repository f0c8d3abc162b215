//! Any message survives being written as events and read back, whatever the limits.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what these functions stop at is the failure of a test"
)]

mod any_message;

use any_message::{message, over_the_wire, read_back};
use codec::limits::{EVENT_BUDGET_BYTES, Limits, MAX_DEPTH};
use codec::model::{Content, Message, Object, UserMessage, to_json};
use codec::{
    Dialect, EncodeError, Mode, Payload, decode, encode, encode_json, encode_within, is_blank,
    pack, pack_within, to_prompt,
};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Limits so small that ordinary messages need several events.
const SMALL: Limits = Limits {
    text_bytes: 20,
    items: 4,
    event_bytes: 3_000,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_message_survives_in_one_event(message in message()) {
        let events = encode(&message, Dialect::Camunda).unwrap();
        prop_assert_eq!(events.len(), 1);
        let texts: Vec<_> = events.iter().map(|event| serde_json::to_string(event).unwrap()).collect();
        prop_assert_eq!(encode_json(&message, Dialect::Camunda).unwrap(), texts);
        let decoded = read_back(&events);
        prop_assert_eq!(decoded.notes, []);
        prop_assert_eq!(decoded.messages, [message]);
    }

    /// What was read is kept as text; nobody can tell by what is written of it.
    #[test]
    fn what_was_read_is_written_as_it_was(message in message()) {
        let events = encode(&message, Dialect::Camunda).unwrap();
        let read = read_back(&events).messages.remove(0);
        let text = to_json([&read]);
        prop_assert_eq!(&text, &serde_json::to_string(&[&read]).unwrap());
        // A message that is read by itself is made of trees.
        let message = serde_json::from_str::<Vec<Message>>(&text).unwrap().remove(0);
        for dialect in [Dialect::Camunda, Dialect::Seed] {
            prop_assert_eq!(encode(&read, dialect), encode(&message, dialect));
            prop_assert_eq!(encode_json(&read, dialect), encode_json(&message, dialect));
        }
        let small = |message| encode_within(message, Dialect::Camunda, &SMALL);
        prop_assert_eq!(small(&read), small(&message));
        prop_assert_eq!(to_prompt([&read]), to_prompt([&message]));
    }

    #[test]
    fn any_message_survives_small_limits(message in message()) {
        match encode_within(&message, Dialect::Camunda, &SMALL) {
            Ok(events) => {
                for event in &events {
                    assert_within(event, &SMALL);
                }
                let decoded = read_back(&events);
                prop_assert_eq!(decoded.notes, []);
                prop_assert_eq!(decoded.messages, [message]);
            }
            // What is no text cannot be cut.
            Err(error) => prop_assert!(matches!(error, EncodeError::TooLarge { .. }), "{}", error),
        }
    }

    #[test]
    fn any_messages_survive_packing(messages in vec(message(), 0..6)) {
        let events = pack(&messages, Dialect::Camunda).unwrap();
        prop_assert!(events.len() <= 1);
        prop_assert_eq!(read_back(&events).messages, messages);
    }

    #[test]
    fn any_messages_survive_packing_within_small_limits(messages in vec(message(), 0..6)) {
        let limits = Limits { items: 7, event_bytes: 6_000, ..SMALL };
        if let Ok(events) = pack_within(&messages, Dialect::Camunda, &limits) {
            for event in &events {
                assert_within(event, &limits);
            }
            prop_assert_eq!(read_back(&events).messages, messages);
        }
    }

    #[test]
    fn nothing_is_written_that_camunda_refuses(message in message()) {
        for event in encode(&message, Dialect::Camunda).unwrap() {
            assert_readable_by_camunda(&event);
        }
    }

    #[test]
    fn any_message_survives_its_own_json(message in message()) {
        let text = serde_json::to_string(&message).unwrap();
        prop_assert_eq!(serde_json::from_str::<Message>(&text).unwrap(), message);
    }

    #[test]
    fn reading_a_seed_event_never_fails_leniently(message in message()) {
        if let Ok(events) = encode(&message, Dialect::Seed) {
            for event in events {
                decode(&over_the_wire(&event), Mode::Lenient).unwrap();
            }
        }
    }
}

fn assert_within(event: &[Payload], limits: &Limits) {
    assert!(event.len() <= limits.items, "{} items", event.len());
    let bytes = serde_json::to_string(event).unwrap().len();
    assert!(bytes <= limits.event_bytes, "{bytes} bytes");
    for item in event {
        if let Payload::Conversational { text, .. } = item {
            assert!(text.len() <= limits.text_bytes && !is_blank(text));
        }
    }
}

/// The rules Camunda's reader holds a writer to.
fn assert_readable_by_camunda(event: &[Payload]) {
    let mut metadata_blobs = 0;
    for (index, item) in event.iter().enumerate() {
        let text = match item {
            Payload::Conversational { text, .. } => {
                assert!(!is_blank(text));
                continue;
            }
            Payload::Blob(Value::String(text)) => text,
            other => panic!("{other:?}"),
        };
        let blob: Value = serde_json::from_str(text).unwrap();
        assert_eq!(blob["version"], json!(1));
        match blob["blobType"].as_str().unwrap() {
            "camunda.messageContent" => assert_block(&blob["content"]),
            "camunda.toolCalls" => {
                for call in blob["toolCalls"].as_array().unwrap() {
                    assert_no_nulls(&call["arguments"]);
                    assert_eq!(call.as_object().unwrap().len(), 3);
                }
            }
            "camunda.toolCallResults" => {
                for result in blob["results"].as_array().unwrap() {
                    assert_no_nulls(result);
                    result["content"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .for_each(assert_block);
                }
            }
            "camunda.messageMetadata" => {
                metadata_blobs += 1;
                assert_eq!(index + 1, event.len(), "the metadata blob is last");
                assert_no_nulls(&blob["metadata"]);
                assert_no_nulls(&blob["properties"]);
                assert!(
                    ["USER", "ASSISTANT", "TOOL"]
                        .contains(&blob["properties"]["role"].as_str().unwrap())
                );
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!(metadata_blobs, 1);
}

fn assert_no_nulls(fields: &Value) {
    assert!(
        fields
            .as_object()
            .unwrap()
            .values()
            .all(|value| !value.is_null()),
        "{fields}"
    );
}

fn assert_block(block: &Value) {
    match block["type"].as_str().unwrap() {
        "text" => assert!(!is_blank(block["text"].as_str().unwrap())),
        "document" => assert!(!block["document"].is_null()),
        "object" => assert!(!block["content"].is_null()),
        "reasoning" | "provider" => {
            assert!(block["provider"].is_string() && !block["payload"].is_null());
        }
        other => panic!("{other}"),
    }
    if let Some(metadata) = block.get("metadata") {
        assert_no_nulls(metadata);
    }
}

fn user(content: Vec<Content>) -> Message {
    Message::User(UserMessage {
        content,
        ..UserMessage::default()
    })
}

#[test]
fn texts_around_the_limit_survive() {
    // The limit counts bytes, whatever the service means by a character.
    for bytes in [99_996, 100_000, 100_004] {
        for c in ["a", "\"", "\n", "é", "😀"] {
            let message = user(vec![Content::text(c.repeat(bytes / c.len()))]);
            let spoken = |dialect| {
                let events = encode(&message, dialect).unwrap();
                matches!(events[0][0], Payload::Conversational { .. })
            };
            let expected = bytes <= 100_000 && c != "\n";
            assert_eq!(spoken(Dialect::Camunda), expected, "{bytes} of {c:?}");
            assert_eq!(spoken(Dialect::Seed), expected, "{bytes} of {c:?}");
            let events = encode(&message, Dialect::Camunda).unwrap();
            assert_eq!(read_back(&events).messages, [message]);
        }
    }
}

#[test]
fn a_tool_summary_is_cut_between_characters_and_the_result_is_not() {
    for c in ["a", "é", "€", "😀"] {
        // One byte in front, so that the limit falls inside a character.
        let text = format!("-{}", c.repeat(100_000));
        let message = Message::try_from(json!({"role": "tool_call_result", "results": [
            {"id": "1", "name": "n", "content": [{"type": "text", "text": text}]}]}))
        .unwrap();
        let events = encode(&message, Dialect::Camunda).unwrap();
        let Payload::Conversational { text: summary, .. } = &events[0][0] else {
            panic!("no summary")
        };
        assert!(text.starts_with(summary.as_str()));
        let room = 100_000 - summary.len();
        assert!(room < c.len(), "{room} bytes are left for {c:?}");
        assert_eq!(read_back(&events).messages, [message]);
    }
}

#[test]
fn a_text_larger_than_an_event_is_cut_and_joined() {
    let text = "He said \"no\" — 😀\n\u{1}".repeat(250_000);
    let message = user(vec![
        Content::text("before"),
        Content::text(text),
        Content::text("after"),
    ]);
    let events = encode(&message, Dialect::Camunda).unwrap();
    assert!(events.len() > 1);
    for event in &events {
        assert!(serde_json::to_string(event).unwrap().len() <= EVENT_BUDGET_BYTES);
        assert_readable_by_camunda(event);
    }
    assert_eq!(read_back(&events).messages, [message]);
}

#[test]
fn a_tool_result_larger_than_an_event_is_cut_and_joined() {
    let text = "{\"rows\":[\"a\",\"b\"]}\n".repeat(200_000);
    let message = Message::try_from(json!({"role": "tool_call_result", "results": [
        {"id": "1", "name": "small", "content": [{"type": "text", "text": "ok"}]},
        {"id": "2", "name": "large", "content": [{"type": "text", "text": "head"}, {"type": "text", "text": text}],
            "interrupted": true, "nothing": null},
        {"id": "3", "name": "last", "content": []}]}))
    .unwrap();
    let events = encode(&message, Dialect::Camunda).unwrap();
    assert!(events.len() > 1);
    for event in &events {
        assert_readable_by_camunda(event);
    }
    assert_eq!(read_back(&events).messages, [message]);
}

#[test]
fn a_message_of_many_blocks_is_spread_over_events() {
    let blocks = (0..250)
        .map(|n| Content::text(format!("block {n}")))
        .collect();
    let message = user(blocks);
    let events = encode(&message, Dialect::Camunda).unwrap();
    assert_eq!(events.iter().map(Vec::len).collect::<Vec<_>>().len(), 3);
    assert!(events.iter().all(|event| event.len() <= 100));
    assert_eq!(read_back(&events).messages, [message]);
}

#[test]
fn a_turn_is_packed_into_as_few_events_as_the_items_allow() {
    let messages: Vec<Message> = (0..120)
        .map(|n| user(vec![Content::text(format!("{n}"))]))
        .collect();
    let events = pack(&messages, Dialect::Camunda).unwrap();
    assert_eq!(
        events.iter().map(Vec::len).collect::<Vec<_>>(),
        [100, 100, 40]
    );
    assert_eq!(read_back(&events).messages, messages);
}

#[test]
fn the_deepest_value_that_is_written_is_read_back() {
    // An object of so many levels; every place for a value has a different number of levels around it.
    let deep = |levels: usize| (1..levels).fold(json!({}), |inner, _| json!({"d": inner}));
    let place = |value: Value| {
        let fields: Object = value.as_object().unwrap().clone();
        let block = json!({"type": "new", "v": value["d"], "metadata": {}});
        vec![
            json!({"role": "user", "metadata": fields}),
            json!({"role": "user", "x": value["d"]}),
            json!({"role": "user", "content": [{"type": "object", "content": value}]}),
            json!({"role": "user", "content": [{"type": "text", "text": "", "metadata": value}]}),
            json!({"role": "assistant", "toolCalls": [{"id": "", "name": "", "arguments": value, "x": value["d"]}]}),
            json!({"role": "tool_call_result", "results": [{"content": [block], "x": value["d"]}]}),
            json!({"role": "tool_call_result", "results": [{"content": [
                {"type": "provider", "provider": "colloquy", "payload": value}]}]}),
        ]
    };
    for value in place(deep(MAX_DEPTH)) {
        let message = Message::try_from(value).unwrap();
        let events = encode(&message, Dialect::Camunda).unwrap();
        assert_eq!(read_back(&events).messages, [message]);
    }
    for value in place(deep(MAX_DEPTH + 1)) {
        let message = Message::try_from(value).unwrap();
        let refused = EncodeError::TooDeep { limit: MAX_DEPTH };
        assert_eq!(encode(&message, Dialect::Camunda), Err(refused.clone()));
        assert_eq!(encode(&message, Dialect::Seed), Err(refused));
    }
}
