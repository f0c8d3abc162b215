//! Rows 9 and 10: what becomes of blobs, and of a write sent twice.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{event, ids, start, start_with, text};

#[test]
fn row_09_blobs_other_than_strings_come_back_in_java_notation() {
    let server = start();
    let payload = json!([
        {"blob": {"role": "user", "content": "hi"}}, {"blob": [1, "two"]}, {"blob": 7}, {"blob": true},
        {"blob": "{\"role\":\"user\"}"}, {"json": {"content": {"k": 1}}},
    ]);
    server.write(0, &json!({"payload": payload}));
    assert_eq!(
        server.list(&json!({}))["events"][0]["payload"],
        json!([
            {"blob": "{content=hi, role=user}"}, {"blob": "[1, two]"}, {"blob": "7"}, {"blob": "true"},
            {"blob": "{\"role\":\"user\"}"}, {"json": {"content": "{k=1}"}},
        ])
    );
    let exact = start_with(|options| {
        options.switches.blob_defect = false;
        options.switches.json_defect = false;
    });
    exact.write(0, &json!({"payload": payload}));
    assert_eq!(exact.list(&json!({}))["events"][0]["payload"], payload);
}

#[test]
fn row_10_a_repeated_token_gives_the_first_event() {
    let server = start();
    let mut body = event(0);
    body["clientToken"] = json!("once");
    let (first, second) = (server.create(&body), server.create(&body));
    assert_eq!((first.status, second.status), (201, 201));
    assert_eq!(first.json(), second.json());
    assert_eq!(ids(&server.list(&json!({}))).len(), 1);
    body["payload"] = json!([text("other")]);
    let mismatch = server.create(&body);
    assert_eq!(
        (mismatch.status, mismatch.error()),
        (400, "ValidationException")
    );
    assert_eq!(
        mismatch.json()["reason"],
        "IdempotentParameterMismatchException"
    );
}

#[test]
fn row_10_scope_window_and_answers_are_switches() {
    use emulator::{TokenMismatch, TokenRepeat, TokenScope};
    let twice = |change: fn(&mut emulator::Switches), second: Value, later: u64| {
        let server = start_with(|options| change(&mut options.switches));
        let mut body = event(0);
        body["clientToken"] = json!("once");
        let first = server.create(&body).json()["event"]["eventId"].clone();
        server.emulator.advance_clock(Duration::from_secs(later));
        body.as_object_mut()
            .unwrap()
            .extend(second.as_object().unwrap().clone());
        let answer = server.create(&body);
        let same = answer.json()["event"]["eventId"] == first;
        (answer.status, same, ids(&server.list(&json!({}))).len())
    };
    let other = json!({"sessionId": "t"});
    assert_eq!(
        twice(|_| {}, other.clone(), 0),
        (400, false, 1),
        "one scope for the account"
    );
    assert_eq!(
        twice(|s| s.token_scope = TokenScope::Session, other, 0),
        (201, false, 1)
    );
    assert_eq!(
        twice(|s| s.token_scope = TokenScope::Ignored, json!({}), 0),
        (201, false, 2)
    );
    assert_eq!(
        twice(|_| {}, json!({}), 299),
        (201, true, 1),
        "within the window"
    );
    assert_eq!(
        twice(|_| {}, json!({}), 300),
        (201, false, 2),
        "after the window"
    );
    let changed = json!({"payload": []});
    assert_eq!(
        twice(|s| s.token_mismatch = TokenMismatch::FirstEvent, changed, 0),
        (201, true, 1)
    );
    assert_eq!(
        twice(|s| s.token_repeat = TokenRepeat::FreshId, json!({}), 0),
        (201, false, 1)
    );
}
