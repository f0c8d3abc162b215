//! One test per row of the check list for a faithful emulator, on the wire. The test's name carries the row.
// Helper functions of a test may fail it.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::HashSet;
use std::time::Duration;

use emulator::{DEFAULT_MEMORY_ID, MemoryIdEcho, TieOrder};
use serde_json::{Value, json};
use support::{NOW, event, ids, start, start_with, text};

const ARN: &str =
    "arn%3Aaws%3Abedrock-agentcore%3Aus-east-1%3A123456789012%3Amemory%2Flocal-0000000000";

#[test]
fn row_01_paths_are_split_raw_and_decoded_per_segment() {
    let server = start();
    let mut body = event(0);
    body["actorId"] = json!("tenant:a/user-1");
    let id = server.create(&body).json()["event"]["eventId"]
        .as_str()
        .unwrap()
        .replace('#', "%23");
    let session = format!("/memories/{DEFAULT_MEMORY_ID}/actor/tenant%3Aa%2Fuser-1/sessions/s");
    assert_eq!(ids(&server.post(&session, &json!({})).json()).len(), 1);
    let found = server.get(&format!("{session}/events/{id}"));
    assert_eq!(found.status, 200);
    assert_eq!(found.json()["event"]["actorId"], "tenant:a/user-1");
    let unencoded = format!("/memories/{DEFAULT_MEMORY_ID}/actor/tenant:a/user-1/sessions/s");
    assert_eq!(
        server.post(&unencoded, &json!({})).error(),
        "UnknownOperationException"
    );
}

#[test]
fn row_01_a_memory_arn_is_accepted_for_its_id() {
    for (echo, shown) in [
        (MemoryIdEcho::Id, "local-0000000000"),
        (
            MemoryIdEcho::AsGiven,
            "arn:aws:bedrock-agentcore:us-east-1:123456789012:memory/local-0000000000",
        ),
    ] {
        let server = start_with(|options| options.switches.memory_id_echo = echo);
        let created = server.post(&format!("/memories/{ARN}/events"), &event(0));
        assert_eq!(created.status, 201);
        assert_eq!(created.json()["event"]["memoryId"], shown);
        assert_eq!(ids(&server.list(&json!({}))).len(), 1);
    }
}

#[test]
fn row_02_form_is_checked_before_existence() {
    let server = start();
    let unknown = "/memories/nothere-0123456789/events";
    let malformed = server.post("/memories/short/events", &event(0));
    assert_eq!(
        (malformed.status, malformed.error()),
        (400, "ValidationException")
    );
    assert!(malformed.message().starts_with("Invalid memoryId"));
    let missing = server.post(unknown, &event(0));
    assert_eq!(
        (missing.status, missing.error()),
        (404, "ResourceNotFoundException")
    );
    assert!(missing.message().starts_with("Memory not found"));
    let both = server.post(unknown, &json!({}));
    assert_eq!(both.error(), "ValidationException");
    assert_eq!(both.json()["reason"], "FieldValidationFailed");
    assert_eq!(
        both.json()["fieldList"].as_array().unwrap().len(),
        3,
        "actor, time and payload are missing"
    );
}

#[test]
fn row_02_a_branch_is_looked_at_after_the_memory() {
    let server = start();
    let mut body = event(0);
    body["branch"] = json!({"name": "new"});
    assert_eq!(
        server
            .post("/memories/nothere-0123456789/events", &body)
            .status,
        404
    );
    assert_eq!(server.create(&body).status, 400);
}

#[test]
fn row_03_create_answers_201_and_echoes_all_fields() {
    let server = start();
    let mut body = event(0);
    body["metadata"] = json!({"k": {"stringValue": "v 1"}});
    body["clientToken"] = json!("t");
    body["extractionMode"] = json!("SKIP");
    let answer = server.create(&body);
    assert_eq!(answer.status, 201);
    let mut shown = answer.json()["event"].clone();
    shown.as_object_mut().unwrap().remove("eventId").unwrap();
    assert_eq!(
        shown,
        json!({
            "memoryId": DEFAULT_MEMORY_ID, "actorId": "a", "sessionId": "s",
            "eventTimestamp": body["eventTimestamp"], "payload": [text("hi")],
            "branch": {"name": "main"}, "metadata": {"k": {"stringValue": "v 1"}},
        })
    );
}

#[test]
fn row_03_a_session_id_is_made_up_as_a_uuid() {
    let server = start();
    let mut body = event(0);
    body.as_object_mut().unwrap().remove("sessionId");
    let made_up: HashSet<String> = (0..3)
        .map(|_| {
            server.create(&body).json()["event"]["sessionId"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert_eq!(made_up.len(), 3);
    assert!(
        made_up
            .iter()
            .all(|id| id.len() == 36 && id.split('-').count() == 5),
        "{made_up:?}"
    );
}

#[test]
fn row_03_an_empty_payload_is_taken_and_an_absent_one_is_not() {
    let server = start();
    let mut body = event(0);
    body["payload"] = json!([]);
    assert_eq!(server.create(&body).json()["event"]["payload"], json!([]));
    body.as_object_mut().unwrap().remove("payload");
    assert_eq!(server.create(&body).status, 400);
}

#[test]
fn row_04_ids_carry_the_callers_time_floored_to_the_millisecond() {
    let server = start();
    let table = [
        ("1772375782.346", "0000001772375782346#", "1772375782.346"),
        (
            "1772375782.346999999",
            "0000001772375782346#",
            "1772375782.346",
        ),
        ("1772375782", "0000001772375782000#", "1772375782"),
        ("1772375782.12", "0000001772375782120#", "1772375782.120"),
        ("1.772375782346E9", "0000001772375782346#", "1772375782.346"),
    ];
    for (sent, prefix, returned) in table {
        let mut body = event(0);
        body["eventTimestamp"] = serde_json::from_str(sent).unwrap();
        let shown = server.create(&body).json()["event"].clone();
        let id = shown["eventId"].as_str().unwrap();
        assert!(id.starts_with(prefix), "{sent}: {id}");
        assert_eq!(id.len(), 28);
        assert!(
            id[20..]
                .bytes()
                .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)),
            "{id}"
        );
        assert_eq!(shown["eventTimestamp"].to_string(), returned, "{sent}");
    }
}

#[test]
fn row_05_lists_newest_first_whatever_the_order_of_writes() {
    let server = start();
    for offset in [-5, 0, -9, -1] {
        server.write(offset, &json!({}));
    }
    let listed = ids(&server.list(&json!({})));
    assert!(listed.is_sorted_by(|a, b| a > b), "{listed:?}");
}

#[test]
fn row_05_ties_come_in_arbitrary_order() {
    let server = start();
    let written: Vec<String> = (0..8).map(|_| server.write(0, &json!({}))).collect();
    let orders: HashSet<Vec<String>> = (0..10).map(|_| ids(&server.list(&json!({})))).collect();
    assert!(orders.len() > 1, "a new order for each listing");
    for order in &orders {
        assert_eq!(
            order.iter().collect::<HashSet<_>>(),
            written.iter().collect::<HashSet<_>>()
        );
    }
    let stable = start_with(|options| options.switches.tie_order = TieOrder::Stable);
    let written: Vec<String> = (0..8).map(|_| stable.write(0, &json!({}))).collect();
    let first = ids(&stable.list(&json!({})));
    assert_eq!(first, ids(&stable.list(&json!({}))));
    let reversed: Vec<String> = written.into_iter().rev().collect();
    assert_ne!(first, reversed, "ties do not follow the order of writes");
}

#[test]
fn row_06_pages_are_twenty_by_default_and_go_on_by_token() {
    let server = start();
    for offset in 0..45 {
        server.write(-offset, &json!({}));
    }
    let mut seen = Vec::new();
    let mut sizes = Vec::new();
    let mut request = json!({});
    loop {
        let page = server.list(&request);
        sizes.push(ids(&page).len());
        seen.extend(ids(&page));
        let Some(token) = page.get("nextToken") else {
            break;
        };
        request["nextToken"] = token.clone();
    }
    assert_eq!(sizes, [20, 20, 5]);
    assert!(seen.is_sorted_by(|a, b| a > b));
    let refused = server.post(
        &format!("/memories/{DEFAULT_MEMORY_ID}/actor/a/sessions/s"),
        &json!({"maxResults": 101}),
    );
    assert_eq!(refused.error(), "ValidationException");
    assert!(
        refused.message().contains("less than or equal to 100"),
        "{}",
        refused.message()
    );
}

#[test]
fn row_06_filters_follow_the_scan_so_a_page_may_be_empty_and_go_on() {
    let server = start();
    let wanted = server.write(
        -50,
        &json!({"metadata": {"kind": {"stringValue": "state"}}}),
    );
    for offset in 0..12 {
        server.write(-offset, &json!({}));
    }
    let filter = json!({"eventMetadata": [{
        "left": {"metadataKey": "kind"}, "operator": "EQUALS_TO",
        "right": {"metadataValue": {"stringValue": "state"}},
    }]});
    let mut request = json!({"maxResults": 5, "filter": filter});
    let mut found = Vec::new();
    for _ in 0..3 {
        let page = server.list(&request);
        found.push(ids(&page));
        request["nextToken"] = page.get("nextToken").cloned().unwrap_or_default();
    }
    assert_eq!(found, [vec![], vec![], vec![wanted]]);
    assert_eq!(
        request["nextToken"],
        Value::Null,
        "no token after the last page"
    );
}

#[test]
fn row_06_metadata_expressions_combine() {
    let server = start();
    let both = server.write(
        0,
        &json!({"metadata": {"a": {"stringValue": "1"}, "b": {"stringValue": "2"}}}),
    );
    let one = server.write(-1, &json!({"metadata": {"a": {"stringValue": "1"}}}));
    let none = server.write(-2, &json!({}));
    let exists =
        |key: &str, operator: &str| json!({"left": {"metadataKey": key}, "operator": operator});
    let list =
        |expressions: Value| ids(&server.list(&json!({"filter": {"eventMetadata": expressions}})));
    assert_eq!(
        list(json!([exists("a", "EXISTS")])),
        [both.clone(), one.clone()]
    );
    assert_eq!(
        list(json!([exists("a", "EXISTS"), exists("b", "NOT_EXISTS")])),
        [one]
    );
    assert_eq!(list(json!([exists("a", "NOT_EXISTS")])), [none]);
    let branch = json!({"branch": {"name": "main"}, "eventMetadata": [exists("b", "EXISTS")]});
    assert_eq!(ids(&server.list(&json!({"filter": branch}))), [both]);
}

#[test]
fn row_06_large_answers_are_cut_short_with_a_token() {
    let server = start_with(|options| options.switches.max_list_bytes = Some(3_000));
    for offset in 0..5 {
        server.write(-offset, &json!({"payload": [text(&"x".repeat(1_000))]}));
    }
    let first = server.list(&json!({"maxResults": 100}));
    assert_eq!(ids(&first).len(), 2);
    let second = server.list(&json!({"maxResults": 100, "nextToken": first["nextToken"]}));
    assert_eq!(ids(&second).len(), 2);
    let third = server.list(&json!({"maxResults": 100, "nextToken": second["nextToken"]}));
    assert_eq!((ids(&third).len(), third.get("nextToken")), (1, None));
}

#[test]
fn row_06_a_token_of_another_listing_is_refused() {
    let server = start();
    for offset in 0..3 {
        server.write(-offset, &json!({}));
    }
    let token = server.list(&json!({"maxResults": 1}))["nextToken"].clone();
    let other = format!("/memories/{DEFAULT_MEMORY_ID}/actor/a/sessions/other");
    for bad in [token, json!("made up"), json!("")] {
        let answer = server.post(&other, &json!({"nextToken": bad}));
        assert_eq!(answer.error(), "ValidationException", "{answer:?}");
    }
}

#[test]
fn row_07_payloads_come_unless_they_are_turned_off() {
    let server = start();
    server.write(0, &json!({}));
    assert_eq!(
        server.list(&json!({}))["events"][0]["payload"],
        json!([text("hi")])
    );
    assert_eq!(
        server.list(&json!({"includePayloads": true}))["events"][0]["payload"],
        json!([text("hi")])
    );
    let without = server.list(&json!({"includePayloads": false}));
    assert_eq!(without["events"][0].get("payload"), None);
    assert_eq!(without["events"][0]["branch"], json!({"name": "main"}));
}

#[test]
fn row_08_a_branch_lists_its_ancestors_up_to_each_root() {
    let server = start();
    let on = |offset: i64, name: &str, root: Option<&String>| {
        let branch = root.map_or_else(
            || json!({"name": name}),
            |root| json!({"name": name, "rootEventId": root}),
        );
        server.write(offset, &json!({"branch": branch}))
    };
    let m1 = server.write(-100, &json!({}));
    let m2 = server.write(-90, &json!({}));
    let m3 = server.write(-80, &json!({}));
    let b1 = on(-70, "b", Some(&m2));
    let b2 = on(-60, "b", None);
    let b3 = on(-50, "b", Some(&m2));
    let c1 = on(-40, "c", Some(&b2));
    let list = |branch: Value| ids(&server.list(&json!({"filter": {"branch": branch}})));
    let c_line = [&c1, &b2, &b1, &m2, &m1].map(Clone::clone);
    assert_eq!(
        list(json!({"name": "c"})),
        c_line,
        "parents are included by default"
    );
    assert_eq!(
        list(json!({"name": "c", "includeParentBranches": true})),
        c_line
    );
    assert_eq!(
        list(json!({"name": "c", "includeParentBranches": false})),
        std::slice::from_ref(&c1)
    );
    assert_eq!(
        list(json!({"name": "b"})),
        [&b3, &b2, &b1, &m2, &m1].map(Clone::clone)
    );
    assert_eq!(
        list(json!({"name": "main"})),
        [&m3, &m2, &m1].map(Clone::clone)
    );
    assert_eq!(list(json!({"name": "unknown"})), [""; 0]);
    assert_eq!(
        ids(&server.list(&json!({}))).len(),
        7,
        "no filter lists all branches"
    );
}

#[test]
fn row_08_roots_must_be_events_of_the_session() {
    let server = start();
    let root = server.write(0, &json!({}));
    let other = server.write(0, &json!({"sessionId": "other"}));
    let refuse = |branch: Value| {
        let mut body = event(1);
        body["branch"] = branch;
        let answer = server.create(&body);
        (
            answer.status,
            answer
                .json()
                .get("reason")
                .and_then(Value::as_str)
                .unwrap_or("")
                .to_owned(),
        )
    };
    assert_eq!(
        refuse(json!({"name": "b"})),
        (400, "FieldValidationFailed".to_owned())
    );
    assert_eq!(
        refuse(json!({"name": "b", "rootEventId": other})),
        (400, "EventInOtherSession".to_owned())
    );
    assert_eq!(
        refuse(json!({"name": "b", "rootEventId": "0000000000000000001#00000001"})).0,
        404
    );
    assert_eq!(refuse(json!({"name": "main", "rootEventId": root})).0, 400);
    server.write(1, &json!({"branch": {"name": "b", "rootEventId": root}}));
    let second = server.write(2, &json!({}));
    assert_eq!(
        refuse(json!({"name": "b", "rootEventId": second})),
        (400, "ResourceConflict".to_owned())
    );
}

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
    let answer = support::send(server.emulator.addr(), head.as_bytes()).unwrap();
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

#[test]
fn row_12_filtered_listings_can_lag_behind() {
    let server = start_with(|options| options.switches.filtered_lag_ms = 1_000);
    server.write(0, &json!({"metadata": {"k": {"stringValue": "v"}}}));
    let filter = json!({"eventMetadata": [{"left": {"metadataKey": "k"}, "operator": "EXISTS"}]});
    assert_eq!(ids(&server.list(&json!({}))).len(), 1);
    assert_eq!(ids(&server.list(&json!({"filter": filter}))).len(), 0);
    server.emulator.advance_clock(Duration::from_secs(1));
    assert_eq!(ids(&server.list(&json!({"filter": filter}))).len(), 1);
}

#[test]
fn row_12_events_expire_by_the_clock() {
    let server = start();
    let id = server.write(0, &json!({}));
    server
        .emulator
        .advance_clock(Duration::from_secs(7 * 86_400 - 1));
    assert_eq!(ids(&server.list(&json!({}))), std::slice::from_ref(&id));
    server.emulator.advance_clock(Duration::from_secs(1));
    assert_eq!(ids(&server.list(&json!({}))), [""; 0]);
    let path = format!(
        "/memories/{DEFAULT_MEMORY_ID}/actor/a/sessions/s/events/{}",
        id.replace('#', "%23")
    );
    assert_eq!(server.get(&path).status, 404);
}

#[test]
fn row_12_back_dated_events_expire_by_their_own_time_unless_told_otherwise() {
    let eight_days = -8 * 86_400_000;
    let server = start();
    server.write(eight_days, &json!({}));
    assert_eq!(ids(&server.list(&json!({}))).len(), 0);
    let kept =
        start_with(|options| options.switches.expiry_basis = emulator::ExpiryBasis::Creation);
    kept.write(eight_days, &json!({}));
    assert_eq!(ids(&kept.list(&json!({}))).len(), 1);
}

#[test]
fn row_12_times_far_ahead_are_refused_unless_told_otherwise() {
    let server = start();
    assert_eq!(server.create(&event(900_000)).status, 201);
    assert_eq!(server.create(&event(900_001)).status, 400);
    let open = start_with(|options| options.switches.max_future_seconds = None);
    assert_eq!(open.create(&event(i64::try_from(NOW).unwrap())).status, 201);
}
