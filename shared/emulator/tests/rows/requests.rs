//! Rows 1 to 4: paths, order of checks, what a write answers, ids.

use std::collections::HashSet;

use emulator::{DEFAULT_MEMORY_ID, MemoryIdEcho};
use serde_json::json;

use crate::support::{event, ids, start, start_with, text};

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
