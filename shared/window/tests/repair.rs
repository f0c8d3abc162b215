//! Repair: what each rule mends, and that any list becomes valid and stays as it is the second time.

// The exemption for tests covers test functions only, not the helpers beside them.
#![allow(clippy::panic, clippy::expect_used, clippy::indexing_slicing)]

use std::collections::HashSet;

use codec::converse::{ConverseMessage, ConverseRole, HINT_KEY, Outgoing, from_converse, outgoing};
use codec::model::Message;
use proptest::prelude::*;
use serde_json::{Value, json};
use window::repair::{Mending, MendingKind};

fn list(messages: &Value) -> Vec<ConverseMessage> {
    let messages = messages.as_array().expect("a list").iter().cloned();
    messages
        .map(|message| ConverseMessage::from_value(message).expect("a message"))
        .collect()
}

fn repair(messages: Vec<ConverseMessage>) -> (Vec<ConverseMessage>, Vec<Mending>) {
    let (mended, mendings) = window::repair::repair(messages.into_iter().map(Outgoing::from));
    let mended = mended.into_iter().map(Outgoing::into_message);
    (mended.collect(), mendings)
}

fn user(content: &Value) -> Value {
    json!({"role": "user", "content": content})
}

fn assistant(content: &Value) -> Value {
    json!({"role": "assistant", "content": content})
}

fn text(text: &str) -> Value {
    json!({ "text": text })
}

fn call(id: &str) -> Value {
    json!({"toolUse": {"toolUseId": id, "name": "tool", "input": {}}})
}

fn result(id: &str) -> Value {
    json!({"toolResult": {"toolUseId": id, "status": "success", "content": [{"text": "done"}]}})
}

fn interrupted(id: &str) -> Value {
    json!({"toolResult": {"toolUseId": id, "status": "error",
        "content": [{"text": "The tool was interrupted before it could answer."}]}})
}

fn thought() -> Value {
    json!({"reasoningContent": {"reasoningText": {"text": "hm"}}})
}

const OPENING: &str = "(The earlier part of this conversation is not shown.)";

#[test]
#[expect(clippy::too_many_lines, reason = "a table, one row a fault")]
fn each_fault_is_mended_and_named() {
    use MendingKind as K;
    let rows = [
        (
            "blank text beside a tool use",
            json!([
                user(&json!([text("q")])),
                assistant(&json!([text(" \n"), call("1")])),
                user(&json!([result("1")]))
            ]),
            json!([
                user(&json!([text("q")])),
                assistant(&json!([call("1")])),
                user(&json!([result("1")]))
            ]),
            vec![K::BlankText],
        ),
        (
            "a message of blank text only",
            json!([user(&json!([text("q")])), assistant(&json!([text("")]))]),
            json!([user(&json!([text("q")]))]),
            vec![K::BlankText, K::EmptyMessage],
        ),
        (
            "parallel uses: one missing, one foreign, one repeated, out of order",
            json!([
                user(&json!([text("q")])),
                assistant(&json!([call("1"), call("2"), call("3")])),
                user(&json!([
                    text("and"),
                    result("3"),
                    result("9"),
                    result("1"),
                    result("3")
                ])),
            ]),
            json!([
                user(&json!([text("q")])),
                assistant(&json!([call("1"), call("2"), call("3")])),
                user(&json!([
                    result("1"),
                    interrupted("2"),
                    result("3"),
                    text("and")
                ])),
            ]),
            vec![
                K::StrayToolResult,
                K::RepeatedToolResult,
                K::ToolResultsOrdered,
                K::MissingToolResult,
            ],
        ),
        (
            "no result at all, a person speaks instead",
            json!([
                user(&json!([text("q")])),
                assistant(&json!([call("1")])),
                user(&json!([text("wait")]))
            ]),
            json!([
                user(&json!([text("q")])),
                assistant(&json!([call("1")])),
                user(&json!([interrupted("1"), text("wait")]))
            ]),
            vec![K::MissingToolResult],
        ),
        (
            "a result whose call is gone",
            json!([
                user(&json!([result("1")])),
                assistant(&json!([text("a")])),
                user(&json!([text("q")]))
            ]),
            json!([
                user(&json!([text(OPENING)])),
                assistant(&json!([text("a")])),
                user(&json!([text("q")]))
            ]),
            vec![K::StrayToolResult, K::EmptyMessage, K::OpeningAdded],
        ),
        (
            "one speaker twice in a row",
            json!([
                user(&json!([text("a")])),
                user(&json!([text("b")])),
                assistant(&json!([text("c")])),
                assistant(&json!([text("d")]))
            ]),
            json!([
                user(&json!([text("a"), text("b")])),
                assistant(&json!([text("c"), text("d")]))
            ]),
            vec![K::Joined, K::Joined],
        ),
        (
            "a stray result between two answers",
            json!([
                user(&json!([text("q")])),
                assistant(&json!([text("a")])),
                user(&json!([result("1")])),
                assistant(&json!([text("b")]))
            ]),
            json!([
                user(&json!([text("q")])),
                assistant(&json!([text("a"), text("b")]))
            ]),
            vec![K::StrayToolResult, K::EmptyMessage, K::Joined],
        ),
        (
            "reasoning after the words it led to, and in a user's mouth",
            json!([
                user(&json!([text("q"), thought(), call("1")])),
                assistant(&json!([text("a"), thought()]))
            ]),
            json!([
                user(&json!([text("q")])),
                assistant(&json!([thought(), text("a")]))
            ]),
            vec![K::MisplacedBlock, K::MisplacedBlock, K::ReasoningMoved],
        ),
        (
            "one id called twice",
            json!([
                user(&json!([text("q")])),
                assistant(&json!([call("1"), call("1")])),
                user(&json!([result("1")]))
            ]),
            json!([
                user(&json!([text("q")])),
                assistant(&json!([call("1")])),
                user(&json!([result("1")]))
            ]),
            vec![K::RepeatedToolUse],
        ),
        (
            "a call in the last message waits for the caller",
            json!([user(&json!([text("q")])), assistant(&json!([call("1")]))]),
            json!([user(&json!([text("q")])), assistant(&json!([call("1")]))]),
            vec![],
        ),
    ];
    for (name, given, expected, mendings) in rows {
        let (mended, found) = repair(list(&given));
        assert_eq!(mended, list(&expected), "{name}");
        let kinds: Vec<_> = found.iter().map(|mending| mending.kind).collect();
        assert_eq!(kinds, mendings, "{name}");
    }
}

/// The rules of a model, checked apart from the code that makes them hold.
fn faults(messages: &[ConverseMessage]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut open: Vec<String> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let speaker = [ConverseRole::User, ConverseRole::Assistant][index % 2];
        if message.role != speaker {
            faults.push(format!("{index}: roles do not alternate from the user on"));
        }
        if message.content.is_empty() {
            faults.push(format!("{index}: empty"));
        }
        let results: Vec<String> = ids(message, "toolResult");
        if results != open {
            faults.push(format!("{index}: answers {results:?} to {open:?}"));
        }
        open = ids(message, "toolUse");
        if open.iter().collect::<HashSet<_>>().len() != open.len() {
            faults.push(format!("{index}: an id is called twice"));
        }
        let mut words = false;
        for block in &message.content {
            let blank = block.get("text").and_then(Value::as_str);
            if blank.is_some_and(|text| text.trim().is_empty()) {
                faults.push(format!("{index}: blank text"));
            }
            if block.contains_key("reasoningContent")
                && (words || message.role == ConverseRole::User)
            {
                faults.push(format!("{index}: reasoning out of place"));
            }
            words |= !block.contains_key("reasoningContent");
        }
    }
    faults
}

fn ids(message: &ConverseMessage, key: &str) -> Vec<String> {
    let blocks = message.content.iter().filter_map(|block| block.get(key));
    blocks
        .map(|block| block["toolUseId"].as_str().expect("an id").to_owned())
        .collect()
}

fn any_block() -> impl Strategy<Value = Value> {
    let id = prop::sample::select(vec!["1", "2", "3"]);
    prop_oneof![
        3 => "[a-z]{1,3}".prop_map(|words| text(&words)),
        1 => Just(text(" \t")),
        3 => id.clone().prop_map(call),
        4 => id.prop_map(result),
        1 => Just(thought()),
        1 => Just(json!({"cachePoint": {"type": "default"}})),
        1 => Just(json!({"toolUse": {"name": "without id"}})),
        1 => Just(json!({"toolResult": "not an object"})),
        1 => Just(json!({"new": 1})),
    ]
}

fn any_message() -> impl Strategy<Value = Value> {
    let role = prop::sample::select(vec!["user", "assistant"]);
    (role, prop::collection::vec(any_block(), 0..5))
        .prop_map(|(role, content)| json!({"role": role, "content": content}))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn anything_becomes_valid_and_a_second_repair_changes_nothing(
        messages in prop::collection::vec(any_message(), 0..12),
    ) {
        let (once, _) = repair(list(&Value::Array(messages)));
        prop_assert_eq!(faults(&once), Vec::<String>::new());
        let (twice, mendings) = repair(once.clone());
        prop_assert_eq!(mendings, vec![]);
        prop_assert_eq!(twice, once);
    }

    #[test]
    fn stored_messages_are_mended_like_the_messages_they_came_from(
        messages in prop::collection::vec(any_message(), 0..12),
    ) {
        let messages = list(&Value::Array(messages));
        let stored: Vec<Message> = messages.iter().flat_map(from_converse).collect();
        let (mended, mendings) = window::repair::repair(outgoing(&stored));
        let mended: Vec<_> = mended.into_iter().map(|message| message.into_message().content).collect();
        let (expected, expected_mendings) = repair(messages);
        let expected: Vec<_> = expected.into_iter().map(|message| message.content).collect();
        prop_assert_eq!(mended, expected);
        prop_assert_eq!(mendings, expected_mendings);
    }
}

#[test]
fn a_mended_message_has_no_hint_and_any_other_keeps_its_own() {
    let stored: Vec<Message> = serde_json::from_value(json!([
        {"role": "user", "name": "Ann", "content": [{"type": "text", "text": "q"}, {"type": "text", "text": ""}],
            "metadata": {"custom": {"pinned": true}}},
        {"role": "assistant", "modelId": "m", "content": [{"type": "text", "text": "a"}]},
    ]))
    .expect("messages");
    let (mended, mendings) = window::repair::repair(outgoing(&stored));
    assert_eq!(mendings.len(), 1);
    let metadata: Vec<_> = mended
        .into_iter()
        .map(|message| message.into_message().metadata)
        .map(Option::unwrap_or_default)
        .collect();
    assert_eq!(json!(metadata[0]), json!({"custom": {"pinned": true}}));
    assert!(metadata[1].contains_key(HINT_KEY));
}
