//! Every action of the fault plan, on the wire: what the caller sees, and whether the effect was done.
// Helper functions of a test may fail it.
#![allow(clippy::unwrap_used)]

mod support;

use std::io::ErrorKind;
use std::time::{Duration, Instant};

use emulator::{DEFAULT_MEMORY_ID, FaultAction, FaultPlan, FaultRule, Lag, SlowBody};
use serde_json::{Value, json};
use support::{Server, event, ids, start, start_with};

fn with(action: FaultAction) -> Server {
    start_with(|options| {
        options.faults = FaultPlan {
            seed: 1,
            rules: vec![FaultRule::nth("CreateEvent", 1, action)],
        };
    })
}

fn create(server: &Server) -> std::io::Result<support::Response> {
    server.try_call(
        "POST",
        &format!("/memories/{DEFAULT_MEMORY_ID}/events"),
        event(0).to_string().as_bytes(),
    )
}

fn stored(server: &Server) -> usize {
    ids(&server.list(&json!({}))).len()
}

#[test]
fn errors_are_answered_and_nothing_is_done() {
    for (action, status, shape) in [
        (FaultAction::Throttle, 429, "ThrottledException"),
        (FaultAction::Error500, 500, "ServiceException"),
        (FaultAction::Conflict409, 409, "RetryableConflictException"),
        (FaultAction::Quota402, 402, "ServiceQuotaExceededException"),
        (FaultAction::Denied403, 403, "AccessDeniedException"),
    ] {
        let server = with(action);
        let answer = create(&server).unwrap();
        assert_eq!((answer.status, answer.error()), (status, shape));
        assert_eq!(stored(&server), 0, "{shape}");
        assert_eq!(
            create(&server).unwrap().status,
            201,
            "only the first call was struck"
        );
    }
}

#[test]
fn a_reset_before_the_effect_leaves_nothing() {
    let server = with(FaultAction::ResetBefore);
    assert_eq!(
        create(&server).unwrap_err().kind(),
        ErrorKind::ConnectionReset
    );
    assert_eq!(stored(&server), 0);
    let calls = server.emulator.calls();
    assert_eq!((calls.log[0].status, calls.log[0].answered), (0, false));
}

#[test]
fn a_reset_after_the_effect_leaves_the_event() {
    let server = with(FaultAction::ResetAfter);
    assert_eq!(
        create(&server).unwrap_err().kind(),
        ErrorKind::ConnectionReset
    );
    assert_eq!(stored(&server), 1);
    let calls = server.emulator.calls();
    assert_eq!((calls.log[0].status, calls.log[0].answered), (201, false));
}

#[test]
fn a_lost_answer_closes_in_silence_with_the_event_stored() {
    let server = with(FaultAction::LostAnswer);
    assert_eq!(
        create(&server).unwrap_err().kind(),
        ErrorKind::UnexpectedEof
    );
    assert_eq!(stored(&server), 1);
}

#[test]
fn no_answer_comes_while_the_silence_lasts() {
    let server = with(FaultAction::NoAnswerMs(150));
    let start = Instant::now();
    assert_eq!(
        create(&server).unwrap_err().kind(),
        ErrorKind::UnexpectedEof
    );
    assert!(start.elapsed() >= Duration::from_millis(150));
    assert_eq!(stored(&server), 1);
}

#[test]
fn an_error_can_hide_an_effect_that_was_done() {
    let server = with(FaultAction::Error500After);
    assert_eq!(create(&server).unwrap().status, 500);
    assert_eq!(stored(&server), 1);
}

#[test]
fn delays_hold_the_call_up_before_or_after_the_effect() {
    for action in [FaultAction::DelayMs(120), FaultAction::DelayAfterMs(120)] {
        let server = with(action);
        let start = Instant::now();
        assert_eq!(create(&server).unwrap().status, 201);
        assert!(start.elapsed() >= Duration::from_millis(120));
    }
}

#[test]
fn a_slow_body_arrives_whole_in_the_end() {
    let server = with(FaultAction::SlowBody(SlowBody {
        chunk_bytes: 100,
        pause_ms: 30,
    }));
    let start = Instant::now();
    let answer = create(&server).unwrap();
    assert_eq!(answer.json()["event"]["actorId"], "a");
    assert!(
        start.elapsed() >= Duration::from_millis(60),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn lag_hides_fresh_events_from_the_listings_it_names() {
    let filter = json!({"filter": {"eventMetadata": [{"left": {"metadataKey": "k"}, "operator": "NOT_EXISTS"}]}});
    // Longer than any machine takes for this test: real time counts, although the emulator's clock stands still.
    let minute = Lag {
        ms: 60_000,
        events: 0,
    };
    for (action, unfiltered, filtered) in [
        (FaultAction::LagFiltered(Lag { ms: 0, events: 1 }), 2, 1),
        (FaultAction::LagUnfiltered(Lag { ms: 0, events: 1 }), 1, 2),
        (FaultAction::LagFiltered(minute), 2, 0),
        (FaultAction::LagUnfiltered(minute), 0, 2),
    ] {
        let server = start();
        server.write(0, &json!({}));
        server.write(-5, &json!({}));
        server.emulator.set_faults(FaultPlan {
            seed: 0,
            rules: vec![FaultRule::always("ListEvents", action.clone())],
        });
        assert_eq!(stored(&server), unfiltered, "{action:?}");
        assert_eq!(ids(&server.list(&filter)).len(), filtered, "{action:?}");
    }
}

#[test]
fn a_skewed_clock_shows_in_the_date_and_in_what_is_accepted() {
    let server = with(FaultAction::ClockSkewMs(-3_600_000));
    let answer = create(&server).unwrap();
    assert_eq!(
        answer.status, 400,
        "the event lies an hour ahead of the skewed clock"
    );
    assert_eq!(answer.header("date"), Some("Sun, 01 Mar 2026 13:36:22 GMT"));
    assert_eq!(create(&server).unwrap().status, 201);
}

#[test]
fn rules_can_be_bound_to_one_session() {
    let server = start();
    let rule = FaultRule {
        session_id: Some("t".into()),
        ..FaultRule::always("CreateEvent", FaultAction::Throttle)
    };
    server.emulator.set_faults(FaultPlan {
        seed: 0,
        rules: vec![rule],
    });
    assert_eq!(create(&server).unwrap().status, 201);
    let mut body = event(0);
    body["sessionId"] = json!("t");
    assert_eq!(server.create(&body).status, 429);
}

#[test]
fn plans_can_be_put_read_and_taken_away_over_http() {
    let server = start();
    let plan = json!({"seed": 3, "rules": [{"operation": "*", "every": 2, "action": "error500"}]});
    assert_eq!(server.call("PUT", "/_emulator/faults", &plan).status, 200);
    assert_eq!(server.get("/_emulator/faults").json(), plan);
    let statuses: Vec<u16> = (0..4).map(|_| create(&server).unwrap().status).collect();
    assert_eq!(statuses, [201, 500, 201, 500]);
    assert_eq!(
        server
            .call("DELETE", "/_emulator/faults", &json!({}))
            .status,
        200
    );
    assert!((0..4).all(|_| create(&server).unwrap().status == 201));
    let bad = server.call(
        "PUT",
        "/_emulator/faults",
        &json!({"rules": [{"operation": "*", "action": "explode"}]}),
    );
    assert_eq!(bad.status, 400);
    assert!(bad.message().contains("explode"), "{}", bad.message());
}

#[test]
fn the_call_log_tells_what_happened() {
    let server = start();
    let mut body = event(0);
    body["clientToken"] = json!("tok");
    server.create(&body);
    server.list(&json!({}));
    server.get("/nothing");
    let calls = server.get("/_emulator/calls").json();
    assert_eq!(
        calls["counts"],
        json!({"CreateEvent": 1, "ListEvents": 1, "Unknown": 1})
    );
    let mut first = calls["log"][0].clone();
    assert_eq!(first["at"], support::NOW);
    first.as_object_mut().unwrap().remove("at");
    assert_eq!(
        first,
        json!({"operation": "CreateEvent", "memoryId": DEFAULT_MEMORY_ID, "actorId": "a", "sessionId": "s",
               "status": 201, "clientToken": "tok", "answered": true})
    );
    server.call("DELETE", "/_emulator/calls", &json!({}));
    assert_eq!(server.get("/_emulator/calls").json()["counts"], json!({}));
}

#[test]
fn the_clock_is_moved_over_http() {
    let server = start();
    let moved = server
        .post("/_emulator/clock", &json!({"advanceMs": 5_000}))
        .json();
    assert_eq!(moved, json!({"nowMs": support::NOW + 5_000, "fixed": true}));
    assert_eq!(
        server
            .post("/_emulator/clock", &json!({"fixedMs": 7}))
            .json()["nowMs"],
        7
    );
    for bad in [
        json!({}),
        json!({"advanceMs": -1}),
        json!({"advanceMs": "x"}),
    ] {
        assert_eq!(server.post("/_emulator/clock", &bad).status, 400, "{bad}");
    }
}

#[test]
fn stored_events_can_be_tampered_with_and_dropped() {
    let server = start();
    let (kept, dropped) = (server.write(0, &json!({})), server.write(-1, &json!({})));
    let path = |id: &str| {
        format!(
            "/_emulator/events/{DEFAULT_MEMORY_ID}/a/s/{}",
            id.replace('#', "%23")
        )
    };
    let change = json!({"payload": [{"blob": "forged"}], "metadata": {"k": {"stringValue": "v"}}});
    assert_eq!(server.call("PUT", &path(&kept), &change).status, 200);
    assert_eq!(
        server.call("DELETE", &path(&dropped), &json!({})).status,
        200
    );
    assert_eq!(server.get(&path(&dropped)).status, 404);
    let page = server.list(&json!({}));
    assert_eq!(ids(&page), std::slice::from_ref(&kept));
    assert_eq!(page["events"][0]["payload"], json!([{"blob": "forged"}]));
    assert_eq!(
        page["events"][0]["metadata"],
        json!({"k": {"stringValue": "v"}})
    );
    assert!(
        server
            .emulator
            .tamper_event(DEFAULT_MEMORY_ID, "a", "s", &kept, &json!([]))
    );
    assert_eq!(server.list(&json!({}))["events"][0]["payload"], json!([]));
    assert!(
        server
            .emulator
            .drop_event(DEFAULT_MEMORY_ID, "a", "s", &kept)
    );
    assert!(
        !server
            .emulator
            .drop_event(DEFAULT_MEMORY_ID, "a", "s", &kept)
    );
    assert_eq!(server.list(&json!({}))["events"], Value::Array(vec![]));
}
