//! Summaries on the user's own machine.

use crate::running::{Running, paste};

/// Says ten things, has them summarised, and gives the answer and what a load then shows.
fn summarised(running: &Running) -> (serde_json::Value, serde_json::Value) {
    let session = format!("{}/v1/actors/me/sessions/s", running.url());
    let message = |n: u8| {
        format!(r#"{{"role":"user","content":[{{"type":"text","text":"Ada counts to {n}."}}]}}"#)
    };
    let messages: Vec<String> = (0..10).map(message).collect();
    let who = "-H 'x-actor-id: me'";
    let turn = format!(r#"{{"messages":[{}]}}"#, messages.join(","));
    let stored = paste(&format!("curl -s {session}/messages {who} -d '{turn}'"));
    assert_eq!(stored["stored"], 10, "{stored}");
    let wanted = r#"{"preserveRecent":2,"ratio":0.8}"#;
    let made = paste(&format!("curl -s {session}/summary {who} -d '{wanted}'"));
    assert_eq!(made["summarized"], 8, "{made}");
    let loaded = paste(&format!("curl -s '{session}?window=summarizing' {who}"));
    (made, loaded)
}

#[test]
fn without_a_model_sentences_are_picked() {
    let running = Running::start(&["--ephemeral"]);
    let (made, loaded) = summarised(&running);
    assert_eq!(made["summary"]["model"], "extractive/1");
    let text = made["summary"]["text"].as_str().unwrap();
    assert!(text.contains("- user: Ada counts to 7."), "{text}");
    // The summary, and the two messages after it.
    assert_eq!(loaded["messages"].as_array().unwrap().len(), 3, "{loaded}");
    assert_eq!(loaded["report"]["summarized"], 8);
}

#[test]
fn a_model_is_asked_where_one_is_named() {
    let running = Running::start(&["--ephemeral", "--model", "stand-in"]);
    let (made, _) = summarised(&running);
    assert_eq!(made["summary"]["model"], "stand-in");
    let text = made["summary"]["text"].as_str().unwrap();
    assert!(text.starts_with("Summary of 1 messages"), "{text}");
}
