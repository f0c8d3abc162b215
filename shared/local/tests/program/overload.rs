//! More than the program takes on.

use std::io::Write;
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::running::{Running, paste};

const LOAD: &str = "/v1/actors/me/sessions/s -H 'x-actor-id: me'";

#[test]
fn a_request_too_many_is_turned_away_and_the_next_one_served() {
    let running = Running::start(&["--ephemeral", "--concurrency", "1"]);
    let url = running.url();
    let host = url.strip_prefix("http://").unwrap();
    // A request whose body never comes takes the only place there is.
    let mut slow = TcpStream::connect(host).unwrap();
    let head =
        "POST /v1/actors/me/sessions/s/messages HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n";
    slow.write_all(head.as_bytes()).unwrap();
    let status = || paste(&format!("curl -s {url}{LOAD}"))["status"].as_u64();
    until(|| status() == Some(503));
    let headers = Command::new("bash")
        .args(["-c", &format!("curl -si {url}{LOAD}")])
        .output()
        .unwrap();
    let headers = String::from_utf8(headers.stdout).unwrap();
    assert!(headers.contains("retry-after: 1"), "{headers}");
    assert!(headers.contains("application/problem+json"), "{headers}");
    drop(slow);
    until(|| status().is_none());
}

#[test]
fn a_body_that_is_too_large_is_refused_and_others_go_on() {
    let running = Running::start(&["--ephemeral"]);
    let url = running.url();
    let store =
        format!("curl -s {url}/v1/actors/me/sessions/s/messages -H 'x-actor-id: me' -H 'expect:'");
    for megabytes in [7, 40] {
        let refused = paste(&format!(
            "head -c {megabytes}000000 /dev/zero | tr '\\0' ' ' | {store} --data-binary @-"
        ));
        assert_eq!(
            (&refused["status"], &refused["code"]),
            (&413.into(), &"request_too_large".into()),
            "{refused}"
        );
    }
    assert_eq!(
        paste(&format!("curl -s {url}{LOAD}"))["report"]["stored"],
        0
    );
}

#[test]
fn all_of_many_at_once_are_served_or_turned_away() {
    let running = Running::start(&["--ephemeral", "--concurrency", "4"]);
    let url = running.url();
    let many = format!(
        "for n in $(seq 1 60); do curl -s -o /dev/null -w '%{{http_code}}\\n' {url}{LOAD} & done; wait"
    );
    let output = Command::new("bash").args(["-c", &many]).output().unwrap();
    let codes = String::from_utf8(output.stdout).unwrap();
    assert_eq!(codes.lines().count(), 60, "{codes}");
    assert!(
        codes.lines().all(|code| ["200", "503"].contains(&code)),
        "{codes}"
    );
    assert!(codes.contains("200"), "{codes}");
    assert_eq!(
        paste(&format!("curl -s {url}{LOAD}"))["report"]["stored"],
        0
    );
}

fn until(is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "it does not come to that"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}
