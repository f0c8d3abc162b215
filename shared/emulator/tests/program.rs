//! The program as a newcomer meets it.
// Helper functions of a test may fail it.
#![allow(clippy::unwrap_used)]

use std::net::TcpListener;
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_emulator"))
        .args(arguments)
        .output()
        .unwrap()
}

fn complaint(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_taken_port_is_named_with_a_way_out() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let complaint = complaint(&["--port", &port]);
    assert!(
        complaint.contains(&format!("cannot listen on 127.0.0.1:{port}")),
        "{complaint}"
    );
    assert!(complaint.contains("--port 0"), "{complaint}");
}

#[test]
fn a_bad_fault_plan_is_named_with_its_place() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(
        file.path(),
        r#"{"rules": [{"operation": "CreateEvent", "action": "explode"}]}"#,
    )
    .unwrap();
    let complaint = complaint(&["--port", "0", "--faults", file.path().to_str().unwrap()]);
    assert!(
        complaint.contains("explode") && complaint.contains("line 1"),
        "{complaint}"
    );
}

#[test]
fn a_missing_file_and_a_bad_memory_id_are_named() {
    assert!(complaint(&["--port", "0", "--switches", "nowhere.json"]).contains("nowhere.json"));
    assert!(complaint(&["--port", "0", "--memory", "short"]).contains("not a memory id: short"));
}

#[test]
fn help_shows_examples() {
    let output = run(&["--help"]);
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success());
    for word in ["--data", "--faults", "--host", "Examples:", "nth"] {
        assert!(help.contains(word), "{word}");
    }
}

#[test]
fn the_greeting_gives_commands_that_work() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    let mut child = Command::new(env!("CARGO_BIN_EXE_emulator"))
        .args(["--port", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines: Vec<String> = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .take(5)
        .map(Result::unwrap)
        .collect();
    let answers: Vec<Output> = lines
        .iter()
        .filter(|line| line.contains("curl"))
        .map(|line| Command::new("sh").args(["-c", line]).output().unwrap())
        .collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(answers.len(), 2, "{lines:?}");
    for answer in answers {
        let text = String::from_utf8(answer.stdout).unwrap();
        assert!(text.contains(r#""text":"hello""#), "{text}");
    }
}
