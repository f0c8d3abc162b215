//! Windows: how much of a conversation's end a load gives back.

use std::borrow::Borrow;

use codec::model::Message;
use serde_json::Value;

/// How much of the conversation's end is wanted. A window never parts a tool result from its call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Window {
    /// All of it.
    #[default]
    All,
    /// At most so many messages. Only where the last exchange alone is longer, all of it stays.
    Messages(usize),
    /// So many turns: from what a user says to just before the next thing a user says.
    Turns(usize),
}

impl Window {
    /// How many messages the window holds, given the last ones of the conversation, newest first; or
    /// nothing where older messages are needed to tell. `whole` says that there are none.
    pub(crate) fn keep<M: Borrow<Message>>(self, newest_first: &[M], whole: bool) -> Option<usize> {
        match self {
            Self::All => whole.then_some(newest_first.len()),
            Self::Messages(most) => messages(newest_first, most, whole),
            Self::Turns(most) => turns(newest_first, most, whole),
        }
    }
}

fn messages<M: Borrow<Message>>(newest_first: &[M], most: usize, whole: bool) -> Option<usize> {
    if most == 0 {
        return Some(0);
    }
    let Some((end, older)) = newest_first.split_at_checked(most) else {
        return whole.then_some(newest_first.len());
    };
    if let Some(opening) = end.iter().rposition(|message| !is_result(message.borrow())) {
        return Some(opening + 1);
    }
    // Nothing but results is left, so the window grows back to their call.
    let call = older
        .iter()
        .position(|message| !is_result(message.borrow()));
    call.map(|call| most + call + 1)
        .or(whole.then_some(newest_first.len()))
}

fn turns<M: Borrow<Message>>(newest_first: &[M], most: usize, whole: bool) -> Option<usize> {
    let Some(nth) = most.checked_sub(1) else {
        return Some(0);
    };
    newest_first
        .iter()
        .enumerate()
        .filter(|(_, message)| opens_turn((*message).borrow()))
        .nth(nth)
        .map(|(index, _)| index + 1)
        .or(whole.then_some(newest_first.len()))
}

fn is_result(message: &Message) -> bool {
    matches!(message, Message::ToolResult(_))
}

/// Documents of tool results travel as user messages, but no user said them.
fn opens_turn(message: &Message) -> bool {
    match message {
        Message::User(user) => user.metadata.get("toolCallDocuments") != Some(&Value::Bool(true)),
        Message::System(_) | Message::Assistant(_) | Message::ToolResult(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::Window;
    use crate::testing::{assistant, call, result, user};
    use codec::model::{Message, UserMessage};
    use serde_json::json;

    /// Where the window begins in a conversation told oldest first.
    fn begin(window: Window, talk: &[Message], whole: bool) -> Option<usize> {
        let newest_first: Vec<_> = talk.iter().rev().collect();
        Some(talk.len() - window.keep(&newest_first, whole)?)
    }

    fn talk() -> Vec<Message> {
        vec![
            user("1"),
            assistant("2"),
            user("3"),
            call("c"),
            result("c"),
            result("d"),
            assistant("7"),
        ]
    }

    #[test]
    fn everything_needs_everything() {
        assert_eq!(begin(Window::All, &talk(), false), None);
        assert_eq!(begin(Window::All, &talk(), true), Some(0));
    }

    #[test]
    fn messages_are_counted_from_the_end() {
        for (most, first) in [(1, 6), (4, 3), (5, 2), (6, 1), (7, 0)] {
            assert_eq!(
                begin(Window::Messages(most), &talk(), false),
                Some(first),
                "{most}"
            );
        }
        assert_eq!(begin(Window::Messages(8), &talk(), false), None);
        assert_eq!(begin(Window::Messages(8), &talk(), true), Some(0));
        assert_eq!(begin(Window::Messages(0), &talk(), false), Some(7));
    }

    #[test]
    fn a_result_without_its_call_is_left_out() {
        assert_eq!(begin(Window::Messages(2), &talk(), false), Some(6));
        assert_eq!(begin(Window::Messages(3), &talk(), false), Some(6));
    }

    #[test]
    fn the_last_exchange_stays_whole() {
        let talk = [user("1"), call("c"), result("c"), result("d")];
        assert_eq!(begin(Window::Messages(1), &talk, false), Some(1));
        assert_eq!(begin(Window::Messages(2), &talk, false), Some(1));
        assert_eq!(
            begin(Window::Messages(2), &talk[2..], false),
            None,
            "the call is further up"
        );
        assert_eq!(
            begin(Window::Messages(2), &talk[2..], true),
            Some(0),
            "there is no call"
        );
    }

    #[test]
    fn turns_begin_where_a_user_speaks() {
        assert_eq!(begin(Window::Turns(0), &talk(), false), Some(7));
        assert_eq!(begin(Window::Turns(1), &talk(), false), Some(2));
        assert_eq!(begin(Window::Turns(2), &talk(), false), Some(0));
        assert_eq!(begin(Window::Turns(3), &talk(), false), None);
        assert_eq!(begin(Window::Turns(3), &talk(), true), Some(0));
    }

    #[test]
    fn documents_of_tool_results_open_no_turn() {
        let documents = Message::User(UserMessage {
            metadata: [("toolCallDocuments".to_owned(), json!(true))]
                .into_iter()
                .collect(),
            ..UserMessage::default()
        });
        let talk = [user("1"), call("c"), result("c"), documents];
        assert_eq!(begin(Window::Turns(1), &talk, false), Some(0));
    }
}
