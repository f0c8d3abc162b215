//! Bad input of any kind gets an answer: never a panic, never a connection closed in silence.
// Helper functions of a test may fail it.
#![allow(clippy::unwrap_used)]

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use emulator::DEFAULT_MEMORY_ID;
use serde_json::{Value, json};
use support::{event, start, text};

#[test]
fn bodies_that_are_not_json_objects_are_400() {
    let server = start();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let deep_blob = format!(
        r#"{{"actorId":"a","sessionId":"s","eventTimestamp":1,"payload":[{{"blob":{}1{}}}]}}"#,
        "[".repeat(500),
        "]".repeat(500)
    );
    let bodies: [&[u8]; 12] = [
        b"{",
        b"nonsense",
        b"[]",
        b"\"text\"",
        b"1",
        b"null",
        b"{\"a\":\xff}",
        b"{\"a\":1}}",
        b"\0\0\0",
        b"{\"actorId\":\"\\ud800\"}",
        deep.as_bytes(),
        deep_blob.as_bytes(),
    ];
    for body in bodies {
        for path in [
            "events",
            "actors",
            "actor/a/sessions",
            "actor/a/sessions/s",
            "memoryRecords",
            "retrieve",
        ] {
            let path = format!("/memories/{DEFAULT_MEMORY_ID}/{path}");
            let answer = server.try_call("POST", &path, body).unwrap();
            let start = String::from_utf8_lossy(&body[..body.len().min(20)]).into_owned();
            assert_eq!(
                (answer.status, answer.error()),
                (400, "ValidationException"),
                "{path} {start}"
            );
            assert_eq!(answer.json()["reason"], "CannotParse");
        }
    }
}

#[test]
fn members_of_the_wrong_kind_are_400() {
    let server = start();
    let wrong = [
        ("actorId", json!(5)),
        ("actorId", json!([])),
        ("sessionId", json!({})),
        ("eventTimestamp", json!("2026-01-01")),
        ("eventTimestamp", json!(true)),
        ("eventTimestamp", json!(-1)),
        ("payload", json!({})),
        ("payload", json!("x")),
        ("payload", json!([1])),
        ("payload", json!([[]])),
        ("branch", json!("b")),
        ("branch", json!({"name": 1})),
        ("branch", json!({})),
        ("metadata", json!([])),
        ("metadata", json!({"k": "v"})),
        ("metadata", json!({"k": {}})),
        ("metadata", json!({"k": {"stringValue": 1}})),
        ("metadata", json!({"a#b": {"stringValue": "x"}})),
        ("metadata", json!({"k": {"stringValue": "{json}"}})),
        ("clientToken", json!(1)),
        ("extractionMode", json!("ALL")),
        ("actorId", json!("a@b")),
        ("actorId", json!("")),
        ("sessionId", json!("a|b")),
        ("sessionId", json!("s".repeat(101))),
        ("actorId", json!("a".repeat(256))),
        ("branch", json!({"name": "b", "rootEventId": "nonsense"})),
    ];
    for (name, value) in wrong {
        let mut body = event(0);
        body[name] = value.clone();
        let answer = server.create(&body);
        assert_eq!(
            (answer.status, answer.error()),
            (400, "ValidationException"),
            "{name}: {value}"
        );
        assert!(!answer.message().is_empty());
    }
    let many: serde_json::Map<String, Value> = (0..16)
        .map(|n| (format!("k{n}"), json!({"stringValue": "v"})))
        .collect();
    let mut body = event(0);
    body["metadata"] = Value::Object(many);
    assert_eq!(server.create(&body).status, 400);
    assert!(
        support::ids(&server.list(&json!({}))).is_empty(),
        "nothing was stored"
    );
}

#[test]
fn times_beyond_any_calendar_are_400() {
    let server = start();
    for number in [
        "1e400",
        "1e19",
        "-0.001",
        "99999999999999999999999999",
        "1752235548123",
        "1e308",
    ] {
        let body = event(0).to_string().replace("1772375782.346", number);
        let path = format!("/memories/{DEFAULT_MEMORY_ID}/events");
        let answer = server.try_call("POST", &path, body.as_bytes()).unwrap();
        assert_eq!(answer.status, 400, "{number}");
    }
}

#[test]
fn listings_refuse_bad_options() {
    let server = start();
    let path = format!("/memories/{DEFAULT_MEMORY_ID}/actor/a/sessions/s");
    let expression = |value: Value| json!({"filter": {"eventMetadata": [value]}});
    for body in [
        json!({"maxResults": 0}),
        json!({"maxResults": -5}),
        json!({"maxResults": "5"}),
        json!({"maxResults": 1.5}),
        json!({"maxResults": 9_999_999_999_i64}),
        json!({"nextToken": 5}),
        json!({"includePayloads": "yes"}),
        json!({"filter": []}),
        json!({"filter": {"branch": {}}}),
        json!({"filter": {"branch": {"name": "a/b"}}}),
        json!({"filter": {"eventMetadata": []}}),
        json!({"filter": {"eventMetadata": [1]}}),
        expression(json!({})),
        expression(json!({"left": {"metadataKey": "k"}, "operator": "LIKE"})),
        expression(json!({"left": {"metadataKey": "k"}, "operator": "EQUALS_TO"})),
        expression(
            json!({"left": {"metadataKey": "k"}, "operator": "EXISTS", "right": {"metadataValue": {"stringValue": "x"}}}),
        ),
        json!({"filter": {"eventMetadata": vec![json!({"left": {"metadataKey": "k"}, "operator": "EXISTS"}); 6]}}),
    ] {
        let answer = server.post(&path, &body);
        assert_eq!(
            (answer.status, answer.error()),
            (400, "ValidationException"),
            "{body}"
        );
    }
}

#[test]
fn paths_that_name_nothing_are_404() {
    let server = start();
    for (method, path) in [
        ("GET", "/"),
        ("POST", "/memories/x/y/z"),
        ("PATCH", "/memories/create"),
        ("GET", "/memories"),
        ("DELETE", "/memories/local-0000000000/events"),
        ("POST", "/model/x/y"),
        ("POST", "//"),
        ("POST", "/%2F"),
        ("GET", "/_emulator/nothing"),
        ("OPTIONS", "/memories/create"),
    ] {
        let answer = server.try_call(method, path, b"{}").unwrap();
        assert_eq!(
            (answer.status, answer.error()),
            (404, "UnknownOperationException"),
            "{method} {path}"
        );
    }
}

#[test]
fn malformed_percent_encodings_are_400() {
    let server = start();
    for path in [
        "/memories/%zz/events",
        "/memories/%f/events",
        "/memories/%ff%fe/events",
        "/memories/a%/events",
    ] {
        assert_eq!(
            server.try_call("POST", path, b"{}").unwrap().status,
            400,
            "{path}"
        );
    }
}

#[test]
fn labels_with_bad_characters_are_400() {
    let server = start();
    for path in [
        "actor/a%40b/sessions/s",
        "actor/a/sessions/s%00",
        "actor/a/sessions/s%0A",
        "actor//sessions/s",
        "actor/a/sessions/a%2Fb",
    ] {
        let answer = server.post(&format!("/memories/{DEFAULT_MEMORY_ID}/{path}"), &json!({}));
        assert_eq!(
            (answer.status, answer.error()),
            (400, "ValidationException"),
            "{path}"
        );
    }
}

#[test]
fn operations_that_are_not_emulated_say_so() {
    let server = start();
    let memory = format!("/memories/{DEFAULT_MEMORY_ID}");
    for (method, path) in [
        ("POST", format!("{memory}/ingest")),
        ("GET", format!("{memory}/memoryRecord/mem-1?namespace=n")),
        ("DELETE", format!("{memory}/memoryRecords/mem-1")),
        ("POST", format!("{memory}/memoryRecords/batchUpdate")),
        ("POST", format!("{memory}/memoryRecords/batchDelete")),
        ("POST", format!("{memory}/extractionJobs/start")),
        ("POST", format!("{memory}/extractionJobs")),
        ("POST", "/model/m/converse-stream".to_owned()),
        ("POST", "/model/m/invoke".to_owned()),
        ("POST", "/model/m/count-tokens".to_owned()),
    ] {
        let answer = server.try_call(method, &path, b"{}").unwrap();
        assert_eq!(
            (answer.status, answer.error()),
            (501, "NotEmulatedException"),
            "{path}"
        );
    }
}

#[test]
fn broken_http_gets_an_answer_too() {
    let server = start();
    for request in [
        "NONSENSE\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "POST / HTTP/1.1\r\ncontent-length: x\r\n\r\n",
        "GET /\u{1} HTTP/1.1\r\n\r\n",
    ] {
        let answer = support::send(server.emulator.addr(), request.as_bytes()).unwrap();
        assert_eq!(answer.status, 400, "{request:?}");
    }
    let long = format!("GET /{} HTTP/1.1\r\nhost: x\r\n\r\n", "x".repeat(70_000));
    assert_eq!(
        support::send(server.emulator.addr(), long.as_bytes())
            .unwrap()
            .status,
        414
    );
}

#[test]
fn a_client_that_closes_its_sending_side_still_gets_its_answer() {
    let server = start();
    let mut stream = TcpStream::connect(server.emulator.addr()).unwrap();
    stream
        .write_all(b"POST /memories/ HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}")
        .unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn a_client_that_goes_away_in_the_middle_of_a_body_leaves_no_trace() {
    let server = start();
    let mut stream = TcpStream::connect(server.emulator.addr()).unwrap();
    let body = event(0).to_string();
    let head = format!(
        "POST /memories/{DEFAULT_MEMORY_ID}/events HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream
        .write_all(&body.as_bytes()[..body.len() / 2])
        .unwrap();
    drop(stream);
    std::thread::sleep(Duration::from_millis(100));
    assert!(support::ids(&server.list(&json!({}))).is_empty());
}

#[test]
fn chunked_oversize_bodies_are_413() {
    let server = start_with_small_limit();
    let mut request =
        format!("POST /memories/{DEFAULT_MEMORY_ID}/events HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n")
            .into_bytes();
    for _ in 0..40 {
        request.extend_from_slice(format!("400\r\n{}\r\n", "x".repeat(0x400)).as_bytes());
    }
    request.extend_from_slice(b"0\r\n\r\n");
    let answer = support::send(server.emulator.addr(), &request).unwrap();
    assert_eq!((answer.status, answer.body.len()), (413, 0));
}

fn start_with_small_limit() -> support::Server {
    support::start_with(|options| options.switches.max_body_bytes = 10_000)
}

#[test]
fn random_bytes_in_every_place_never_get_a_500() {
    let server = start();
    let mut state = 1_u64;
    let mut noise = |length: usize| -> Vec<u8> {
        (0..length)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                u8::try_from(state >> 56).unwrap()
            })
            .collect()
    };
    let valid = event(0).to_string().into_bytes();
    let paths = [
        "events",
        "actors",
        "actor/a/sessions/s",
        "memoryRecords/batchCreate",
        "retrieve",
    ];
    for round in 0..300 {
        let mut body = valid.clone();
        let at = usize::from(noise(1)[0]) % body.len();
        body.splice(at..(at + 3).min(valid.len()), noise(3));
        let path = format!(
            "/memories/{DEFAULT_MEMORY_ID}/{}",
            paths[round % paths.len()]
        );
        let answer = server.try_call("POST", &path, &body).unwrap();
        assert!(answer.status < 500, "{answer:?}");
    }
}

#[test]
fn texts_with_every_kind_of_character_come_back_unchanged() {
    let server = start();
    for sample in [
        "\u{0}\u{1}\u{7f}",
        "\"\\/\u{8}\u{c}\n\r\t",
        "😀 é 中 \u{2028}\u{feff}",
        "</script>",
        "{a=b}",
    ] {
        server.write(
            0,
            &json!({"sessionId": "chars", "payload": [text(sample), {"blob": sample}]}),
        );
        let page = server
            .post(
                &format!("/memories/{DEFAULT_MEMORY_ID}/actor/a/sessions/chars"),
                &json!({}),
            )
            .json();
        let found = page["events"]
            .as_array()
            .unwrap()
            .iter()
            .any(|event| event["payload"] == json!([text(sample), {"blob": sample}]));
        assert!(found, "{sample:?}");
    }
}
