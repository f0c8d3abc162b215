//! The rules as they are told: each looks at the whole conversation, with no thought of cost.

// The exemption for tests covers test functions only, not the helpers beside them.
#![allow(clippy::indexing_slicing)]

use codec::model::Message;
use window::{Policy, SlidingRule, estimate, pins};

use crate::speaks;

/// The index of the first message of the window.
pub(crate) fn start(policy: Policy, messages: &[Message], follows: Option<u64>) -> usize {
    let end = messages.len();
    match policy {
        Policy::None => 0,
        Policy::Summarizing => follows.map_or(0, |follows| {
            end - usize::try_from(follows).unwrap_or(end).min(end)
        }),
        Policy::Turns { count } => {
            let turns = turns(messages);
            let from = turns.len().saturating_sub(count);
            turns.get(from).copied().unwrap_or(end)
        }
        Policy::Tokens { budget } => {
            let cost = |from: usize| messages[from..].iter().map(estimate::message).sum::<u64>();
            fitting(messages, |from| cost(from) <= budget).unwrap_or(0)
        }
        Policy::Sliding {
            size,
            rule: SlidingRule::Camunda { system },
        } => {
            let places = size.saturating_sub(usize::from(system));
            let cost = |from: usize| messages[from..].iter().filter(|m| !is_document(m)).count();
            let may_open = |message: &Message| !is_result(message) && !is_document(message);
            fitting(messages, |from| cost(from) <= places)
                .unwrap_or_else(|| messages.iter().position(may_open).unwrap_or(end))
        }
        Policy::Sliding {
            size,
            rule: SlidingRule::Strands,
        } => {
            if size == 0 || end <= size {
                return if size == 0 { end } else { 0 };
            }
            let inside = || end - size..end;
            let answered =
                |at: &usize| calls(&messages[*at]) && messages.get(at + 1).is_some_and(is_result);
            let person = inside().find(|at| speaks(&messages[*at]));
            person.or_else(|| inside().find(answered)).unwrap_or(0)
        }
    }
}

/// The indexes of the messages that stay however old they are.
pub(crate) fn pinned(messages: &[Message]) -> Vec<usize> {
    let exchange = |at: usize| {
        let first = (0..=at).rev().find(|at| !is_result(&messages[*at]));
        let first = first.filter(|first| calls(&messages[*first])).unwrap_or(at);
        let results = messages[first + 1..]
            .iter()
            .take_while(|message| is_result(message));
        first..=first + results.count()
    };
    let stays = |at: &usize| {
        let belongs = is_result(&messages[*at]) || calls(&messages[*at]);
        let group = if belongs { exchange(*at) } else { *at..=*at };
        // A result without its call stands alone.
        let group = if calls(&messages[*group.start()]) {
            group
        } else {
            *at..=*at
        };
        messages[group].iter().any(pins::is_marked)
    };
    (0..messages.len()).filter(stays).collect()
}

/// The oldest turn from which on all fits, or the newest turn; nothing where all fits or nobody speaks.
fn fitting(messages: &[Message], fits: impl Fn(usize) -> bool) -> Option<usize> {
    if fits(0) {
        return None;
    }
    let turns = turns(messages);
    turns
        .iter()
        .copied()
        .find(|from| fits(*from))
        .or(turns.last().copied())
}

fn turns(messages: &[Message]) -> Vec<usize> {
    (0..messages.len())
        .filter(|at| speaks(&messages[*at]))
        .collect()
}

fn is_document(message: &Message) -> bool {
    matches!(message, Message::User(_)) && !speaks(message)
}

fn is_result(message: &Message) -> bool {
    matches!(message, Message::ToolResult(_))
}

fn calls(message: &Message) -> bool {
    matches!(message, Message::Assistant(assistant) if !assistant.tool_calls.is_empty())
}
