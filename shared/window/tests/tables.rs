//! The windows of the two systems we follow, as rows: a conversation in letters, a policy, what stays.
//!
//! `u` a person, `a` the assistant, `c` the assistant calling a tool, `r` its result, `d` documents a tool
//! brought along, `P` a pinned user message, `C` a pinned call (its result stays with it).

// The exemption for tests covers test functions only, not the helpers beside them.
#![allow(clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use codec::model::{
    AssistantMessage, Message, Object, ToolCall, ToolResult, ToolResultMessage, UserMessage,
};
use serde_json::json;
use window::{History, Policy, SlidingRule, select};

fn conversation(letters: &str) -> Vec<Message> {
    let mut calls = 0;
    letters
        .chars()
        .map(|letter| message(letter, &mut calls))
        .collect()
}

fn message(letter: char, calls: &mut u32) -> Message {
    let pinned: Object = Object::from_iter([("custom".to_owned(), json!({"pinned": true}))]);
    let documents: Object = Object::from_iter([("toolCallDocuments".to_owned(), json!(true))]);
    let user = |metadata| {
        Message::User(UserMessage {
            metadata,
            ..UserMessage::default()
        })
    };
    match letter {
        'u' => user(Object::new()),
        'P' => user(pinned),
        'd' => user(documents),
        'a' => Message::Assistant(AssistantMessage::default()),
        'c' | 'C' => {
            *calls += 1;
            let call = ToolCall {
                id: calls.to_string(),
                name: "tool".to_owned(),
                ..ToolCall::default()
            };
            Message::Assistant(AssistantMessage {
                tool_calls: vec![call],
                metadata: if letter == 'C' { pinned } else { Object::new() },
                ..AssistantMessage::default()
            })
        }
        'r' => Message::ToolResult(ToolResultMessage {
            results: vec![ToolResult {
                id: Some(calls.to_string()),
                ..ToolResult::default()
            }],
            ..ToolResultMessage::default()
        }),
        other => panic!("no message is written {other}"),
    }
}

/// The letters of the messages that stay.
fn kept(letters: &str, policies: &[Policy]) -> String {
    let messages = conversation(letters);
    let selection = select(policies, &History::whole(&messages)).expect("read whole");
    let letters: Vec<char> = letters.chars().collect();
    let pinned = selection.pinned.iter().map(|&index| letters[index]);
    pinned
        .chain(letters[selection.start..].iter().copied())
        .collect()
}

fn strands(size: usize) -> Policy {
    Policy::Sliding {
        size,
        rule: SlidingRule::Strands,
    }
}

fn camunda(size: usize) -> Policy {
    Policy::Sliding {
        size,
        rule: SlidingRule::Camunda { system: false },
    }
}

fn turns(count: usize) -> Policy {
    Policy::Turns { count }
}

#[test]
fn each_policy_keeps_what_its_table_says() {
    let rows: &[(&str, Policy, &str)] = &[
        // Strands: the window is a ceiling, not a target.
        ("uaucraua", strands(8), "uaucraua"),
        ("uaucraua", strands(7), "ucraua"),
        ("uaucraua", strands(6), "ucraua"),
        ("uaucraua", strands(5), "ua"),
        ("uaucraua", strands(4), "ua"),
        ("uaucraua", strands(3), "ua"),
        ("uaucraua", strands(2), "ua"),
        ("uaucraua", strands(1), "uaucraua"),
        ("uaucraua", strands(0), ""),
        ("ucrcrcr", strands(4), "crcr"),
        ("ucrcrcr", strands(3), "cr"),
        ("ucrcrcr", strands(2), "cr"),
        ("ucrcrcr", strands(1), "ucrcrcr"),
        // Pins stay, and a pinned call takes its result along.
        ("PauCrauaua", strands(2), "PCrua"),
        ("Paua", strands(0), "P"),
        // Camunda: whole groups go, documents do not count, the newest turn stays.
        ("uaua", camunda(4), "uaua"),
        ("uaua", camunda(3), "ua"),
        ("ucrdaua", camunda(6), "ucrdaua"),
        ("ucrdaua", camunda(5), "ua"),
        ("ucrda", camunda(2), "ucrda"),
        ("ucrda", camunda(0), "ucrda"),
        ("rrua", camunda(9), "ua"),
        ("raua", camunda(9), "aua"),
        // Turns: from what a person says to just before they speak again.
        ("uaucraua", turns(1), "ua"),
        ("uaucraua", turns(2), "ucraua"),
        ("uaucraua", turns(9), "uaucraua"),
        ("ucrda", turns(1), "ucrda"),
        ("rauaua", turns(9), "uaua"),
        ("uaua", turns(0), ""),
        // The summary stands for what it covers.
        ("uaua", Policy::Summarizing { covered: 2 }, "ua"),
        ("uaua", Policy::Summarizing { covered: 0 }, "uaua"),
        ("uaua", Policy::Summarizing { covered: 9 }, ""),
        ("uaua", Policy::None, "uaua"),
    ];
    for (letters, policy, expected) in rows {
        assert_eq!(
            &kept(letters, std::slice::from_ref(policy)),
            expected,
            "{letters} under {policy:?}"
        );
    }
}

#[test]
fn of_several_policies_the_tightest_wins() {
    assert_eq!(kept("uauauaua", &[turns(3), strands(4)]), "uaua");
    assert_eq!(kept("uauauaua", &[turns(1), strands(4)]), "ua");
    assert_eq!(kept("uauauaua", &[]), "uauauaua");
}

#[test]
fn a_window_asks_for_older_messages_only_when_they_matter() {
    let messages = conversation("uauaucra");
    let end = |unread| History {
        messages: &messages,
        unread,
    };
    assert_eq!(select(&[turns(2)], &end(10_000)).map(|s| s.start), Some(2));
    assert_eq!(select(&[turns(4)], &end(10_000)), None);
    assert_eq!(
        select(&[strands(8)], &end(10_000)).map(|s| s.start),
        Some(0)
    );
    assert_eq!(select(&[strands(9)], &end(10_000)), None);
    assert_eq!(
        select(&[strands(9), turns(1)], &end(10_000)).map(|s| s.start),
        Some(4)
    );
    assert_eq!(select(&[Policy::None], &end(1)), None);
    let summary = Policy::Summarizing { covered: 10_002 };
    assert_eq!(select(&[summary], &end(10_000)).map(|s| s.start), Some(2));
}
