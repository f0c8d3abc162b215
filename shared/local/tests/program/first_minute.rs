//! The program as its user meets it.

use std::net::TcpListener;
use std::time::Duration;

use serde_json::json;

use crate::running::{Running, command, commands, paste};

#[test]
fn the_printed_commands_store_a_turn_and_load_it() {
    let running = Running::start(&["--ephemeral"]);
    let lines = commands(&running.greeting);
    let [store, load] = lines.as_slice() else {
        panic!("{lines:?}")
    };
    let stored = paste(store);
    assert_eq!(stored["stored"], 2, "{stored}");
    let loaded = paste(load);
    assert_eq!(
        loaded["messages"][0]["content"][0]["text"],
        "My name is Ada."
    );
    assert_eq!(loaded["messages"][1]["role"], "assistant");
    assert_eq!(loaded["head"], stored["head"]);
    assert!(running.greeting.lines().count() < 15, "a few lines");
}

#[test]
fn a_taken_port_is_named_with_its_flag() {
    for flag in ["--port", "--emulator-port", "--dynamodb-port"] {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port().to_string();
        let output = command(&["--ephemeral", flag, &port]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(
            said.contains(&format!("port {port}")) && said.contains(&format!("with {flag} ")),
            "{said}"
        );
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn two_runs_do_not_share_their_data() {
    let directory = tempfile::tempdir().unwrap();
    let _first = Running::keeping(directory.path());
    let output = command(&["--data", directory.path().to_str().unwrap()])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("another run may be using the same --data"),
        "{said}"
    );
}

#[test]
fn it_ends_in_order_when_told_to() {
    for signal in ["INT", "TERM"] {
        let directory = tempfile::tempdir().unwrap();
        let mut running = Running::keeping(directory.path());
        let store = commands(&running.greeting)[0].to_owned();
        assert_eq!(paste(&store)["stored"], 2);
        running.signal(signal);
        let status = running.ended(Duration::from_secs(10));
        assert!(status.success(), "{signal}: {status}");
        let running = Running::keeping(directory.path());
        assert_eq!(
            paste(commands(&running.greeting)[1])["messages"]
                .as_array()
                .unwrap()
                .len(),
            2
        );
    }
}

#[test]
fn help_names_every_flag() {
    let output = command(&["--help"]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    for flag in [
        "--port",
        "--emulator-port",
        "--dynamodb-port",
        "--data",
        "--ephemeral",
        "--logs",
        "--model",
        "--concurrency",
    ] {
        assert!(said.contains(flag), "{flag}");
    }
}

#[test]
fn the_caller_is_who_it_says_and_nobody_else() {
    let running = Running::start(&["--ephemeral"]);
    let url = running.url();
    let status = |line: &str| paste(&format!("curl -s {url}{line}"))["status"].clone();
    assert_eq!(status("/v1/actors/me/sessions/s"), 401);
    assert_eq!(status("/v1/actors/me/sessions/s -H 'x-actor-id: you'"), 403);
    // {"alg":"none"} and {"sub":"me"}, then {"alg":"RS256"} with a signature nobody can check.
    let unsigned = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtZSJ9.";
    let signed = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtZSJ9.c2ln";
    let token = |token: &str, actor: &str| {
        paste(&format!(
            "curl -s {url}/v1/actors/{actor}/sessions/s -H 'authorization: Bearer {token}'"
        ))
    };
    assert_eq!(token(unsigned, "me")["messages"], json!([]));
    assert_eq!(token(unsigned, "you")["status"], 403);
    assert_eq!(token(signed, "me")["status"], 401);
}

#[test]
fn logs_are_shown_on_demand_and_hold_no_content() {
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut process = command(&["--ephemeral", "--logs"])
        .stdout(std::process::Stdio::piped())
        .stderr(log.reopen().unwrap())
        .spawn()
        .unwrap();
    let mut greeting = String::new();
    let mut lines = std::io::BufReader::new(process.stdout.take().unwrap());
    while commands(&greeting).len() < 2 {
        std::io::BufRead::read_line(&mut lines, &mut greeting).unwrap();
    }
    for line in commands(&greeting) {
        paste(line);
    }
    process.kill().unwrap();
    process.wait().unwrap();
    let said = std::fs::read_to_string(log.path()).unwrap();
    assert!(
        said.contains("turn stored") && said.contains("conversation loaded"),
        "{said}"
    );
    assert!(!said.contains("Ada"), "{said}");
}
