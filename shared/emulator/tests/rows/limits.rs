//! Row 11: rates and sizes.

use std::time::Duration;

use emulator::DEFAULT_MEMORY_ID;
use serde_json::{Value, json};

use crate::support::{event, start, start_with, text};

#[test]
fn row_11_rates_per_session_and_account_answer_429() {
    let server = start_with(|options| options.rate_limits = true);
    let admitted = |session: &str, payload: Value, calls: usize| {
        let mut body = event(0);
        body["sessionId"] = json!(session);
        body["payload"] = payload;
        (0..calls)
            .filter(|_| server.create(&body).status == 201)
            .count()
    };
    assert_eq!(admitted("s", json!([text("x")]), 8), 5);
    assert_eq!(admitted("s", json!([{"blob": "x"}]), 15), 10);
    let refused = server.create(&event(0));
    assert_eq!(
        (refused.status, refused.error(), refused.message().as_str()),
        (429, "ThrottledException", "Rate exceeded.")
    );
    let path = format!("/memories/{DEFAULT_MEMORY_ID}/actor/a/sessions/s");
    assert_eq!(
        (0..25)
            .filter(|_| server.post(&path, &json!({})).status == 200)
            .count(),
        20
    );
    server.emulator.advance_clock(Duration::from_secs(1));
    assert_eq!(
        admitted("s", json!([text("x")]), 8),
        5,
        "the next second has room again"
    );
    let over_sessions: usize = (0..60)
        .map(|n| admitted(&format!("n{n}"), json!([text("x")]), 5))
        .sum();
    assert_eq!(
        over_sessions, 195,
        "200 a second for the account, 5 of them used already"
    );
}

#[test]
fn row_11_limits_are_off_unless_asked_for() {
    let server = start();
    assert!((0..30).all(|_| server.create(&event(0)).status == 201));
}

#[test]
fn row_11_an_oversize_body_is_413_and_empty() {
    let server = start();
    let big = json!({"actorId": "a", "blob": "x".repeat(12_000_000)}).to_string();
    let path = format!("/memories/{DEFAULT_MEMORY_ID}/events");
    let answer = server.try_call("POST", &path, big.as_bytes()).unwrap();
    assert_eq!(
        (answer.status, answer.body.len(), answer.error()),
        (413, 0, "")
    );
    let mut fits = event(0);
    fits["payload"] = json!([{"blob": "x".repeat(9_900_000)}]);
    assert_eq!(server.create(&fits).status, 201);
}

#[test]
fn row_11_a_client_that_waits_for_a_go_ahead_gets_413_without_sending() {
    let server = start();
    let head = format!(
        "POST /memories/{DEFAULT_MEMORY_ID}/events HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 20000000\r\n\r\n"
    );
    let answer = crate::support::send(server.emulator.addr(), head.as_bytes()).unwrap();
    assert_eq!((answer.status, answer.body.len()), (413, 0));
}

#[test]
fn row_11_items_and_texts_over_their_limit_are_400() {
    let server = start();
    let refused = |payload: Value| {
        let mut body = event(0);
        body["payload"] = payload;
        let answer = server.create(&body);
        (answer.status, answer.message())
    };
    let (status, message) = refused(Value::Array(vec![text("x"); 101]));
    assert_eq!(status, 400);
    assert_eq!(
        message,
        "1 validation error detected: Value at 'payload' failed to satisfy constraint: Member must have length less than or equal to 100"
    );
    assert_eq!(refused(Value::Array(vec![text("x"); 100])).0, 201);
    assert_eq!(refused(json!([text(&"x".repeat(100_001))])).0, 400);
    assert_eq!(refused(json!([text(&"x".repeat(100_000))])).0, 201);
    assert_eq!(refused(json!([text("")])).0, 400);
    assert_eq!(
        refused(json!([{"json": {"content": "x".repeat(100_001)}}])).0,
        400
    );
}
