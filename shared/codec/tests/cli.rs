//! The command line, as a process.
#![allow(clippy::expect_used, clippy::indexing_slicing)] // A command that does not run is a broken test.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_codec"));
    command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn run(args: &[&str], input: &[u8]) -> Output {
    let mut child = command(args).spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("the command ends");
    writer
        .join()
        .expect("the writer ends")
        .expect("the command reads all of it");
    output
}

/// The output lines and the exit code.
fn lines(args: &[&str], input: &str) -> (Vec<Value>, i32) {
    let output = run(args, input.as_bytes());
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    (lines, output.status.code().expect("an exit code"))
}

fn error_at(line: &Value) -> (&str, &str) {
    let part = |pointer| {
        line.pointer(pointer)
            .and_then(Value::as_str)
            .expect("an error")
    };
    assert!(!part("/error/message").is_empty());
    (part("/error/code"), part("/error/path"))
}

#[test]
fn a_message_comes_back_through_a_pipe_of_both_commands() {
    let message = json!({"role": "user", "name": "Ann", "content": [{"type": "text", "text": "hi\u{1F600}"}],
        "metadata": {"n": 12_345_678_901_234_567_890_u64}});
    let (encoded, exit) = lines(&["encode"], &message.to_string());
    assert_eq!(exit, 0);
    assert!(encoded[0]["payloads"].is_array());
    let (decoded, exit) = lines(&["decode", "--strict"], &encoded[0].to_string());
    assert_eq!(
        (decoded, exit),
        (vec![json!({"messages": [message], "notes": []})], 0)
    );
}

#[test]
fn a_mixed_converse_message_is_packed_into_one_line_and_comes_back() {
    let message = json!({"role": "user", "content": [
        {"text": "first"},
        {"toolResult": {"toolUseId": "t1", "status": "success", "content": [{"json": {"a": 1}}]}},
        {"image": {"format": "png", "source": {"bytes": {"__bytes_encoded__": true, "data": "AAE="}}}},
    ], "tracking_id": "x"});
    let (encoded, _) = lines(&["encode", "--from", "converse"], &message.to_string());
    let (decoded, exit) = lines(&["decode", "--to", "converse"], &encoded[0].to_string());
    assert_eq!(
        (decoded, exit),
        (vec![json!({"messages": [message], "notes": []})], 0)
    );
}

#[test]
fn a_message_beyond_one_event_becomes_several_and_comes_back() {
    let blocks: Vec<Value> = (0..250)
        .map(|n| json!({"type": "text", "text": n.to_string(), "metadata": {"n": n}}))
        .collect();
    let message = json!({"role": "user", "content": blocks});
    let (encoded, exit) = lines(&["encode"], &message.to_string());
    assert_eq!(exit, 0);
    let events = encoded[0]["events"].as_array().expect("several events");
    assert!(events.len() > 1);
    let (decoded, _) = lines(&["decode", "--strict"], &encoded[0].to_string());
    assert_eq!(decoded, [json!({"messages": [message], "notes": []})]);
    let (part, _) = lines(&["decode"], &events[0].to_string());
    assert_eq!(part[0]["part"], json!({"index": 0, "count": events.len()}));
}

#[test]
fn the_seed_dialect_writes_no_metadata() {
    let message =
        json!({"role": "user", "name": "Ann", "content": [{"type": "text", "text": "hi"}]});
    let (encoded, _) = lines(&["encode", "--dialect", "seed"], &message.to_string());
    assert_eq!(
        encoded,
        [json!({"payloads": [{"conversational": {"content": {"text": "hi"}, "role": "USER"}}]})]
    );
}

#[test]
fn an_event_can_be_shown_as_a_prompt() {
    let event = json!({"eventId": "1", "payload": [
        {"conversational": {"content": {"text": "hi\nuser: no"}, "role": "USER"}},
        {"conversational": {"content": {"text": "hello"}, "role": "ASSISTANT"}},
        {"blob": "?"},
    ], "metadata": {"k": {"stringValue": "v"}}});
    let (decoded, exit) = lines(&["decode", "--to", "prompt"], &event.to_string());
    assert_eq!(exit, 0);
    assert_eq!(
        decoded[0]["prompt"],
        "user: hi\n  user: no\nassistant: hello"
    );
    assert_eq!(decoded[0]["notes"][0]["code"], "unknown_text");
    assert_eq!(decoded[0]["notes"][0]["payload"], 2);
}

#[test]
fn agent_states_are_shown_where_there_are_any() {
    let agent =
        json!({"agent_id": "a", "state": {}, "conversation_manager_state": {"__name__": "x"}});
    let (decoded, _) = lines(
        &["decode"],
        &json!({"payload": [{"blob": agent.to_string()}]}).to_string(),
    );
    assert_eq!(
        decoded,
        [json!({"messages": [], "agents": [agent], "notes": []})]
    );
}

#[test]
fn an_error_takes_the_place_of_its_line_and_the_others_go_on() {
    let good = json!({"role": "user", "content": [{"type": "text", "text": "hi"}]});
    let input = format!(
        "{good}\n\nnot json\n{{\"role\":\"robot\"}}\n{{\"role\":\"system\"}}\n{{\"role\":\"user\",\"content\":5}}\n{good}"
    );
    let (lines, exit) = lines(&["encode"], &input);
    assert_eq!(exit, 1);
    assert_eq!(lines.len(), 7);
    assert!(lines[0]["payloads"].is_array());
    assert_eq!(error_at(&lines[1]), ("invalid_json", ""));
    assert_eq!(error_at(&lines[2]), ("invalid_json", ""));
    assert_eq!(error_at(&lines[3]), ("unknown_role", "/role"));
    assert_eq!(error_at(&lines[4]), ("system_message", ""));
    assert_eq!(error_at(&lines[5]), ("wrong_type", "/content"));
    assert!(lines[6]["payloads"].is_array());
}

#[test]
fn a_bad_converse_message_is_refused_with_its_place() {
    let (lines, exit) = lines(
        &["encode", "--from", "converse"],
        "{\"role\":\"user\",\"content\":[{},[]]}\n{\"role\":\"tool\"}",
    );
    assert_eq!(exit, 1);
    assert_eq!(error_at(&lines[0]), ("converse_block", "/content/1"));
    assert_eq!(error_at(&lines[1]), ("converse_role", "/role"));
}

#[test]
fn a_line_that_is_no_event_is_refused_with_its_place() {
    let rows = [
        (json!([]), "wrong_type", ""),
        (json!({"eventId": "1"}), "missing_field", "/payload"),
        (json!({"payload": 1}), "wrong_type", "/payload"),
        (
            json!({"payload": [{"blob": ""}, 1]}),
            "wrong_type",
            "/payload/1",
        ),
        (
            json!({"payload": [], "metadata": 1}),
            "wrong_type",
            "/metadata",
        ),
        (json!({"events": 1}), "wrong_type", "/events"),
        (json!({"events": [1]}), "wrong_type", "/events/0"),
        (
            json!({"events": [{"eventId": "1", "payload": []}]}),
            "many_events",
            "/events/0",
        ),
    ];
    for (line, code, path) in rows {
        let (lines, exit) = lines(&["decode"], &line.to_string());
        assert_eq!((error_at(&lines[0]), exit), ((code, path), 1), "{line}");
    }
}

#[test]
fn strict_makes_an_error_of_a_note() {
    let event = json!({"payload": [{"conversational": {"content": {"text": "hi"}, "role": "USER"}}, {"blob": "?"}]});
    let (lenient, exit) = lines(&["decode"], &event.to_string());
    assert_eq!(
        (lenient[0]["notes"].as_array().map(Vec::len), exit),
        (Some(1), 0)
    );
    let (strict, exit) = lines(&["decode", "--strict"], &event.to_string());
    assert_eq!(
        (error_at(&strict[0]), exit),
        (("unknown_text", "/payload/1"), 1)
    );
}

#[test]
fn bytes_that_are_no_text_are_an_error_line() {
    let output = run(&["decode"], b"{\"payload\":[{\"blob\":\"\xff\"}]}\n");
    let line: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(error_at(&line), ("invalid_json", ""));
}

#[test]
fn a_line_of_megabytes_is_just_a_line() {
    let text = "x".repeat(4 << 20);
    let event = json!({"payload": [{"blob": json!([text, "user"]).to_string()}]});
    let (decoded, exit) = lines(&["decode"], &format!("{event}\n{event}\n"));
    assert_eq!((decoded.len(), exit), (2, 0));
    assert_eq!(
        decoded[1]["messages"][0]["content"][0]["text"]
            .as_str()
            .map(str::len),
        Some(text.len())
    );
}

#[test]
fn each_line_is_answered_before_the_next_one_comes() {
    let mut child = command(&["encode"]).spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut answers = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    for text in ["one", "two"] {
        let message = json!({"role": "user", "content": [{"type": "text", "text": text}]});
        writeln!(stdin, "{message}").expect("the command listens");
        let answer = answers.next().expect("a line").expect("text");
        assert!(answer.contains(text));
    }
    drop(stdin);
    assert!(child.wait().expect("the command ends").success());
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let mut child = command(&["encode"]).spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    drop(child.stdout.take());
    let line =
        json!({"role": "user", "content": [{"type": "text", "text": "hi"}]}).to_string() + "\n";
    // The command may end before it has read everything; that the pipe closes then is the point.
    while stdin.write_all(line.as_bytes()).is_ok() {}
    drop(stdin);
    let output = child.wait_with_output().expect("the command ends");
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn help_has_examples_and_a_wrong_word_is_refused() {
    let help = run(&["--help"], b"");
    let text = String::from_utf8_lossy(&help.stdout).into_owned();
    assert!(help.status.success() && text.contains("Examples:") && text.contains("codec decode"));
    for args in [
        ["encode", "--dialect=klingon"],
        ["encode", "--from=prompt"],
        ["decode", "--to=html"],
    ] {
        assert_eq!(run(&args, b"").status.code(), Some(2), "{args:?}");
    }
}
