//! Sessions as Strands agents store them in AgentCore.
#![allow(clippy::expect_used)] // A row that is no event is a broken test.

use codec::converse::{ConverseMessage, from_converse, to_converse};
use codec::strands::{session_message, session_payload};
use codec::{Decoded, Event, Mode, Payload, decode};
use serde_json::{Value, json};

const NOW: &str = "2026-11-18T06:00:00.000000+00:00";

fn event(payload: &[Value]) -> Event {
    serde_json::from_value(json!({ "payload": payload })).expect("an event")
}

/// The same in both modes, since nothing here is unknown.
fn read(payload: &[Value]) -> Decoded {
    let event = event(payload);
    let decoded = decode(&event, Mode::Lenient).expect("lenient decoding never fails");
    assert_eq!(decode(&event, Mode::Strict).as_ref(), Ok(&decoded));
    decoded
}

fn record(message: &Value) -> Value {
    json!({"message": message, "message_id": 0, "redact_message": null, "created_at": NOW, "updated_at": NOW})
}

fn said(role: &str, text: &str) -> Value {
    json!({"conversational": {"content": {"text": text}, "role": role}})
}

fn stored(role: &str, message: &Value) -> Value {
    said(role, &record(message).to_string())
}

fn converse(decoded: &Decoded) -> Value {
    json!(to_converse(&decoded.messages))
}

fn codes(decoded: &Decoded) -> Vec<&'static str> {
    decoded
        .notes
        .iter()
        .map(|note| note.reason.code())
        .collect()
}

#[test]
fn case_1_text_beyond_ascii_and_a_lone_surrogate() {
    let message = json!({"role": "user", "content": [{"text": "é \u{1F600}"}]});
    let decoded = read(&[stored("USER", &message)]);
    assert_eq!(converse(&decoded), json!([message]));

    let text = r#"{"message": {"role": "user", "content": [{"text": "\u00e9 \ud83d\ude00 \ud83d"}]}, "message_id": 0}"#;
    let decoded = read(&[said("USER", text)]);
    let expected = json!([{"role": "user", "content": [{"text": "é \u{1F600} \u{FFFD}"}]}]);
    assert_eq!(converse(&decoded), expected);
    assert_eq!(codes(&decoded), ["lone_surrogate"]);
}

#[test]
fn case_2_bytes_wherever_they_occur() {
    let bytes = json!({"__bytes_encoded__": true, "data": "AAE="});
    let image = json!({"image": {"format": "png", "source": {"bytes": bytes}}});
    let messages = [
        json!({"role": "user", "content": [
            image,
            {"document": {"format": "pdf", "name": "d", "source": {"bytes": bytes}}},
            {"video": {"format": "mp4", "source": {"bytes": bytes}}},
            {"audio": {"format": "mp3", "source": {"bytes": bytes}}},
        ]}),
        json!({"role": "assistant", "content": [{"reasoningContent": {"redactedContent": bytes}}]}),
        json!({"role": "user", "content": [
            {"toolResult": {"toolUseId": "t", "status": "success", "content": [image]}},
        ]}),
    ];
    let roles = ["USER", "ASSISTANT", "USER"];
    let payload = roles
        .iter()
        .zip(&messages)
        .map(|(role, message)| stored(role, message));
    assert_eq!(
        converse(&read(&payload.collect::<Vec<_>>())),
        json!(messages)
    );
}

#[test]
fn case_3_a_marker_that_is_no_marker_stays_an_object() {
    let message = json!({"role": "assistant", "content": [
        {"toolUse": {"toolUseId": "t", "name": "n", "input": {"__bytes_encoded__": "true", "data": "x"}}},
    ]});
    assert_eq!(
        converse(&read(&[stored("ASSISTANT", &message)])),
        json!([message])
    );
}

#[test]
fn case_4_long_messages_are_stored_as_blobs_from_the_limit_on() {
    let around = session_message(&text_message(""), NOW).len() + "user".len();
    for (bytes, is_blob) in [
        (99_990, false),
        (99_998, false),
        (99_999, false),
        (100_000, true),
        (100_001, true),
    ] {
        // A quote is one byte and two in the record; the other letters are two bytes, but for one where that is odd.
        let quotes = 10;
        let left = bytes - around - 2 * quotes;
        let text = "\"".repeat(quotes) + &"é".repeat(left / 2) + &"e".repeat(left % 2);
        let message = text_message(&text);
        let payload = session_payload(&message, NOW).expect("it is not blank");
        assert_eq!(matches!(payload, Payload::Blob(_)), is_blob, "{bytes}");
        let decoded = decode(
            &Event {
                payload: vec![payload],
                ..Event::default()
            },
            Mode::Strict,
        );
        assert_eq!(
            decoded.expect("a record").messages,
            from_converse(&message),
            "{bytes}"
        );
    }
}

#[test]
fn case_5_a_batch_of_texts_and_blobs_keeps_its_order() {
    let messages = [
        json!({"role": "user", "content": [{"text": "one"}]}),
        json!({"role": "assistant", "content": [{"text": "two"}]}),
        json!({"role": "user", "content": [{"text": "three"}]}),
        json!({"role": "assistant", "content": [{"text": "four"}]}),
    ];
    let [one, two, three, four] = &messages;
    let decoded = read(&[
        stored("USER", one),
        pair("assistant", two),
        pair("user", three),
        stored("ASSISTANT", four),
    ]);
    assert_eq!(converse(&decoded), json!(messages));
    assert_eq!(codes(&decoded), [""; 0]);
}

#[test]
fn case_6_of_several_agent_states_the_last_counts() {
    let state = |removed: u64| {
        json!({
            "agent_id": "default",
            "state": {"n": removed},
            "conversation_manager_state": {"__name__": "SummarizingConversationManager", "removed_message_count": removed,
                "summary_message": {"role": "user", "content": [{"text": "so far"}]}},
            "_internal_state": {"interrupt_state": {}},
            "created_at": NOW, "updated_at": NOW, "new_field": [1],
        })
    };
    let blob = |removed| json!({"blob": state(removed).to_string()});
    let decoded = read(&[blob(1), blob(2), blob(3)]);
    let removed: Vec<_> = decoded
        .agents
        .iter()
        .map(codec::strands::AgentRecord::removed_message_count)
        .collect();
    assert_eq!(removed, [Some(1), Some(2), Some(3)]);
    let last = decoded.agents.last().expect("three of them");
    assert_eq!(last.agent_id, "default");
    assert_eq!(
        json!(last.summary_message()),
        json!({"role": "user", "content": [{"text": "so far"}]})
    );
    assert_eq!(json!(last), state(3));
    assert_eq!(decoded.messages, []);
}

#[test]
fn case_7_a_blob_may_be_an_object_or_a_string() {
    let message = json!({"role": "user", "content": [{"text": "x"}]});
    let session =
        json!({"session_id": "s", "session_type": "AGENT", "created_at": NOW, "updated_at": NOW});
    let agent =
        json!({"agent_id": "a", "state": {}, "conversation_manager_state": {"__name__": "x"}});
    let array = json!([record(&message).to_string(), "user"]);
    let as_strings = read(&[
        json!({"blob": session.to_string()}),
        json!({"blob": agent.to_string()}),
        json!({"blob": array.to_string()}),
        json!({"blob": record(&message).to_string()}),
    ]);
    let as_objects = read(&[
        json!({"blob": session}),
        json!({"blob": agent}),
        json!({"blob": array}),
        json!({"blob": record(&message)}),
    ]);
    assert_eq!(as_strings, as_objects);
    assert_eq!(converse(&as_strings), json!([message, message]));
    assert_eq!(as_strings.agents.len(), 1);
}

#[test]
fn case_8_blank_text_goes_and_so_does_a_message_of_nothing_else() {
    let tool_use = json!({"toolUse": {"toolUseId": "t", "name": "n", "input": {}}});
    let decoded = read(&[
        stored(
            "ASSISTANT",
            &json!({"role": "assistant", "content": [{"text": " \n\u{a0}"}, tool_use]}),
        ),
        stored("USER", &json!({"role": "user", "content": [{"text": ""}]})),
        stored("USER", &json!({"role": "user", "content": []})),
    ]);
    assert_eq!(
        converse(&decoded),
        json!([{"role": "assistant", "content": [tool_use]}])
    );
    let notes: Vec<_> = decoded
        .notes
        .iter()
        .map(|n| (n.payload, n.path.as_str(), n.reason.code()))
        .collect();
    let text = "/conversational/content/text";
    assert_eq!(
        notes,
        [
            (
                0,
                format!("{text}/message/content/0").as_str(),
                "blank_block"
            ),
            (
                1,
                format!("{text}/message/content/0").as_str(),
                "blank_block"
            ),
            (1, format!("{text}/message").as_str(), "empty_message"),
            (2, format!("{text}/message").as_str(), "empty_message"),
        ]
    );
    assert_eq!(session_payload(&text_message(" "), NOW), None);
}

#[test]
fn case_9_unknown_keys_are_kept_and_unknown_members_counted() {
    let message = json!({"role": "user", "content": [{"hologram": {"x": 1}}], "mood": "good",
        "tracking_id": "0b0f", "metadata": {"usage": {"inputTokens": 1}}});
    let payload = vec![stored("USER", &message), json!({"hologram": {}})];
    let decoded = decode(&event(&payload), Mode::Lenient).expect("lenient decoding never fails");
    assert_eq!(converse(&decoded), json!([message]));
    assert_eq!(codes(&decoded), ["unknown_member"]);
    let error = decode(&event(&payload), Mode::Strict).expect_err("an unknown member");
    assert_eq!((error.payload, error.code()), (1, "unknown_member"));
}

#[test]
fn case_10_parallel_results_are_all_read_right_or_wrong() {
    // Putting them right is for whoever builds the history; a reader must not lose one.
    let messages = [
        json!({"role": "assistant", "content": [
            {"toolUse": {"toolUseId": "t1", "name": "a", "input": {}}},
            {"toolUse": {"toolUseId": "t2", "name": "b", "input": {}}},
        ]}),
        json!({"role": "user", "content": [
            {"toolResult": {"toolUseId": "t1", "status": "success", "content": [{"text": "1"}]}},
            {"toolResult": {"toolUseId": "t1", "status": "error", "content": [{"text": "again"}]}},
            {"text": "between"},
            {"toolResult": {"toolUseId": "foreign", "status": "success", "content": []}},
        ]}),
    ];
    let [uses, results] = &messages;
    let decoded = read(&[stored("ASSISTANT", uses), stored("USER", results)]);
    assert_eq!(converse(&decoded), json!(messages));
    assert_eq!(decoded.messages.len(), 3);
}

#[test]
fn case_11_a_redacted_original_never_leaves() {
    let record = |redacted: Value| {
        let mut record = record(&json!({"role": "user", "content": [{"text": "SECRET"}]}));
        record
            .as_object_mut()
            .expect("an object")
            .insert("redact_message".to_owned(), redacted);
        record
    };
    let replacement = json!({"role": "user", "content": [{"text": "[redacted]"}]});
    let redacted = record(replacement.clone()).to_string();
    for item in [
        said("USER", &redacted),
        json!({"blob": json!([redacted, "user"]).to_string()}),
        json!({"blob": record(replacement.clone())}),
    ] {
        let decoded = read(&[item]);
        assert_eq!(converse(&decoded), json!([replacement]));
        assert_eq!(codes(&decoded), ["redacted"]);
        assert!(!format!("{decoded:?}").contains("SECRET"));
    }
    // A replacement nobody can read is no reason to hand out the original, as text or otherwise.
    for broken in [
        json!("gone"),
        json!({"role": "user"}),
        json!([]),
        json!(false),
        json!({"role": "user", "content": []}),
    ] {
        for item in [
            said("USER", &record(broken.clone()).to_string()),
            json!({"blob": record(broken.clone())}),
        ] {
            let decoded =
                decode(&event(&[item]), Mode::Lenient).expect("lenient decoding never fails");
            assert_eq!(decoded.messages, [], "{broken}");
            assert!(!format!("{decoded:?}").contains("SECRET"));
            assert!(!decoded.notes.is_empty());
        }
    }
    // Neither is JSON that was cut off, or is too deep to be read, or has no message beside the replacement.
    let whole = record(replacement.clone()).to_string();
    let deep = whole.replace(
        "\"SECRET\"",
        &format!("{}\"SECRET\"{}", "[".repeat(200), "]".repeat(200)),
    );
    let odd =
        json!({"message": "SECRET", "message_id": 0, "redact_message": replacement}).to_string();
    for text in [whole.get(..whole.len() - 1).expect("ASCII"), &deep, &odd] {
        let decoded = decode(&event(&[said("USER", text)]), Mode::Lenient)
            .expect("lenient decoding never fails");
        assert!(!format!("{decoded:?}").contains("SECRET"));
        assert!(!decoded.notes.is_empty());
    }
}

#[test]
fn case_12_the_order_within_an_event_is_the_stored_one() {
    let texts: Vec<String> = (0..50).map(|n| format!("m{n}")).collect();
    let payload = texts.iter().map(|text| {
        stored(
            "USER",
            &json!({"role": "user", "content": [{"text": text}]}),
        )
    });
    let decoded = read(&payload.collect::<Vec<_>>());
    let read: Vec<String> = to_converse(&decoded.messages)
        .iter()
        .filter_map(|message| {
            message
                .content
                .first()?
                .get("text")?
                .as_str()
                .map(str::to_owned)
        })
        .collect();
    assert_eq!(read, texts);
}

#[test]
fn case_13_the_window_state_is_there_to_be_applied() {
    let agent = json!({"agent_id": "a", "state": {}, "conversation_manager_state": {
        "__name__": "SlidingWindowConversationManager", "removed_message_count": 7, "model_call_count": 2}});
    let decoded = read(&[json!({"blob": agent.to_string()})]);
    let record = decoded.agents.first().expect("one");
    assert_eq!(record.removed_message_count(), Some(7));
    assert_eq!(record.summary_message(), None);
}

#[test]
fn case_14_prose_of_a_hook_is_read_message_by_message() {
    let decoded = read(&[said("USER", "hi"), said("ASSISTANT", "hello")]);
    assert_eq!(
        converse(&decoded),
        json!([
            {"role": "user", "content": [{"text": "hi"}]},
            {"role": "assistant", "content": [{"text": "hello"}]},
        ])
    );
}

#[test]
fn a_record_with_a_broken_message_is_counted_and_a_text_that_looks_alike_is_text() {
    let broken = record(&json!({"role": "robot", "content": []})).to_string();
    let decoded = decode(&event(&[said("USER", &broken)]), Mode::Lenient)
        .expect("lenient decoding never fails");
    assert_eq!(decoded.messages, []);
    assert_eq!(codes(&decoded), ["broken_record"]);
    assert!(decode(&event(&[said("USER", &broken)]), Mode::Strict).is_err());

    for text in [
        r#"{"message": {"text": "hi"}}"#,
        r#"{"message": "hi"}"#,
        r#"{"a": 1}"#,
        "{",
        "[1, 2]",
    ] {
        let decoded = read(&[said("USER", text)]);
        assert_eq!(
            converse(&decoded),
            json!([{"role": "user", "content": [{"text": text}]}])
        );
    }
}

#[test]
fn a_snapshot_gives_its_messages_and_its_state() {
    let message = json!({"role": "user", "content": [{"text": "x"}]});
    let snapshot = json!({
        "scope": "agent", "schema_version": "1.0", "created_at": NOW,
        "data": {
            "messages": [message, {"role": "user", "content": [{"text": ""}]}, 5],
            "state": {"k": 1},
            "conversation_manager_state": {"__name__": "x", "removed_message_count": 2},
            "interrupt_state": {"activated": false},
            "model_state": {},
            "system_prompt": "be kind",
        },
        "app_data": {"z": 1},
    });
    let decoded = read(&[json!({"blob": snapshot.to_string()})]);
    assert_eq!(converse(&decoded), json!([message]));
    assert_eq!(
        codes(&decoded),
        ["blank_block", "empty_message", "broken_record"]
    );
    let agent = decoded.agents.first().expect("one");
    assert_eq!(agent.removed_message_count(), Some(2));
    assert_eq!(agent.state, json!({"k": 1}));
    assert_eq!(
        json!(agent.extra),
        json!({"system_prompt": "be kind", "app_data": {"z": 1}})
    );
}

fn pair(role: &str, message: &Value) -> Value {
    json!({"blob": json!([record(message).to_string(), role]).to_string()})
}

fn text_message(text: &str) -> ConverseMessage {
    ConverseMessage::from_value(json!({"role": "user", "content": [{"text": text}]}))
        .expect("a message")
}
