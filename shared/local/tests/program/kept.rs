//! `kill -9` of the program in the middle of its work.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::running::{Running, paste};

/// How often the program is killed.
const KILLS: u64 = 6;

#[test]
fn what_was_acknowledged_outlives_a_kill() {
    let directory = tempfile::tempdir().unwrap();
    let mut acknowledged: Vec<String> = Vec::new();
    for kill in 0..KILLS {
        let mut running = Running::keeping(directory.path());
        found_in_order(running.url(), &acknowledged);
        let writer = writer(running.url(), kill);
        std::thread::sleep(Duration::from_millis(300 + 90 * kill));
        running.kill();
        acknowledged.extend(said(writer));
    }
    let running = Running::keeping(directory.path());
    found_in_order(running.url(), &acknowledged);
    assert!(
        acknowledged.len() > 6,
        "only {} turns were stored",
        acknowledged.len()
    );
}

/// Stores turns one after the other until the program is gone, and writes the name of each that was
/// acknowledged.
fn writer(url: &str, kill: u64) -> Child {
    let script = format!(
        r#"for n in $(seq 1 1000); do
             curl -sf {url}/v1/actors/me/sessions/s/messages -H 'x-actor-id: me' -o /dev/null \
               -d '{{"messages":[{{"role":"user","content":[{{"type":"text","text":"turn {kill}.'$n'"}}]}}]}}' || exit
             echo "turn {kill}.$n"
           done"#
    );
    Command::new("bash")
        .args(["-c", &script])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn said(writer: Child) -> Vec<String> {
    let output = writer.wait_with_output().unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

/// Each acknowledged turn is there, once and in order. A turn that was under way at a kill may be there too.
fn found_in_order(url: &str, acknowledged: &[String]) {
    let line = format!("curl -s '{url}/v1/actors/me/sessions/s?window=none' -H 'x-actor-id: me'");
    let loaded = paste(&line);
    let messages = loaded["messages"]
        .as_array()
        .unwrap_or_else(|| panic!("{loaded}"));
    let text = |message: &Value| message["content"][0]["text"].as_str().unwrap().to_owned();
    let found: Vec<String> = messages.iter().map(text).collect();
    let mut rest = found.iter();
    for turn in acknowledged {
        assert!(
            rest.any(|name| name == turn),
            "{turn} is missing or out of order"
        );
    }
    let mut once = found.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), found.len(), "a turn is there twice");
    assert_eq!(loaded["context"]["storedMessageCount"], found.len());
}
