//! Strategies for any Converse message and any message of the model. They are boxed: nested as deep as they are,
//! they would not fit the stack of a test thread.

use codec::converse::{ConverseMessage, to_converse};
use codec::model::Message;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Number, Value, json};

/// Any JSON, numbers of any size included.
pub fn any_json() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(|n| json!(n)),
        Just(Value::Number(number("123456789012345678901234567890"))),
        Just(Value::Number(number("1.50"))),
        any_text().prop_map(Value::String),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::Array),
            btree_map(any_key(), inner, 0..3).prop_map(|m| Value::Object(m.into_iter().collect())),
        ]
    })
    .boxed()
}

/// Any list of Converse messages: well-formed blocks, malformed ones, hints true and false.
pub fn any_converse() -> BoxedStrategy<Vec<ConverseMessage>> {
    let foreign = vec(any_converse_message(), 0..4);
    let ours = any_messages().prop_map(|messages| to_converse(&messages));
    prop_oneof![4 => foreign, 1 => ours].boxed()
}

/// Any list of messages without system messages, as read from their JSON.
pub fn any_messages() -> BoxedStrategy<Vec<Message>> {
    vec(
        prop_oneof![any_user(), any_assistant(), any_tool_result()],
        0..4,
    )
    .prop_map(|messages| {
        let read = |json| serde_json::from_value(json).expect("a message");
        messages.into_iter().map(read).collect()
    })
    .boxed()
}

fn any_converse_message() -> BoxedStrategy<ConverseMessage> {
    let fields = (
        prop_oneof![Just("user"), Just("assistant")],
        vec(any_block(), 0..5),
        prop_oneof![
            3 => Just(None),
            2 => any_metadata().prop_map(Some),
            1 => any_json().prop_map(Some),
        ],
        proptest::option::weighted(0.3, any_json()),
        proptest::option::weighted(0.2, (any_key(), any_json())),
    );
    fields
        .prop_map(|(role, content, metadata, tracking_id, extra)| {
            let mut message = Map::new();
            message.extend(extra);
            message.insert("role".to_owned(), json!(role));
            message.insert("content".to_owned(), json!(content));
            message.extend(metadata.map(|m| ("metadata".to_owned(), m)));
            message.extend(tracking_id.map(|id| ("tracking_id".to_owned(), id)));
            ConverseMessage::from_value(Value::Object(message)).expect("a Converse message")
        })
        .boxed()
}

fn any_block() -> BoxedStrategy<Value> {
    let id = prop_oneof![Just("t1"), Just("t2"), Just("")];
    let text = any_text().prop_map(|text| json!({ "text": text }));
    let tool_use = (id.clone(), any_json(), any::<bool>()).prop_map(|(id, input, signed)| {
        let mut block = json!({"toolUse": {"name": "tool", "toolUseId": id, "input": input}});
        if signed {
            block["toolUse"]["reasoningSignature"] = json!("abc=");
        }
        block
    });
    let item = prop_oneof![
        any_text().prop_map(|text| json!({ "text": text })),
        any_json().prop_map(|json| json!({ "json": json })),
        Just(
            json!({"image": {"format": "png", "source": {"bytes": {"__bytes_encoded__": true, "data": "AAE="}}}})
        ),
        any_json(),
    ];
    let status = prop_oneof![Just(json!("success")), Just(json!("error")), any_json()];
    let result =
        (id, vec(item, 0..3), proptest::option::of(status)).prop_map(|(id, content, status)| {
            let mut block = json!({"toolResult": {"toolUseId": id, "content": content}});
            if let Some(status) = status {
                block["toolResult"]["status"] = status;
            }
            block
        });
    let other = prop_oneof![
        Just(json!({"cachePoint": {"type": "default"}})),
        Just(
            json!({"document": {"format": "pdf", "name": "a", "source": {"s3Location": {"uri": "s3://b/k"}}}})
        ),
        Just(json!({"reasoningContent": {"reasoningText": {"text": "hm", "signature": "c2ln"}}})),
        Just(
            json!({"reasoningContent": {"redactedContent": {"__bytes_encoded__": true, "data": "AAE="}}})
        ),
        Just(json!({"guardContent": {"text": {"text": "x", "qualifiers": ["query"]}}})),
    ];
    // Malformed in every way: known keys with any value, several keys at once, keys of ours.
    let odd = btree_map(any_key(), any_json(), 0..4)
        .prop_map(|fields| Value::Object(fields.into_iter().collect()));
    prop_oneof![3 => text, 3 => tool_use, 3 => result, 2 => other, 2 => odd].boxed()
}

fn any_user() -> BoxedStrategy<Value> {
    let name = proptest::option::weighted(0.3, any_text());
    (name, any_contents(), any_facts())
        .prop_map(|(name, content, facts)| {
            message(
                facts,
                json!({"role": "user", "name": name, "content": content}),
            )
        })
        .boxed()
}

fn any_assistant() -> BoxedStrategy<Value> {
    let call = (
        any_text(),
        any_text(),
        any_object(),
        any_extra(&["id", "name", "arguments"]),
    )
        .prop_map(|(id, name, arguments, extra)| {
            message(
                extra,
                json!({"id": id, "name": name, "arguments": arguments}),
            )
        });
    let model_id = proptest::option::weighted(0.3, any_text());
    (any_contents(), vec(call, 0..3), model_id, any_facts()).prop_map(|(content, calls, model, facts)| {
        let fields = json!({"role": "assistant", "content": content, "toolCalls": calls, "modelId": model});
        message(facts, fields)
    })
        .boxed()
}

fn any_tool_result() -> BoxedStrategy<Value> {
    let known = &["id", "name", "content", "elementId", "completedAt"];
    let name = proptest::option::of(any_text());
    let id = proptest::option::weighted(0.8, any_text());
    let result =
        (id, name, any_contents(), any_extra(known)).prop_map(|(id, name, content, extra)| {
            message(extra, json!({"id": id, "name": name, "content": content}))
        });
    (vec(result, 0..3), any_facts())
        .prop_map(|(results, mut facts)| {
            // A field `results` of another meaning cannot stand beside the known one.
            facts.remove("results");
            message(
                facts,
                json!({"role": "tool_call_result", "results": results}),
            )
        })
        .boxed()
}

fn any_contents() -> BoxedStrategy<Vec<Value>> {
    let payload =
        prop_oneof![any_json(), any_block()].prop_filter("not null", |json| !json.is_null());
    let provider = prop_oneof![Just("bedrock"), Just("openai")];
    let content = prop_oneof![
        3 => any_text().prop_map(|text| json!({"type": "text", "text": text})),
        1 => payload.clone().prop_map(|p| json!({"type": "object", "content": p})),
        1 => payload.clone().prop_map(|p| json!({"type": "document", "document": p})),
        1 => (provider.clone(), payload.clone()).prop_map(|(provider, payload)| {
            json!({"type": "reasoning", "provider": provider, "payload": payload})
        }),
        2 => (provider, payload).prop_map(|(provider, payload)| {
            json!({"type": "provider", "provider": provider, "payload": payload})
        }),
        1 => any_object().prop_map(|mut fields| {
            fields.insert("type".to_owned(), json!("hologram"));
            Value::Object(fields)
        }),
    ];
    let facts = any_extra(&[
        "type", "text", "content", "document", "provider", "payload", "metadata",
    ]);
    let with_facts = (
        content,
        proptest::option::weighted(0.2, (any_object(), facts)),
    );
    let block = with_facts.prop_map(|(mut content, facts)| {
        if let Some((metadata, extra)) = facts {
            content["metadata"] = Value::Object(metadata);
            content.as_object_mut().expect("a block").extend(extra);
        }
        content
    });
    vec(block, 0..4).boxed()
}

/// Metadata and unknown fields of a message.
fn any_facts() -> BoxedStrategy<Map<String, Value>> {
    let known = &[
        "role",
        "content",
        "metadata",
        "name",
        "toolCalls",
        "modelId",
        "messageId",
        "stopReason",
    ];
    (any_metadata(), any_extra(known))
        .prop_map(|(metadata, mut extra)| {
            extra.insert("metadata".to_owned(), metadata);
            extra
        })
        .boxed()
}

/// Metadata that now and then holds what looks like a hint.
fn any_metadata() -> BoxedStrategy<Value> {
    let hint = prop_oneof![
        any_json(),
        Just(json!({"model": {}})),
        Just(json!({"converse": {}})),
        Just(json!({"parts": 2})),
        Just(json!({"parts": 2, "converse": {"edit": {"content": {"list": [1, 0]}}}})),
        Just(json!({"converse": {"edit": {"content": {"list": [1, 0]}}}})),
        Just(json!({"model": {"put": {"name": "Mallory"}}})),
        Just(json!({"model": {"put": {"role": "assistant"}}})),
    ];
    let hint = proptest::option::weighted(0.3, hint);
    (any_object(), hint)
        .prop_map(|(mut metadata, hint)| {
            metadata.extend(hint.map(|hint| ("colloquy".to_owned(), hint)));
            Value::Object(metadata)
        })
        .boxed()
}

fn any_extra(known: &'static [&'static str]) -> BoxedStrategy<Map<String, Value>> {
    proptest::option::weighted(0.3, any_object())
        .prop_map(move |fields| {
            let mut fields = fields.unwrap_or_default();
            fields.retain(|key, _| !known.contains(&key.as_str()));
            fields
        })
        .boxed()
}

fn any_object() -> BoxedStrategy<Map<String, Value>> {
    btree_map(any_key(), any_json(), 0..3)
        .prop_map(|fields| fields.into_iter().collect())
        .boxed()
}

/// Keys that mean something to either side, or nothing to anyone.
fn any_key() -> BoxedStrategy<String> {
    let known: &'static [&'static str] = &[
        "text",
        "toolUse",
        "toolResult",
        "reasoningContent",
        "image",
        "json",
        "type",
        "metadata",
        "input",
        "id",
        "name",
        "status",
        "content",
        "results",
        "toolCalls",
        "tracking_id",
        "colloquy",
        "x",
        "y",
    ];
    prop::sample::select(known).prop_map(str::to_owned).boxed()
}

fn any_text() -> BoxedStrategy<String> {
    prop_oneof![
        Just(String::new()),
        Just(" \n".to_owned()),
        "[a-c]{1,2}",
        ".{0,6}"
    ]
    .boxed()
}

fn message(mut fields: Map<String, Value>, known: Value) -> Value {
    let Value::Object(known) = known else {
        unreachable!("written as an object above");
    };
    fields.extend(known.into_iter().filter(|(_, value)| !value.is_null()));
    Value::Object(fields)
}

fn number(digits: &str) -> Number {
    serde_json::from_str(digits).expect("a number")
}
