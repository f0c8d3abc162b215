//! The parts of a message that is too large for one event.

use crate::model::{Content, Message};

/// Which part of a message an event holds, where the message is too large for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its place among the parts, from 0.
    pub index: usize,
    /// How many parts there are.
    pub count: usize,
    /// What of it goes on with what the part before ended with.
    pub continues: Continues,
}

/// How the first thing in a part hangs on the last thing of the part before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Continues {
    /// It does not: blocks, calls or results follow each other. Written as 0.
    Nothing,
    /// The first result holds further blocks of the last one. Written as 1.
    Result,
    /// The first text is the rest of the last one (in a result: of the last result). Written as 2.
    Text,
}

impl Continues {
    /// The number on the wire: stored, so never to be changed or used again.
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Nothing => 0,
            Self::Result => 1,
            Self::Text => 2,
        }
    }

    /// The meaning of a number on the wire.
    pub(crate) fn of(number: u64) -> Option<Self> {
        match number {
            0 => Some(Self::Nothing),
            1 => Some(Self::Result),
            2 => Some(Self::Text),
            _ => None,
        }
    }
}

/// Appends a part to what the parts before it make up. Both have the same role.
pub(crate) fn append(whole: &mut Message, part: Message, continues: Continues) {
    match (whole, part) {
        (Message::User(whole), Message::User(part)) => {
            append_blocks(&mut whole.content, part.content, continues);
        }
        (Message::Assistant(whole), Message::Assistant(part)) => {
            append_blocks(&mut whole.content, part.content, continues);
            whole.tool_calls.extend(part.tool_calls);
        }
        (Message::ToolResult(whole), Message::ToolResult(part)) => {
            let mut results = part.results.into_iter();
            if continues != Continues::Nothing
                && let Some(last) = whole.results.last_mut()
                && let Some(first) = results.next()
            {
                append_blocks(&mut last.content, first.content, continues);
            }
            whole.results.extend(results);
        }
        _ => {}
    }
}

fn append_blocks(whole: &mut Vec<Content>, part: Vec<Content>, continues: Continues) {
    let mut blocks = part.into_iter().peekable();
    if continues == Continues::Text
        && let Some(Content::Text { text: last, .. }) = whole.last_mut()
        && let Some(Content::Text { text: first, .. }) =
            blocks.next_if(|block| matches!(block, Content::Text { .. }))
    {
        last.push_str(&first);
    }
    whole.extend(blocks);
}
