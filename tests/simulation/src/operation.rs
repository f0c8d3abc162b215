//! What the simulated clients do: stores, remembered with all their attempts.

use std::fmt::Write as _;

use codec::model::{Content, Message};

/// A store's number, the same for all its attempts.
pub(crate) type OpId = usize;

/// One store as its caller means it.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub(crate) conversation: usize,
    pub(crate) branch: Option<String>,
    pub(crate) mode: Mode,
    pub(crate) messages: Vec<Message>,
    /// A new system message.
    pub(crate) system: Option<String>,
    /// The version of the agent state this one replaces; none writes no state.
    pub(crate) state: Option<u64>,
    /// The head the caller expects, and what it knows to be stored there.
    pub(crate) expected: Option<Known>,
    pub(crate) key: Option<String>,
    pub(crate) attempts: u32,
    /// An earlier attempt ended without a word about its outcome.
    pub(crate) in_doubt: bool,
    pub(crate) outcome: Outcome,
}

/// How messages are handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Append,
    Sync,
}

/// What the caller was told last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing yet, or something that leaves it open.
    Open,
    /// It is stored.
    Acknowledged,
    /// It is not stored and never will be.
    Refused,
}

/// A head token and the conversation it stands for.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) token: String,
    pub(crate) branch: Option<String>,
    pub(crate) content: Vec<Message>,
    /// How many messages each of its turns has, and the turn's id.
    pub(crate) turns: Vec<(usize, String)>,
}

/// What every dialect keeps of a message: enough to tell any two messages of a run apart.
pub(crate) fn essence(message: &Message) -> String {
    let mut text = String::new();
    match message {
        Message::System(message) => {
            text.push_str("system");
            contents(&mut text, &message.content);
        }
        Message::User(message) => {
            text.push_str("user");
            contents(&mut text, &message.content);
        }
        Message::Assistant(message) => {
            text.push_str("assistant");
            contents(&mut text, &message.content);
            for call in &message.tool_calls {
                let _ = write!(text, " call {} {}", call.id, call.name);
            }
        }
        Message::ToolResult(message) => {
            text.push_str("result");
            for result in &message.results {
                let _ = write!(text, " of {}", result.id.as_deref().unwrap_or("none"));
                contents(&mut text, &result.content);
            }
        }
    }
    text
}

fn contents(text: &mut String, content: &[Content]) {
    for block in content {
        match block {
            Content::Text { text: words, .. } => {
                let _ = write!(text, " {words}");
            }
            other => {
                let _ = write!(text, " {other:?}");
            }
        }
    }
}
