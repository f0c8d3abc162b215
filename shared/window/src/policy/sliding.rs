//! The two sliding windows.

use codec::model::Message;

use super::Start;
use crate::facts::{is_document_message, is_tool_result, may_open, starts_turn, tool_calls};
use crate::history::History;

/// The Strands rule.
pub(super) fn strands(history: &History<'_>, size: usize) -> Start {
    let messages = history.messages;
    let Some(first) = messages.len().checked_sub(size) else {
        return Start::Before;
    };
    if first == 0 && history.is_whole() {
        return Start::At(0);
    }
    if size == 0 {
        return Start::At(messages.len());
    }
    let inside = || (first..messages.len()).zip(messages.iter().skip(first));
    let person = inside().find(|(_, message)| starts_turn(message));
    let trim =
        person.or_else(|| inside().find(|(index, _)| opens_with_answered_call(messages, *index)));
    trim.map_or(Start::Before, |(index, _)| Start::At(index))
}

fn opens_with_answered_call(messages: &[Message], index: usize) -> bool {
    let called = messages
        .get(index)
        .is_some_and(|message| !tool_calls(message).is_empty());
    called && messages.get(index + 1).is_some_and(is_tool_result)
}

/// The Camunda rule, without the faults of the original: a trimmed window never opens with a stray
/// tool result or with an assistant's words, size 0 is harmless, and the newest turn always stays.
pub(super) fn camunda(history: &History<'_>, size: usize, system: bool) -> Start {
    let places = size.saturating_sub(usize::from(system));
    super::longest_fitting(history, places as u64, |message| {
        u64::from(!is_document_message(message))
    })
    .unwrap_or_else(|| first_group(history))
}

/// Nobody ever spoke, or all fits: everything but what belongs to a message that is gone.
fn first_group(history: &History<'_>) -> Start {
    let open = history.messages.iter().position(may_open);
    Start::At(open.unwrap_or(history.messages.len()))
}
