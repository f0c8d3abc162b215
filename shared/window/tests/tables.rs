//! The windows of the two systems we follow, as rows: a conversation in letters, a policy, what stays.
//!
//! `u` a person, `a` the assistant, `c` the assistant calling a tool, `r` its result, `d` documents a tool
//! brought along, `P` a pinned user message, `C` a pinned call, `R` a pinned result (each takes the other along).

// The exemption for tests covers test functions only, not the helpers beside them.
#![allow(clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use codec::model::{
    AssistantMessage, Fields, Message, ToolCall, ToolResult, ToolResultMessage, UserMessage,
};
use serde_json::json;
use window::{History, Policy, Scan, SlidingRule, select};

fn conversation(letters: &str) -> Vec<Message> {
    let mut calls = 0;
    letters
        .chars()
        .map(|letter| message(letter, &mut calls))
        .collect()
}

fn message(letter: char, calls: &mut u32) -> Message {
    let pinned: Fields = Fields::from_iter([("custom".to_owned(), json!({"pinned": true}))]);
    let documents: Fields = Fields::from_iter([("toolCallDocuments".to_owned(), json!(true))]);
    let user = |metadata| {
        Message::User(UserMessage {
            metadata,
            ..UserMessage::default()
        })
    };
    match letter {
        'u' => user(Fields::new()),
        'P' => user(pinned),
        'd' => user(documents),
        'a' => Message::Assistant(AssistantMessage::default()),
        'c' | 'C' => {
            *calls += 1;
            let call = ToolCall {
                id: calls.to_string().into(),
                name: "tool".into(),
                ..ToolCall::default()
            };
            Message::Assistant(AssistantMessage {
                tool_calls: vec![call],
                metadata: if letter == 'C' { pinned } else { Fields::new() },
                ..AssistantMessage::default()
            })
        }
        'r' | 'R' => Message::ToolResult(ToolResultMessage {
            metadata: if letter == 'R' { pinned } else { Fields::new() },
            results: vec![ToolResult {
                id: Some(calls.to_string().into()),
                ..ToolResult::default()
            }],
            ..ToolResultMessage::default()
        }),
        other => panic!("no message is written {other}"),
    }
}

/// The letters of the messages that stay.
fn kept(letters: &str, policies: &[Policy]) -> String {
    kept_after(0, letters, policies)
}

/// The same where a summary stands for the first messages.
fn kept_after(summarized: u64, letters: &str, policies: &[Policy]) -> String {
    let messages = conversation(letters);
    let history = History {
        summarized,
        ..History::whole(&messages)
    };
    let selection = select(policies, &history).expect("read whole");
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
        ("uaua", turns(1), "ua"),
        // Without a summary there is nothing it could stand for.
        ("uaua", Policy::Summarizing, "uaua"),
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
fn a_summary_stands_for_what_it_covers() {
    let summarizing = [Policy::Summarizing];
    assert_eq!(kept_after(2, "uaua", &summarizing), "ua");
    assert_eq!(kept_after(9, "uaua", &summarizing), "");
    assert_eq!(kept_after(4, "Pauaua", &summarizing), "Pua");
    assert_eq!(
        kept_after(2, "uauaua", &[Policy::Summarizing, turns(1)]),
        "ua"
    );
    assert_eq!(
        kept_after(4, "uauaua", &[Policy::Summarizing, turns(3)]),
        "ua"
    );
    assert_eq!(kept_after(2, "uaua", &[Policy::None]), "uaua");
}

#[test]
fn a_pinned_exchange_stays_whole() {
    // Results of parallel calls may come in messages of their own.
    assert_eq!(kept("uCrrauaua", &[turns(1)]), "Crrua");
    assert_eq!(kept("uCrdauaua", &[turns(1)]), "Crua");
    assert_eq!(kept("uRauaua", &[turns(1)]), "Rua");
    assert_eq!(kept("ucRauaua", &[turns(1)]), "cRua");
    assert_eq!(kept("ucRraucraua", &[turns(1)]), "cRrua");
    assert_eq!(kept("RrauPauaua", &[turns(1)]), "RPua");
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
        summarized: 0,
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
    assert_eq!(select(&[Policy::Summarizing], &end(1)), None);
    let summarized = |summarized| History {
        summarized,
        ..end(10_000)
    };
    let after = |count, policies: &[Policy]| select(policies, &summarized(count)).map(|s| s.start);
    assert_eq!(after(10_002, &[Policy::Summarizing]), Some(2));
    assert_eq!(after(10_000, &[Policy::Summarizing]), Some(0));
    assert_eq!(after(9_999, &[Policy::Summarizing]), None);
    assert_eq!(after(10_002, &[Policy::Summarizing, strands(9)]), Some(2));
    // What follows the summary opens with the assistant. Whether the other window is tighter depends on
    // older messages: is there a person among the nine newest, before the one seen?
    let messages = conversation("auaua");
    let open = History {
        messages: &messages,
        unread: 10,
        summarized: 10,
    };
    assert_eq!(select(&[Policy::Summarizing, strands(9)], &open), None);
}

#[test]
fn a_reader_goes_back_until_nothing_older_matters() {
    let pushed = |letters: &str, pins| {
        let messages = conversation(letters);
        let mut scan = Scan::new(&[turns(1)], None);
        let mut newest_first = messages.iter().rev();
        let mut pushed = 0;
        while !scan.is_done(true, pins) {
            scan.push(newest_first.next().expect("it was done before"));
            pushed += 1;
        }
        pushed
    };
    assert_eq!(pushed("uPauaua", 0), 2);
    assert_eq!(pushed("uPauaua", 1), 6);
    // The call belongs to its result.
    assert_eq!(pushed("ucRuaua", 1), 6);
    assert_eq!(pushed("uPPauaua", 2), 7);
}
