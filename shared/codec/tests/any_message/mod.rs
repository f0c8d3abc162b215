//! Any message there can be, for property tests: blanks, nulls, unknown fields and types, huge numbers.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "shared by several test programs, each of which uses a part of it"
)]

use codec::model::Message;
use codec::{Decoded, Event, Mode, Payload, decode, join};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A message of any role but system.
pub(crate) fn message() -> impl Strategy<Value = Message> {
    prop_oneof![user(), assistant(), tool_results()]
        .prop_map(|value| Message::try_from(value).unwrap())
}

/// Writes items as the API does and reads them as an event.
pub(crate) fn over_the_wire(payload: &[Payload]) -> Event {
    let text = serde_json::to_string(&json!({"eventId": "1#a", "payload": payload})).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Reads events strictly, after a journey over the wire.
pub(crate) fn read_back(events: &[Vec<Payload>]) -> Decoded {
    let read = |event: &Vec<Payload>| decode(&over_the_wire(event), Mode::Strict).unwrap();
    join(events.iter().map(read).collect())
}

/// Texts with what makes texts hard.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z ]{1,12}",
        2 => any::<String>(),
        1 => "[ \t\n\r\u{a0}\u{85}\u{2028}\u{2007}\u{1c}]{0,4}",
        1 => "[\"\\\\\n\u{0}\u{1f}😀é]{0,40}",
    ]
}

/// Any JSON a few levels deep.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        number(),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((key(), inner), 0..4)
                .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

/// Numbers no machine type holds, with digits that must not change.
fn number() -> impl Strategy<Value = Value> {
    "-?(0|[1-9][0-9]{0,40})(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,4})?"
        .prop_map(|digits| serde_json::from_str(&digits).unwrap())
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z]{1,3}",
        1 => prop::sample::select(vec!["", "colloquy", "blobType", "a/b~c", "camunda.document.type", "type", "content"])
            .prop_map(str::to_owned),
        1 => text(),
    ]
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    vec((key(), value()), 0..3).prop_map(|members| members.into_iter().collect())
}

/// Fields no type has: their keys begin with a sign of their own.
fn extra() -> impl Strategy<Value = Map<String, Value>> {
    vec(("[+~][a-z/]{0,2}", value()), 0..2).prop_map(|members| members.into_iter().collect())
}

fn block() -> impl Strategy<Value = Value> {
    let provider = || {
        prop_oneof![
            Just("colloquy".to_owned()),
            Just("bedrock".to_owned()),
            text()
        ]
    };
    let kind = prop_oneof![
        4 => text().prop_map(|text| json!({"type": "text", "text": text})),
        1 => value().prop_map(|document| json!({"type": "document", "document": document})),
        1 => value().prop_map(|content| json!({"type": "object", "content": content})),
        1 => value().prop_map(|content| json!({"type": "object", "object": content})),
        1 => (provider(), value()).prop_map(|(p, v)| json!({"type": "reasoning", "provider": p, "payload": v})),
        1 => (provider(), value()).prop_map(|(p, v)| json!({"type": "provider", "provider": p, "payload": v})),
        1 => (text(), value()).prop_map(|(kind, v)| json!({"type": kind, "payload": v})),
        1 => text().prop_map(|text| json!({"type": "provider", "provider": "colloquy", "payload": {"type": "text", "text": text}})),
    ];
    (kind, weighted(0.2, object()), extra()).prop_map(|(mut block, metadata, extra)| {
        if let Some(metadata) = metadata {
            block["metadata"] = metadata.into();
        }
        with(block, extra)
    })
}

fn user() -> impl Strategy<Value = Value> {
    (weighted(0.3, text()), vec(block(), 0..4), object(), extra()).prop_map(
        |(name, content, metadata, extra)| {
            with(
                json!({"role": "user", "name": name, "content": content, "metadata": metadata}),
                extra,
            )
        },
    )
}

fn assistant() -> impl Strategy<Value = Value> {
    let ids = (
        weighted(0.5, text()),
        weighted(0.5, text()),
        weighted(0.5, text()),
    );
    let call = (text(), text(), object(), extra()).prop_map(|(id, name, arguments, extra)| {
        with(
            json!({"id": id, "name": name, "arguments": arguments}),
            extra,
        )
    });
    (vec(block(), 0..3), vec(call, 0..3), ids, object(), extra()).prop_map(|(content, calls, ids, metadata, extra)| {
        let message = json!({"role": "assistant", "content": content, "toolCalls": calls, "modelId": ids.0,
            "messageId": ids.1, "stopReason": ids.2, "metadata": metadata});
        with(message, extra)
    })
}

fn tool_results() -> impl Strategy<Value = Value> {
    let ids = (
        weighted(0.8, text()),
        weighted(0.8, text()),
        weighted(0.3, text()),
        weighted(0.3, text()),
    );
    let result = (ids, vec(block(), 0..3), extra()).prop_map(|(ids, content, properties)| {
        let result = json!({"id": ids.0, "name": ids.1, "elementId": ids.2, "completedAt": ids.3, "content": content});
        with(result, properties)
    });
    (vec(result, 0..3), object(), extra()).prop_map(|(results, metadata, extra)| {
        with(
            json!({"role": "tool_call_result", "results": results, "metadata": metadata}),
            extra,
        )
    })
}

fn with(mut value: Value, members: Map<String, Value>) -> Value {
    if let Some(fields) = value.as_object_mut() {
        fields.extend(members);
    }
    value
}
