//! Records of other writers with the wrong thing in every place: an answer, never a panic, and nothing lost
//! on the way through Converse.
#![allow(clippy::expect_used, clippy::indexing_slicing)] // What is built here is JSON, or the test is broken.

use std::time::{Duration, Instant};

use codec::converse::{ConverseMessage, from_converse, to_converse};
use codec::{Event, Mode, decode, to_prompt};
use serde_json::{Map, Value, json};

/// One of each shape that is recognised.
fn records() -> Vec<Value> {
    let converse = json!({"role": "user", "content": [
        {"text": "a"},
        {"toolResult": {"toolUseId": "t", "status": "success", "content": [{"text": "x"}, {"json": {"k": [1]}}]}},
        {"toolUse": {"toolUseId": "t", "name": "n", "input": {"a": 1}}},
        {"reasoningContent": {"reasoningText": {"text": "r"}}},
    ], "metadata": {"colloquy": {"model": {"put": {"name": "x"}, "edit": {"content": {"list": [[0, {"is": 1}], 1, {"new": 2}]}}}}},
        "tracking_id": "i"});
    let assistant = json!({"role": "assistant", "content": converse["content"], "metadata": {"colloquy": {"parts": 2, "converse": {"drop": ["x"]}}}});
    vec![
        json!({"message": converse, "message_id": 0, "redact_message": null}),
        json!({"message": {}, "message_id": 0, "redact_message": assistant}),
        json!([
            json!({"message": assistant, "message_id": 0}).to_string(),
            "user"
        ]),
        json!({"session_id": "s", "session_type": "AGENT"}),
        json!({"agent_id": "a", "state": {}, "conversation_manager_state": {"removed_message_count": 1, "summary_message": converse}}),
        json!({"scope": "agent", "schema_version": "1.0", "data": {"messages": [converse], "state": {}}, "app_data": {}}),
        json!({"role": "assistant", "content": "a", "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": "{}"}}],
            "_strands_reasoning_content": [{"reasoningContent": {}}]}),
        json!({"role": "tool", "content": [{"text": "a"}], "tool_call_id": "1"}),
        json!({"author": "a", "invocationId": "i", "content": {"role": "model", "parts": [{"text": "a"},
            {"functionCall": {"name": "f", "args": {}}}, {"functionResponse": {"name": "f", "response": {}}}]}}),
        converse,
        assistant,
    ]
}

/// The value with each node, one at a time, replaced by each of the replacements.
fn spoilt(value: &Value) -> Vec<Value> {
    let replacements = [json!(null), json!(-1), json!("text"), json!([]), json!({})];
    let mut variants = replacements.to_vec();
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                for variant in spoilt(item) {
                    let mut items = items.clone();
                    items.splice(index..=index, [variant]);
                    variants.push(Value::Array(items));
                }
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                let mut without = fields.clone();
                without.shift_remove(key);
                variants.push(Value::Object(without.clone()));
                for variant in spoilt(field) {
                    let mut fields = without.clone();
                    fields.insert(key.clone(), variant);
                    variants.push(Value::Object(fields));
                }
            }
        }
        _ => {}
    }
    variants
}

#[test]
fn the_wrong_thing_in_every_place_is_answered() {
    let mut tried = 0;
    for value in records().iter().flat_map(spoilt) {
        let text = value.to_string();
        let items = [
            json!({"conversational": {"content": {"text": text}, "role": "USER"}}),
            json!({"blob": value}),
        ];
        for item in items {
            let event: Event =
                serde_json::from_value(json!({"payload": [item]})).expect("an event");
            let lenient = decode(&event, Mode::Lenient).expect("lenient decoding never fails");
            let converse = to_converse(&lenient.messages);
            let back: Vec<_> = converse.iter().flat_map(from_converse).collect();
            assert_eq!(back, lenient.messages, "{value}");
            let _ = to_prompt(&lenient.messages);
            if let Ok(strict) = decode(&event, Mode::Strict) {
                assert_eq!(strict, lenient, "{value}");
            }
            tried += 1;
        }
    }
    assert!(tried > 3_000, "{tried}");
}

#[test]
fn a_converse_message_with_anything_in_it_comes_back() {
    for value in records().iter().flat_map(spoilt) {
        if let Ok(message) = ConverseMessage::from_value(value) {
            assert_eq!(to_converse(&from_converse(&message)), [message]);
        }
    }
}

/// Time per size, the best of three. Quadratic work would cost sixty-four times as much for eight times the input.
fn check_growth(name: &str, build: impl Fn(usize) -> Event) {
    let cost = |size: usize| -> Duration {
        let event = build(size);
        let time = || {
            let start = Instant::now();
            let decoded = decode(&event, Mode::Lenient).expect("lenient decoding never fails");
            let _ = to_converse(&decoded.messages);
            let _ = to_prompt(&decoded.messages);
            start.elapsed()
        };
        time().min(time()).min(time())
    };
    let (small, large) = (cost(400), cost(3_200));
    assert!(large < small * 32, "{name}: {small:?} and {large:?}");
}

#[test]
fn hostile_events_cost_no_more_than_their_size() {
    let event = |payload: Vec<Value>| {
        serde_json::from_value(json!({ "payload": payload })).expect("an event")
    };
    let said =
        |text: &str| json!({"conversational": {"content": {"text": text}, "role": "ASSISTANT"}});
    check_growth("echoes", |size| {
        let adk = json!({"author": "a", "invocationId": "i", "content": {"parts": [{"text": "the same"}]}});
        let items = (0..size).flat_map(|_| [said("the same"), json!({ "blob": adk })]);
        event(items.collect())
    });
    check_growth("surrogates", |size| {
        let text = format!(
            "{{\"message\":{{\"role\":\"user\",\"content\":[{{\"text\":\"{}\"}}]}}}}",
            "\\ud800".repeat(size * 20)
        );
        event(vec![said(&text)])
    });
    check_growth("blocks in the wrong order", |size| {
        let uses = (0..size)
            .map(|n| json!({"toolUse": {"toolUseId": n.to_string(), "name": "n", "input": {}}}));
        let texts = (0..size).map(|n| json!({"text": n.to_string()}));
        let content: Vec<Value> = uses.chain(texts).collect();
        event(vec![
            json!({"blob": {"role": "assistant", "content": content}}),
        ])
    });
    check_growth("fields", |size| {
        let extra: Map<String, Value> =
            (0..size * 4).map(|n| (format!("k{n}"), json!(n))).collect();
        let mut message = json!({"role": "user", "content": [{"text": "a"}]});
        message.as_object_mut().expect("an object").extend(extra);
        event(vec![json!({"blob": {"message": message, "message_id": 0}})])
    });
    check_growth("lines", |size| {
        event(vec![said(&"user: x\r\u{2028}\n".repeat(size * 20))])
    });
}
