//! Every example and every marked table of `docs/wire-format.md`, run.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what these functions stop at is the failure of a test"
)]

use std::collections::BTreeSet;

use codec::limits::Limits;
use codec::model::Message;
use codec::{
    Dialect, Event, Mode, NoteReason, Payload, decode, encode, encode_within, ids, join, pack,
};
use serde_json::{Value, json};

const DOCUMENT: &str = include_str!("../../../docs/wire-format.md");

/// The fenced JSON blocks that are examples, each with its tag.
fn examples() -> Vec<(&'static str, Value)> {
    let mut examples = Vec::new();
    for fenced in DOCUMENT.split("\n```json ").skip(1) {
        let (tag, rest) = fenced.split_once('\n').unwrap();
        let (text, _) = rest.split_once("\n```").unwrap();
        examples.push((
            tag,
            serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}")),
        ));
    }
    examples
}

/// The rows of the table whose first heading is the one given; each cell without its backticks.
fn rows<const N: usize>(heading: &str) -> Vec<[&'static str; N]> {
    let (_, rest) = DOCUMENT.split_once(&format!("\n| {heading} | ")).unwrap();
    let rows = rest
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with("| "));
    let cells = |line: &'static str| {
        let cells: Vec<_> = line
            .trim_matches('|')
            .split(" | ")
            .map(|cell| cell.trim().trim_matches('`'))
            .collect();
        <[&str; N]>::try_from(cells).unwrap_or_else(|cells| panic!("{cells:?}"))
    };
    let rows: Vec<_> = rows.map(cells).collect();
    assert!(rows.len() > 3, "the table of {heading} is there");
    rows
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

fn messages(value: &Value) -> Vec<Message> {
    let list = value.as_array().unwrap();
    list.iter()
        .map(|message| Message::try_from(message.clone()).unwrap())
        .collect()
}

/// An event from its items, whose blobs become strings if they are shown as objects.
fn event(items: &Value) -> Event {
    let mut items = items.clone();
    for item in items.as_array_mut().unwrap() {
        if let Some(blob) = item.get_mut("blob").filter(|blob| blob.is_object()) {
            *blob = Value::String(blob.to_string());
        }
    }
    serde_json::from_value(json!({ "payload": items })).unwrap()
}

/// Items with each blob as the JSON its string holds, which is compared without regard to the order of keys.
fn shown(payloads: &[Payload]) -> Value {
    let mut items = serde_json::to_value(payloads).unwrap();
    for item in items.as_array_mut().unwrap() {
        if let Some(blob) = item.get_mut("blob") {
            *blob = parse(blob.as_str().expect("every blob is a string"));
        }
    }
    items
}

#[test]
fn examples_hold_in_both_directions() {
    let mut run = 0;
    for pair in examples().windows(2) {
        let [(first, given), (second, expected)] = pair else {
            unreachable!()
        };
        match (*first, *second) {
            ("message", "event") => {
                let message = Message::try_from(given.clone()).unwrap();
                let events = encode(&message, Dialect::Camunda).unwrap();
                assert_eq!(events.len(), 1);
                assert_eq!(shown(&events[0]), *expected);
                assert_eq!(
                    decode(&event(expected), Mode::Strict).unwrap().messages,
                    [message]
                );
            }
            ("message", "seed") => {
                let message = Message::try_from(given.clone()).unwrap();
                let events = encode(&message, Dialect::Seed).unwrap();
                assert_eq!(events.len(), 1);
                assert_eq!(shown(&events[0]), *expected);
            }
            ("event" | "seed", "reads") => {
                let decoded = decode(&event(given), Mode::Strict).unwrap();
                assert_eq!(decoded.messages, messages(expected));
            }
            ("messages", "packed") => {
                let events = pack(&messages(given), Dialect::Camunda).unwrap();
                assert_eq!(events.len(), 1);
                assert_eq!(shown(&events[0]), *expected);
                assert_eq!(
                    decode(&event(expected), Mode::Strict).unwrap().messages,
                    messages(given)
                );
            }
            _ => continue,
        }
        run += 1;
    }
    assert!(run >= 13, "only {run} examples were found");
}

#[test]
fn blocks_are_wrapped_as_the_table_says() {
    for [block, content] in rows("block") {
        let message =
            Message::try_from(json!({"role": "user", "content": [parse(block)]})).unwrap();
        let events = encode(&message, Dialect::Camunda).unwrap();
        assert_eq!(
            shown(&events[0])[0]["blob"]["content"],
            parse(content),
            "{block}"
        );
        let decoded = decode(
            &Event {
                payload: events[0].clone(),
                ..Event::default()
            },
            Mode::Strict,
        )
        .unwrap();
        assert_eq!(decoded.messages, [message], "{block}");
    }
}

#[test]
fn results_of_older_writers_are_read_as_the_table_says() {
    for [content, expected] in rows("`content` of a result") {
        let items = json!([{"blob": {"blobType": "camunda.toolCallResults", "version": 1, "results": [{"content": parse(content)}]}}]);
        let decoded = decode(&event(&items), Mode::Strict).unwrap();
        let message =
            json!({"role": "tool_call_result", "results": [{"content": parse(expected)}]});
        assert_eq!(
            decoded.messages,
            [Message::try_from(message).unwrap()],
            "{content}"
        );
    }
}

#[test]
fn notes_are_given_as_the_table_says() {
    for [code, items, expected] in rows("code") {
        let event = event(&parse(items));
        let error = decode(&event, Mode::Strict).unwrap_err();
        assert_eq!(error.code(), code);
        let decoded = decode(&event, Mode::Lenient).unwrap();
        assert!(
            decoded.notes.iter().any(|note| note.reason.code() == code),
            "{code}: {:?}",
            decoded.notes
        );
        assert_eq!(
            decoded.notes[0].reason, error.reason,
            "strict reading ends at the first note"
        );
        assert_eq!(
            (decoded.notes[0].payload, &decoded.notes[0].path),
            (error.payload, &error.path)
        );
        assert_eq!(decoded.messages, messages(&parse(expected)), "{code}");
    }
}

#[test]
fn every_code_has_a_row() {
    let wrong_type = NoteReason::WrongType {
        expected: "",
        found: "",
    };
    let invalid_json = NoteReason::InvalidJson { line: 0, column: 0 };
    let reasons = [
        invalid_json,
        wrong_type,
        NoteReason::MissingField(""),
        NoteReason::UnknownBlobType,
        NoteReason::UnsupportedVersion,
        NoteReason::UnknownRole,
        NoteReason::RoleInferred,
        NoteReason::BlankText,
        NoteReason::StrayToolText,
        NoteReason::StrayContent,
        NoteReason::StrayToolCalls,
        NoteReason::StrayResults,
        NoteReason::Superseded,
        NoteReason::ForeignItem,
        NoteReason::Trailing,
        NoteReason::UnknownProperty,
        NoteReason::BadHint,
        NoteReason::LoneSurrogate,
    ];
    let codes: BTreeSet<_> = reasons.iter().map(|reason| reason.code()).collect();
    assert_eq!(
        codes,
        rows("code").into_iter().map(|[code, _, _]| code).collect()
    );
}

#[test]
fn a_missing_part_leaves_the_others_apart_with_a_note() {
    let message = json!({"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"},
        {"type": "text", "text": "c"}]});
    let message = Message::try_from(message).unwrap();
    let limits = Limits {
        items: 2,
        ..Limits::default()
    };
    let events = encode_within(&message, Dialect::Camunda, &limits).unwrap();
    let decoded: Vec<_> = events
        .into_iter()
        .map(|payload| {
            decode(
                &Event {
                    payload,
                    ..Event::default()
                },
                Mode::Strict,
            )
            .unwrap()
        })
        .collect();
    assert_eq!(join(decoded.clone()).messages, [message]);
    for gap in 0..decoded.len() {
        let mut some = decoded.clone();
        some.remove(gap);
        let joined = join(some);
        assert!(
            joined
                .notes
                .iter()
                .all(|note| note.reason == NoteReason::MissingPart)
        );
        assert!(!joined.notes.is_empty(), "without part {gap}");
        assert_eq!(joined.notes[0].reason.code(), "missing_part");
    }
}

#[test]
fn ids_become_what_the_table_says() {
    for [id, actor, session] in rows("id") {
        assert_eq!(
            (ids::actor_id(id).as_str(), ids::session_id(id).as_str()),
            (actor, session)
        );
        assert_eq!(ids::branch_name(id), session);
    }
}
