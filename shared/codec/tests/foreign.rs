//! Layouts of other writers, one after the other.
#![allow(clippy::expect_used)] // A row that is no event is a broken test.

use codec::{Decoded, Event, Mode, decode};
use serde_json::{Value, json};

fn event(payload: &[Value]) -> Event {
    serde_json::from_value(json!({ "payload": payload })).expect("an event")
}

fn read(payload: &[Value]) -> Decoded {
    decode(&event(payload), Mode::Lenient).expect("lenient decoding never fails")
}

fn said(role: &str, text: &str) -> Value {
    json!({"conversational": {"content": {"text": text}, "role": role}})
}

fn codes(decoded: &Decoded) -> Vec<&'static str> {
    decoded
        .notes
        .iter()
        .map(|note| note.reason.code())
        .collect()
}

#[test]
fn chat_messages_of_the_openai_flavour() {
    let rows = [
        (
            said("USER", r#"{"role": "user", "content": "hi"}"#),
            json!({"role": "user", "content": [{"type": "text", "text": "hi"}]}),
        ),
        (
            said("ASSISTANT", &json!({
                "role": "assistant", "content": null,
                "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"n\": 1.50}"}}],
                "_strands_reasoning_content": [{"reasoningContent": {"reasoningText": {"text": "hm"}}}],
            }).to_string()),
            json!({"role": "assistant",
                "content": [{"type": "reasoning", "provider": "bedrock", "payload": {"reasoningText": {"text": "hm"}}}],
                "toolCalls": [{"id": "c1", "name": "f", "arguments": {"n": serde_json::from_str::<Value>("1.50").expect("a number")}}]}),
        ),
        (
            said("TOOL", r#"{"role": "tool", "tool_call_id": "c1", "content": "21", "status": "success"}"#),
            json!({"role": "tool_call_result", "results": [
                {"id": "c1", "content": [{"type": "text", "text": "21"}], "status": "success"},
            ]}),
        ),
        (
            json!({"blob": json!([r#"{"role": "user", "content": "long"}"#, "user"]).to_string()}),
            json!({"role": "user", "content": [{"type": "text", "text": "long"}]}),
        ),
    ];
    for (item, message) in rows {
        let decoded = read(&[item]);
        assert_eq!(json!(decoded.messages), json!([message]));
        assert_eq!(codes(&decoded), [""; 0]);
    }
}

#[test]
fn a_converse_message_stored_as_it_is() {
    let message = json!({"role": "assistant", "content": [
        {"text": "x"}, {"toolUse": {"toolUseId": "t", "name": "n", "input": {}}},
    ], "metadata": {"usage": {"inputTokens": 1}}});
    for blob in [
        json!({"blob": message}),
        json!({"blob": message.to_string()}),
    ] {
        let decoded = read(&[blob]);
        assert_eq!(
            json!(codec::converse::to_converse(&decoded.messages)),
            json!([message])
        );
        assert_eq!(codes(&decoded), [""; 0]);
    }
    let other = json!({"role": "assistant", "content": [{"price": 1}]});
    assert_eq!(codes(&read(&[json!({ "blob": other })])), ["unknown_json"]);
}

#[test]
fn chat_arguments_that_are_no_object_are_kept_and_noted() {
    let chat = json!({"role": "assistant", "content": " ", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "not json"}},
        {"id": "c2", "type": "function", "function": {"name": "f", "arguments": "[1]"}},
    ]});
    let decoded = read(&[said("ASSISTANT", &chat.to_string())]);
    assert_eq!(
        json!(decoded.messages),
        json!([{"role": "assistant", "toolCalls": [
            {"id": "c1", "name": "f", "arguments": {}, "input": "not json"},
            {"id": "c2", "name": "f", "arguments": {}, "input": [1]},
        ]}])
    );
    assert_eq!(
        codes(&decoded),
        ["blank_block", "raw_arguments", "raw_arguments"]
    );
}

#[test]
fn a_chat_message_in_another_mouth_is_text() {
    // Somebody pasted it: the payload's role is not the message's, or there is more in it than a chat message has.
    for (role, text) in [
        ("USER", r#"{"role": "assistant", "content": "I agree"}"#),
        ("USER", r#"{"role": "user", "content": "x", "price": 3}"#),
        ("USER", r#"{"role": "user", "content": 3}"#),
    ] {
        let decoded = read(&[said(role, text)]);
        assert_eq!(
            json!(decoded.messages),
            json!([{"role": "user", "content": [{"type": "text", "text": text}]}])
        );
    }
}

#[test]
fn an_adk_event_is_read_from_its_blob_and_its_text_not_doubled() {
    let adk = json!({
        "id": "e1", "author": "weather_agent", "invocationId": "i1", "timestamp": 1_763_445_600.5,
        "content": {"role": "model", "parts": [
            {"text": "thinking", "thought": true},
            {"text": "I will "}, {"text": "look."},
            {"functionCall": {"id": "f1", "name": "weather", "args": {"city": "Wien"}}},
            {"inlineData": {"mimeType": "image/png", "data": "AAE="}},
        ]},
        "actions": {},
    });
    let expected = json!([{
        "role": "assistant",
        "content": [
            {"type": "reasoning", "provider": "google", "payload": {"text": "thinking", "thought": true}},
            {"type": "text", "text": "I will "}, {"type": "text", "text": "look."},
            {"type": "provider", "provider": "google", "payload": {"inlineData": {"mimeType": "image/png", "data": "AAE="}}},
        ],
        "toolCalls": [{"id": "f1", "name": "weather", "arguments": {"city": "Wien"}}],
        "metadata": {"author": "weather_agent"},
    }]);
    for blob in [json!({"blob": adk.to_string()}), json!({"blob": adk})] {
        for prose in ["I will look.", "I will \nlook."] {
            assert_eq!(
                json!(read(&[said("ASSISTANT", prose), blob.clone()]).messages),
                expected
            );
            assert_eq!(
                json!(read(&[blob.clone(), said("ASSISTANT", prose)]).messages),
                expected
            );
        }
        assert_eq!(json!(read(std::slice::from_ref(&blob)).messages), expected);
        // A text that says something else is no echo.
        assert_eq!(
            read(&[said("ASSISTANT", "Something else."), blob])
                .messages
                .len(),
            2
        );
    }
}

#[test]
fn adk_answers_of_tools_and_events_without_content() {
    let response = json!({
        "author": "weather_agent", "invocation_id": "i1",
        "content": {"role": "user", "parts": [
            {"function_response": {"id": "f1", "name": "weather", "response": {"degrees": 21}}},
            {"text": "thanks"},
        ]},
    });
    let decoded = read(&[json!({"blob": response.to_string()})]);
    assert_eq!(
        json!(decoded.messages),
        json!([
            {"role": "tool_call_result", "results": [
                {"id": "f1", "name": "weather", "content": [{"type": "object", "content": {"degrees": 21}}]},
            ]},
            {"role": "user", "content": [{"type": "text", "text": "thanks"}]},
        ])
    );
    let state_only = json!({"author": "user", "invocationId": "i1", "content": null, "actions": {"stateDelta": {"a": 1}}});
    let decoded = read(&[json!({"blob": state_only.to_string()})]);
    assert_eq!(decoded.messages, []);
    assert_eq!(codes(&decoded), ["empty_message"]);
}

#[test]
fn spring_saves_a_conversation_as_one_event_of_prose() {
    let decoded = read(&[said("USER", "a"), said("ASSISTANT", "b"), said("USER", "c")]);
    assert_eq!(
        json!(decoded.messages),
        json!([
            {"role": "user", "content": [{"type": "text", "text": "a"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "b"}]},
            {"role": "user", "content": [{"type": "text", "text": "c"}]},
        ])
    );
}

#[test]
fn the_placeholder_of_llamaindex_is_no_text() {
    let decoded = read(&[
        said("USER", "a"),
        said("ASSISTANT", "PLACEHOLDER FOR EMPTY ASSISTANT MESSAGE"),
    ]);
    assert_eq!(decoded.messages.len(), 1);
    assert_eq!(codes(&decoded), ["placeholder"]);
    let decoded = read(&[said("USER", "PLACEHOLDER FOR EMPTY fields is what I mean")]);
    assert_eq!(decoded.messages.len(), 1);
    assert_eq!(codes(&decoded), [""; 0]);
}

#[test]
fn what_nobody_can_read_is_counted_in_lenient_mode_and_refused_in_strict() {
    let rows = [
        (
            json!({"blob": r#"{"event_type": "checkpoint", "checkpoint": {"type": "msgpack", "data": "AAE="}}"#}),
            "checkpoint",
        ),
        (
            json!({"blob": r#"{"event_type": "channel_data"}"#}),
            "checkpoint",
        ),
        (json!({"blob": {"event_type": "writes"}}), "checkpoint"),
        (json!({"blob": "{content=hi, role=user}"}), "mangled_blob"),
        (json!({"blob": "just text"}), "unknown_text"),
        (json!({"blob": "{\"a\": 1}"}), "unknown_json"),
        (json!({"blob": {"a": 1}}), "unknown_json"),
        (json!({"blob": [1, 2]}), "unknown_json"),
        (json!({"blob": ["text", "robot"]}), "unknown_json"),
        (json!({"blob": null}), "unknown_json"),
        (json!({"blob": 1}), "unknown_json"),
        (json!({"json": {"content": {"a": 1}}}), "unknown_json"),
        (json!({"hologram": 1}), "unknown_member"),
    ];
    for (item, code) in rows {
        let decoded = read(std::slice::from_ref(&item));
        assert_eq!(
            (decoded.messages.as_slice(), codes(&decoded)),
            ([].as_slice(), vec![code]),
            "{item}"
        );
        let error = decode(&event(std::slice::from_ref(&item)), Mode::Strict).expect_err(code);
        assert_eq!(error.code(), code, "{item}");
    }
}

#[test]
fn notes_name_their_reason_and_never_the_content() {
    let secret = "S3CRET";
    let items = [
        json!({"blob": secret}),
        json!({"blob": {secret: secret}}),
        json!({"blob": format!("{{a={secret}}}")}),
        said(
            "USER",
            &json!({"message": {"role": secret}, "message_id": 0}).to_string(),
        ),
    ];
    let decoded = read(&items);
    assert_eq!(decoded.notes.len(), items.len());
    assert!(!json!(decoded.notes).to_string().contains(secret));
}
