//! Input that means harm, or has none to thank but a broken writer: an error or a note, never a panic, and never more
//! than linear time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what these functions stop at is the failure of a test"
)]

mod invariants;

use std::time::{Duration, Instant};

use codec::model::Message;
use codec::{Dialect, Event, Mode, NoteReason, Payload, decode, encode};
use serde_json::{Value, json};

fn blob_event(text: impl Into<String>) -> Event {
    Event {
        payload: vec![Payload::Blob(Value::String(text.into()))],
        ..Event::default()
    }
}

fn first_reason(event: &Event) -> NoteReason {
    invariants::hold(event);
    decode(event, Mode::Strict).unwrap_err().reason
}

#[test]
fn deep_nesting_is_refused() {
    for depth in [129, 10_000] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let deep = open.repeat(depth) + "1" + &close.repeat(depth);
            let blob = format!(
                "{{\"blobType\":\"camunda.messageMetadata\",\"version\":1,\"metadata\":{{\"a\":{deep}}},\"properties\":{{\"role\":\"USER\"}}}}"
            );
            assert!(matches!(
                first_reason(&blob_event(blob)),
                NoteReason::InvalidJson { .. }
            ));
            assert!(
                serde_json::from_str::<Event>(&format!("{{\"payload\":[{{\"blob\":{deep}}}]}}"))
                    .is_err()
            );
            assert!(
                serde_json::from_str::<Message>(&format!("{{\"role\":\"user\",\"x\":{deep}}}"))
                    .is_err()
            );
            invariants::hold(&blob_event(deep));
        }
    }
}

#[test]
fn of_duplicate_keys_the_last_counts() {
    let blob = r#"{"blobType":"camunda.messageMetadata","version":1,"metadata":{"k":1,"k":2},"properties":{"role":"TOOL","role":"USER"}}"#;
    let decoded = decode(&blob_event(blob), Mode::Strict).unwrap();
    let expected = json!({"role": "user", "metadata": {"k": 2}});
    assert_eq!(decoded.messages, [Message::try_from(expected).unwrap()]);
    let event: Event =
        serde_json::from_str(r#"{"payload":[],"payload":[{"blob":"a","blob":"b"}]}"#).unwrap();
    assert_eq!(
        event.payload,
        [Payload::Unknown(
            serde_json::from_str(r#"{"blob":"b"}"#).unwrap()
        )]
    );
}

#[test]
fn lone_surrogates_and_nul_do_no_harm() {
    assert!(serde_json::from_str::<Event>(r#"{"payload":[{"blob":"\ud800"}]}"#).is_err());
    let blob = r#"{"blobType":"camunda.messageContent","version":1,"content":{"type":"text","text":"\ud83d"}}"#;
    assert_eq!(first_reason(&blob_event(blob)), NoteReason::LoneSurrogate);
    let message = json!({"role": "user", "name": "\0", "content": [{"type": "text", "text": "a\0b\u{1}"}], "metadata": {"\0": "\0"}});
    let message = Message::try_from(message).unwrap();
    let payload = encode(&message, Dialect::Camunda).unwrap().remove(0);
    let decoded = decode(
        &Event {
            payload,
            ..Event::default()
        },
        Mode::Strict,
    )
    .unwrap();
    assert_eq!(decoded.messages, [message]);
}

#[test]
fn huge_numbers_keep_their_digits_and_are_no_versions() {
    let digits = "9".repeat(10_000);
    for number in [
        digits.as_str(),
        "1e+999999",
        "-1e+400",
        "0.00000000000000000000000000000000000001",
    ] {
        let blob = format!(
            "{{\"blobType\":\"camunda.messageMetadata\",\"version\":1,\"metadata\":{{\"n\":{number}}},\"properties\":{{\"role\":\"USER\"}}}}"
        );
        let decoded = decode(&blob_event(blob), Mode::Strict).unwrap();
        let text = serde_json::to_string(&decoded.messages).unwrap();
        assert!(text.contains(number), "{number}");
        invariants::hold(&blob_event(format!(
            "{{\"blobType\":\"camunda.toolCalls\",\"version\":{number},\"toolCalls\":[]}}"
        )));
    }
    for version in [
        "3",
        "1e400",
        "\"9\"",
        "\"x\"",
        "null",
        "{}",
        "true",
        digits.as_str(),
    ] {
        let blob = format!(
            "{{\"blobType\":\"camunda.toolCalls\",\"version\":{version},\"toolCalls\":[]}}"
        );
        assert_eq!(
            first_reason(&blob_event(blob)),
            NoteReason::UnsupportedVersion,
            "{version}"
        );
    }
    for version in ["0", "-7", "1.0", "2", "\"1\"", "\" 2 \""] {
        let blob = format!(
            "{{\"blobType\":\"camunda.toolCalls\",\"version\":{version},\"toolCalls\":[]}}"
        );
        assert!(decode(&blob_event(blob), Mode::Strict).is_ok(), "{version}");
    }
}

/// Every place in a value, by way of its JSON pointer.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .for_each(|(n, item)| places(item, &format!("{at}/{n}"), found)),
        Value::Object(fields) => fields
            .iter()
            .for_each(|(key, item)| places(item, &format!("{at}/{key}"), found)),
        _ => {}
    }
}

#[test]
fn a_wrong_type_at_any_place_is_no_panic() {
    let wrong = [
        json!(null),
        json!(true),
        json!(7),
        json!(1.5),
        json!(""),
        json!("x"),
        json!([]),
        json!([7]),
        json!({}),
        json!({"x": 7}),
    ];
    let block = json!({"type": "provider", "provider": "colloquy", "payload": {"type": "text", "text": ""}, "metadata": {"k": 1}});
    let envelopes = [
        json!({"blobType": "camunda.messageContent", "version": 1, "content": {"type": "text", "text": "a", "metadata": {"k": 1}}}),
        json!({"blobType": "camunda.messageContent", "version": 1, "content": {"type": "object", "object": {"k": 1}}}),
        json!({"blobType": "camunda.messageContent", "version": 1, "content": block}),
        json!({"blobType": "camunda.toolCalls", "version": 1, "toolCalls": [{"id": "1", "name": "f", "arguments": {"k": 1}}]}),
        json!({"blobType": "camunda.toolCallResults", "version": 1, "results": [{"id": "1", "name": "f", "elementId": "e",
            "completedAt": "t", "content": [block], "properties": {"p": 1}}]}),
        json!({"blobType": "camunda.messageMetadata", "version": 1, "metadata": {"k": 1}, "properties": {"role": "ASSISTANT",
            "userName": "u", "camunda.modelId": "m", "camunda.messageId": "i", "camunda.stopReason": "s",
            "colloquy": {"extra": {"k": 1}, "nulls": ["n"], "toolCalls": {"0": {"nulls": ["a"], "extra": {"x": 1}}},
            "results": {}, "part": {"index": 0, "count": 2, "continues": 0}}}}),
    ];
    let mut tried = 0;
    for position in 0..envelopes.len() {
        let mut pointers = Vec::new();
        places(&envelopes[position], "", &mut pointers);
        for pointer in &pointers {
            for replacement in &wrong {
                let mut blobs = envelopes.to_vec();
                *blobs[position].pointer_mut(pointer).unwrap() = replacement.clone();
                let items =
                    |blob: fn(&Value) -> Value| blobs.iter().map(blob).map(Payload::Blob).collect();
                for payload in [
                    items(|blob| Value::String(blob.to_string())),
                    items(Value::clone),
                ] {
                    invariants::hold(&Event {
                        payload,
                        ..Event::default()
                    });
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 1_000, "{tried}");
}

#[test]
fn a_wrong_type_at_any_place_of_an_event_or_message_is_no_panic() {
    let wrong = [
        json!(null),
        json!(true),
        json!(7),
        json!("x"),
        json!([7]),
        json!({"x": 7}),
    ];
    let event = json!({"eventId": "1", "payload": [{"conversational": {"content": {"text": "a"}, "role": "USER"}},
        {"blob": "x"}, {"json": {"content": 1}}, {"new": 1}], "metadata": {"k": {"stringValue": "v"}}});
    let message = json!({"role": "assistant", "content": [{"type": "text", "text": "a"}], "metadata": {"k": 1},
        "toolCalls": [{"id": "1", "name": "f", "arguments": {}}], "modelId": "m", "extra": 1});
    let (mut in_event, mut in_message) = (Vec::new(), Vec::new());
    places(&event, "", &mut in_event);
    places(&message, "", &mut in_message);
    for replacement in &wrong {
        for pointer in &in_event {
            let mut event = event.clone();
            *event.pointer_mut(pointer).unwrap() = replacement.clone();
            let text = event.to_string();
            let Ok(read) = serde_json::from_str::<Event>(&text) else {
                continue;
            };
            invariants::hold(&read);
            // Whatever its shape, an item is written as it was read.
            let items = event["payload"].as_array().cloned().unwrap_or_default();
            assert_eq!(
                serde_json::to_value(&read.payload).unwrap(),
                Value::Array(items),
                "{text}"
            );
            assert_eq!(serde_json::from_value::<Event>(event).unwrap(), read);
        }
        for pointer in &in_message {
            let mut message = message.clone();
            *message.pointer_mut(pointer).unwrap() = replacement.clone();
            if let Err(error) = Message::try_from(message) {
                let related = error.path.starts_with(pointer) || pointer.starts_with(&error.path);
                assert!(related, "{error} for {pointer}");
            }
        }
    }
}

/// An event of about the size given.
type Shape = fn(usize) -> Event;

/// The least time of several runs, which is what the work takes when nothing else disturbs it.
fn least_time(event: &Event) -> Duration {
    let run = |_| {
        let start = Instant::now();
        decode(event, Mode::Lenient).unwrap();
        start.elapsed()
    };
    (0..5).map(run).min().unwrap()
}

#[test]
fn thirty_times_the_input_takes_about_thirty_times_as_long() {
    let shapes: [(&str, Shape); 8] = [
        ("many items", |n| {
            invariants::event_of_lines(&"Uhi\n".repeat(n))
        }),
        ("many envelopes", |n| {
            invariants::event_of_lines(
                &"{\"blobType\":\"camunda.toolCalls\",\"version\":1,\"toolCalls\":[]}\n"
                    .repeat(n / 8),
            )
        }),
        ("many faults", |n| {
            blob_event(format!(
                "{{\"blobType\":\"camunda.toolCalls\",\"version\":1,\"toolCalls\":[{}7]}}",
                "7,".repeat(n)
            ))
        }),
        ("many keys", |n| {
            let keys: String = (0..n).fold(String::new(), |keys, key| {
                keys + "\"" + &key.to_string() + "\":1,"
            });
            blob_event(format!(
                "{{\"blobType\":\"camunda.messageContent\",\"version\":1,\"content\":{{{keys}\"type\":\"object\"}}}}"
            ))
        }),
        ("one long text", |n| {
            blob_event(format!(
                "{{\"blobType\":\"camunda.messageContent\",\"version\":1,\"content\":{{\"type\":\"text\",\"text\":\"{}\"}}}}",
                "\\n".repeat(n * 8)
            ))
        }),
        ("almost an envelope", |n| {
            blob_event(format!("[{}]", "\"blobType\",\"camunda.\",".repeat(n)))
        }),
        ("many surrogates", |n| {
            blob_event(format!(
                "{{\"blobType\":\"camunda.toolCalls\",\"x\":\"{}\"}}",
                "\\ud800".repeat(n)
            ))
        }),
        ("many messages", |n| {
            let end = "{\"blobType\":\"camunda.messageMetadata\",\"version\":1,\"metadata\":{},\"properties\":{\"role\":\"USER\"}}\n";
            invariants::event_of_lines(&end.repeat(n / 16))
        }),
    ];
    for (name, shape) in shapes {
        let (small, large) = (shape(1_000), shape(32_000));
        // Quadratic time would be a thousand times as long. A busy machine may take a few times what it should.
        let mut ratio = f64::MAX;
        for _ in 0..5 {
            let small_time = least_time(&small).max(Duration::from_micros(20));
            ratio = ratio.min(least_time(&large).as_secs_f64() / small_time.as_secs_f64());
            if ratio < 200.0 {
                break;
            }
        }
        assert!(ratio < 200.0, "{name}: {ratio}");
    }
}

#[test]
fn ten_megabytes_are_read() {
    let text = "He said \"no\".\n".repeat(700_000);
    let blob = json!({"blobType": "camunda.messageContent", "version": 1, "content": {"type": "text", "text": text}});
    let event = blob_event(blob.to_string());
    let decoded = decode(&event, Mode::Lenient).unwrap();
    assert_eq!(decoded.messages.len(), 1);
    let garbage = blob_event("{\"blobType\":\"camunda.".to_owned() + &"[".repeat(10_000_000));
    assert!(decode(&garbage, Mode::Lenient).unwrap().messages.is_empty());
}
