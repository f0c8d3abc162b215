//! What every policy promises, over random conversations.

// The exemption for tests covers test functions only, not the helpers beside them.
#![allow(clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use codec::model::{
    AssistantMessage, Content, Fields, Message, ToolCall, ToolResult, ToolResultMessage,
    UserMessage,
};
use proptest::prelude::*;
use serde_json::json;
use window::{History, Policy, Scan, Selection, SlidingRule, estimate, pins, select};

mod rules;

/// One step of a conversation: a person speaks, or the assistant does, with so many parallel calls, their
/// results in one message or each in its own, perhaps with documents.
#[derive(Clone, Debug)]
enum Step {
    Person {
        words: usize,
        pinned: bool,
    },
    Answer {
        words: usize,
    },
    Tools {
        calls: usize,
        apart: bool,
        documents: bool,
        pinned: bool,
    },
}

fn any_step() -> impl Strategy<Value = Step> {
    let pinned = prop::bool::weighted(0.1);
    prop_oneof![
        (1..40usize, pinned).prop_map(|(words, pinned)| Step::Person { words, pinned }),
        (1..40usize).prop_map(|words| Step::Answer { words }),
        (1..4usize, any::<bool>(), any::<bool>(), pinned).prop_map(
            |(calls, apart, documents, pinned)| Step::Tools {
                calls,
                apart,
                documents,
                pinned,
            }
        ),
    ]
}

fn conversation(steps: &[Step]) -> Vec<Message> {
    let mut messages = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        match step {
            Step::Person { words, pinned } => messages.push(person(*words, metadata(*pinned))),
            Step::Answer { words } => messages.push(Message::Assistant(AssistantMessage {
                content: vec![Content::text("word ".repeat(*words))],
                ..AssistantMessage::default()
            })),
            Step::Tools {
                calls,
                apart,
                documents,
                pinned,
            } => {
                tools(&mut messages, number, *calls, *apart, metadata(*pinned));
                if *documents {
                    let marked = Fields::from_iter([("toolCallDocuments".to_owned(), json!(true))]);
                    messages.push(person(1, marked));
                }
            }
        }
    }
    messages
}

fn metadata(pinned: bool) -> Fields {
    let mut metadata = Fields::new();
    if pinned {
        metadata.insert("custom".to_owned(), json!({"pinned": true}));
    }
    metadata
}

fn person(words: usize, metadata: Fields) -> Message {
    Message::User(UserMessage {
        content: vec![Content::text("word ".repeat(words))],
        metadata,
        ..UserMessage::default()
    })
}

fn tools(messages: &mut Vec<Message>, step: usize, calls: usize, apart: bool, metadata: Fields) {
    let ids: Vec<String> = (0..calls).map(|call| format!("{step}-{call}")).collect();
    let tool_calls = ids.iter().map(|id| ToolCall {
        id: id.clone().into(),
        name: "tool".into(),
        ..ToolCall::default()
    });
    messages.push(Message::Assistant(AssistantMessage {
        tool_calls: tool_calls.collect(),
        metadata,
        ..AssistantMessage::default()
    }));
    let results: Vec<ToolResult> = ids
        .into_iter()
        .map(|id| ToolResult {
            id: Some(id.into()),
            ..ToolResult::default()
        })
        .collect();
    let groups: Vec<Vec<ToolResult>> = if apart {
        results.into_iter().map(|result| vec![result]).collect()
    } else {
        vec![results]
    };
    messages.extend(groups.into_iter().map(|results| {
        Message::ToolResult(ToolResultMessage {
            results,
            ..ToolResultMessage::default()
        })
    }));
}

fn any_policy() -> impl Strategy<Value = Policy> {
    prop_oneof![
        (0..30usize).prop_map(|size| Policy::Sliding {
            size,
            rule: SlidingRule::Strands
        }),
        (0..30usize, any::<bool>()).prop_map(|(size, system)| Policy::Sliding {
            size,
            rule: SlidingRule::Camunda { system }
        }),
        (0..10usize).prop_map(|count| Policy::Turns { count }),
        (0..400u64).prop_map(|budget| Policy::Tokens { budget }),
    ]
}

fn speaks(message: &Message) -> bool {
    matches!(message, Message::User(user) if !user.metadata.contains_key("toolCallDocuments"))
}

/// A window that asks for nothing may be empty; any other keeps the newest question.
fn asks_for_something(policy: &Policy) -> bool {
    !matches!(
        policy,
        Policy::Turns { count: 0 }
            | Policy::Sliding {
                size: 0,
                rule: SlidingRule::Strands
            }
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn a_window_never_opens_inside_a_tool_exchange(
        steps in prop::collection::vec(any_step(), 0..20),
        policy in any_policy(),
    ) {
        let messages = conversation(&steps);
        let selection = select(std::slice::from_ref(&policy), &History::whole(&messages)).expect("read whole");
        if let Some(first) = messages.get(selection.start) {
            prop_assert!(!matches!(first, Message::ToolResult(_)));
        }
    }

    #[test]
    fn the_newest_turn_survives_the_rules_that_cut_at_turns(
        steps in prop::collection::vec(any_step(), 0..20),
        policy in any_policy(),
    ) {
        let messages = conversation(&steps);
        let strands = matches!(policy, Policy::Sliding { rule: SlidingRule::Strands, .. });
        prop_assume!(asks_for_something(&policy) && !strands);
        let selection = select(std::slice::from_ref(&policy), &History::whole(&messages)).expect("read whole");
        if let Some(newest) = messages.iter().rposition(speaks) {
            prop_assert!(selection.start <= newest);
        }
    }

    #[test]
    fn limits_hold_wherever_more_than_the_newest_turn_is_kept(
        steps in prop::collection::vec(any_step(), 0..20),
        policy in any_policy(),
    ) {
        let messages = conversation(&steps);
        let selection = select(std::slice::from_ref(&policy), &History::whole(&messages)).expect("read whole");
        let seen = &messages[selection.start..];
        let turns = seen.iter().filter(|message| speaks(message)).count();
        match policy {
            // The Strands rule leaves a conversation alone that it cannot cut.
            Policy::Sliding { size, rule: SlidingRule::Strands } => {
                prop_assert!(seen.len() <= size || selection.start == 0);
            }
            Policy::Sliding { size, rule: SlidingRule::Camunda { system } } => {
                let documents = seen.iter().filter(|m| matches!(m, Message::User(_)) && !speaks(m)).count();
                prop_assert!(seen.len() - documents + usize::from(system) <= size.max(usize::from(system)) || turns <= 1);
            }
            Policy::Turns { count } => prop_assert!(turns <= count),
            Policy::Tokens { budget } => {
                let tokens: u64 = seen.iter().map(estimate::message).sum();
                prop_assert!(tokens <= budget || turns <= 1);
            }
            Policy::None | Policy::Summarizing => {}
        }
    }

    #[test]
    fn a_larger_window_never_shows_less(
        steps in prop::collection::vec(any_step(), 0..20),
        small in 1..20usize,
        more in 0..20usize,
    ) {
        let messages = conversation(&steps);
        let history = History::whole(&messages);
        let start = |policy: Policy| select(&[policy], &history).expect("read whole").start;
        let large = small + more;
        let turns = |count| Policy::Turns { count };
        prop_assert!(start(turns(large)) <= start(turns(small)));
        let camunda = |size| Policy::Sliding { size, rule: SlidingRule::Camunda { system: false } };
        prop_assert!(start(camunda(large)) <= start(camunda(small)));
        let tokens = |size: usize| Policy::Tokens { budget: size as u64 * 10 };
        prop_assert!(start(tokens(large)) <= start(tokens(small)));
    }

    #[test]
    fn reading_only_the_end_gives_the_same_window(
        steps in prop::collection::vec(any_step(), 0..20),
        policies in prop::collection::vec(any_policy(), 1..3),
        read in 0..60usize,
    ) {
        let messages = conversation(&steps);
        let whole = select(&policies, &History::whole(&messages)).expect("read whole");
        let unread = messages.len().saturating_sub(read);
        let end = History { messages: &messages[unread..], unread: unread as u64, summarized: 0 };
        if let Some(selection) = select(&policies, &end) {
            prop_assert_eq!(selection.start + unread, whole.start);
        }
    }

    #[test]
    fn reading_backwards_gives_what_the_rules_say_of_the_whole(
        steps in prop::collection::vec(any_step(), 0..20),
        policies in prop::collection::vec(any_policy(), 0..4),
        summarizing in any::<bool>(),
        summarized in 0..40u64,
        cut in 0..3usize,
    ) {
        // A conversation whose first messages are gone may begin inside an exchange.
        let messages = conversation(&steps);
        let messages = &messages[cut.min(messages.len())..];
        let mut policies = policies;
        if summarizing {
            policies.push(Policy::Summarizing);
        }
        let count = messages.len() as u64;
        let follows = (summarized > 0).then(|| count.saturating_sub(summarized));

        let start = policies.iter().map(|policy| rules::start(*policy, messages, follows)).max();
        let start = start.unwrap_or(0);
        let pinned = rules::pinned(messages);
        let expected = Selection {
            start,
            pinned: pinned.iter().copied().filter(|index| *index < start).collect(),
        };
        let pins = pins::count(messages);

        // Message by message, and no further than needed.
        let mut scan = Scan::new(&policies, follows);
        let mut pushed = 0;
        for message in messages.iter().rev() {
            if scan.is_done(true, pins) {
                break;
            }
            scan.push(message);
            pushed += 1;
        }
        let unread = messages.len() - pushed;
        let found = scan.selection();
        let tokens: u64 = expected.messages(messages).map(estimate::message).sum();
        prop_assert_eq!(scan.tokens(&found), tokens);
        prop_assert_eq!(found.start + unread, expected.start, "{:?} after {} messages", policies, pushed);
        let found: Vec<usize> = found.pinned.iter().map(|index| index + unread).collect();
        prop_assert_eq!(&found, &expected.pinned);

        // All at once.
        let whole = History { messages, unread: 0, summarized };
        prop_assert_eq!(select(&policies, &whole), Some(expected.clone()));
        let mut seen = messages.to_vec();
        expected.apply(&mut seen);
        let kept: Vec<&Message> = expected.messages(messages).collect();
        prop_assert_eq!(seen.iter().collect::<Vec<_>>(), kept);
    }
}
