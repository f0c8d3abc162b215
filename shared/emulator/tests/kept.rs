//! What is kept in a data directory, also when the process is killed.
// Helper functions of a test may fail it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod support;

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use emulator::DEFAULT_MEMORY_ID;
use serde_json::{Value, json};
use support::{call, ids, start_with, text};

struct Process {
    child: Child,
    address: SocketAddr,
}

impl Drop for Process {
    fn drop(&mut self) {
        // SIGKILL: nothing in the process gets a chance to tidy up.
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn spawn(directory: &Path) -> Process {
    let mut child = Command::new(env!("CARGO_BIN_EXE_emulator"))
        .args(["--port", "0", "--switches", "reported", "--data"])
        .arg(directory)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let first = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .next()
        .unwrap()
        .unwrap();
    let address = first
        .rsplit("http://")
        .next()
        .unwrap()
        .parse()
        .unwrap_or_else(|_| panic!("{first}"));
    Process { child, address }
}

fn now() -> u64 {
    u64::try_from(
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_millis(),
    )
    .unwrap()
}

fn create(address: SocketAddr, session: &str, label: &str) -> Option<Value> {
    let body = json!({
        "actorId": "a", "sessionId": session, "eventTimestamp": now() / 1000, "clientToken": label,
        "payload": [text(label)], "metadata": {"label": {"stringValue": label}},
    });
    let answer = call(
        address,
        "POST",
        &format!("/memories/{DEFAULT_MEMORY_ID}/events"),
        body.to_string().as_bytes(),
    )
    .ok()?;
    (answer.status == 201).then(|| answer.json()["event"].clone())
}

fn list_all(address: SocketAddr, session: &str) -> Vec<Value> {
    let path = format!("/memories/{DEFAULT_MEMORY_ID}/actor/a/sessions/{session}");
    let mut events = Vec::new();
    let mut request = json!({"maxResults": 100});
    loop {
        let page = call(address, "POST", &path, request.to_string().as_bytes())
            .unwrap()
            .json();
        events.extend(page["events"].as_array().unwrap().clone());
        let Some(token) = page.get("nextToken") else {
            return events;
        };
        request["nextToken"] = token.clone();
    }
}

#[test]
fn a_killed_process_loses_nothing_that_was_acknowledged() {
    let directory = tempfile::tempdir().unwrap();
    let mut acknowledged: Vec<Value> = Vec::new();
    for round in 0..3 {
        let process = spawn(directory.path());
        let stop = AtomicBool::new(false);
        let address = process.address;
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..4)
                .map(|writer| {
                    let stop = &stop;
                    scope.spawn(move || {
                        let labels = (0..).map(|n| format!("r{round}-w{writer}-{n}"));
                        labels
                            .take_while(|_| !stop.load(Ordering::SeqCst))
                            .map_while(|label| create(address, "s", &label))
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            std::thread::sleep(Duration::from_millis(400));
            // Killed while the writers are at work; whatever got its 201 before must be there afterwards.
            assert!(
                list_all(address, "s").len() > acknowledged.len(),
                "the server is alive and writing"
            );
            drop(process);
            stop.store(true, Ordering::SeqCst);
            for writer in writers {
                acknowledged.extend(writer.join().unwrap());
            }
        });
        let again = spawn(directory.path());
        let listed = list_all(again.address, "s");
        for event in &acknowledged {
            assert!(listed.contains(event), "round {round}: lost {event}");
        }
    }
    assert!(
        acknowledged.len() > 100,
        "only {} events were written",
        acknowledged.len()
    );
}

#[test]
fn tokens_are_remembered_across_a_kill() {
    let directory = tempfile::tempdir().unwrap();
    let process = spawn(directory.path());
    let body = json!({"actorId": "a", "sessionId": "s", "eventTimestamp": now() / 1000, "clientToken": "t", "payload": []}).to_string();
    let path = format!("/memories/{DEFAULT_MEMORY_ID}/events");
    let first = call(process.address, "POST", &path, body.as_bytes())
        .unwrap()
        .json();
    drop(process);
    let process = spawn(directory.path());
    let second = call(process.address, "POST", &path, body.as_bytes())
        .unwrap()
        .json();
    assert_eq!(first, second);
    assert_eq!(list_all(process.address, "s").len(), 1);
}

#[test]
fn everything_is_there_after_a_stop() {
    let directory = tempfile::tempdir().unwrap();
    let open = || start_with(|options| options.data = Some(directory.path().into()));
    let server = open();
    let root = server.write(0, &json!({}));
    let branch = server.write(1, &json!({"branch": {"name": "b", "rootEventId": root}}));
    let nested = server.write(2, &json!({"branch": {"name": "c", "rootEventId": branch}}));
    let deleted = server.write(3, &json!({}));
    let path = format!(
        "/memories/{DEFAULT_MEMORY_ID}/actor/a/sessions/s/events/{}",
        deleted.replace('#', "%23")
    );
    assert_eq!(server.try_call("DELETE", &path, b"").unwrap().status, 200);
    let memory = server
        .post(
            "/memories/create",
            &json!({"name": "kept", "eventExpiryDuration": 30}),
        )
        .json();
    let memory = memory["memory"]["id"].as_str().unwrap().to_owned();
    let record = json!({"requestIdentifier": "r", "namespaces": ["/n"], "content": {"text": "fact"}, "timestamp": 1});
    server.post(
        &format!("/memories/{memory}/memoryRecords/batchCreate"),
        &json!({"records": [record]}),
    );
    let before = server.list(&json!({}));
    server.stop();

    let server = open();
    assert_eq!(server.list(&json!({})), before);
    let line = server.list(&json!({"filter": {"branch": {"name": "c"}}}));
    assert_eq!(ids(&line), [nested, branch, root]);
    assert_eq!(
        server.get(&format!("/memories/{memory}/details")).json()["memory"]["eventExpiryDuration"],
        30
    );
    let records = server
        .post(
            &format!("/memories/{memory}/memoryRecords"),
            &json!({"namespace": "/n"}),
        )
        .json();
    assert_eq!(
        records["memoryRecordSummaries"][0]["content"]["text"],
        "fact"
    );
    let gone = server
        .try_call("DELETE", &format!("/memories/{memory}/delete"), b"")
        .unwrap();
    assert_eq!(gone.status, 202);
    server.stop();

    let server = open();
    assert_eq!(
        server.get(&format!("/memories/{memory}/details")).status,
        404
    );
    assert_eq!(server.list(&json!({})), before);
}

#[test]
fn a_directory_in_use_is_a_clear_error() {
    let directory = tempfile::tempdir().unwrap();
    let _process = spawn(directory.path());
    let second = Command::new(env!("CARGO_BIN_EXE_emulator"))
        .args(["--port", "0", "--switches", "reported", "--data"])
        .arg(directory.path())
        .output()
        .unwrap();
    assert!(!second.status.success());
    assert!(
        String::from_utf8_lossy(&second.stderr).contains("data directory"),
        "{second:?}"
    );
}

#[test]
fn a_damaged_database_is_a_clear_error() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("emulator.redb"), b"not a database").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_emulator"))
        .args(["--port", "0", "--switches", "reported", "--data"])
        .arg(directory.path())
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("cannot be used"),
        "{output:?}"
    );
}

#[test]
fn a_shorter_expiry_holds_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let open = || start_with(|options| options.data = Some(directory.path().into()));
    let server = open();
    server.write(0, &json!({}));
    let path = format!("/memories/{DEFAULT_MEMORY_ID}/update");
    assert_eq!(
        server
            .call("PUT", &path, &json!({"eventExpiryDuration": 3}))
            .status,
        202
    );
    server.stop();
    let server = open();
    assert_eq!(ids(&server.list(&json!({}))).len(), 1);
    server.emulator.advance_clock(Duration::from_hours(72));
    assert_eq!(ids(&server.list(&json!({}))).len(), 0);
}
