//! The formats messages come and go in.

use codec::converse::{ConverseMessage, from_converse};
use codec::model::Message;
use serde_json::Value;

use crate::refusal::{Reason, Refusal};

/// How messages are written in requests and answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// The message model.
    #[default]
    Messages,
    /// Bedrock Converse messages, as Strands agents hold them too.
    Converse,
    /// Lines for a system prompt; only in answers.
    Prompt,
}

/// The words for [`Format`] in the answer to a load.
pub(crate) const WORDS: &[&str] = &["messages", "converse", "prompt"];
/// Their meanings.
pub(crate) const MEANINGS: &[Format] = &[Format::Messages, Format::Converse, Format::Prompt];
/// The words in a store, which takes no prompt apart.
pub(crate) const STORE_WORDS: &[&str] = &["messages", "converse"];

/// What the messages of a request have to be.
pub(crate) const EXPECTED: &str = "an array of messages";

impl Format {
    /// Reads the `messages` of a request.
    pub(crate) fn read(self, value: Value) -> Result<Vec<Message>, Refusal> {
        let Value::Array(items) = value else {
            let expected = EXPECTED;
            return Err(Refusal::field("messages", Reason::WrongType { expected }));
        };
        let mut messages = Vec::with_capacity(items.len());
        for (index, item) in items.into_iter().enumerate() {
            let at = format!("/messages/{index}");
            match self {
                Self::Converse => {
                    messages.extend(converse(item).map_err(|refusal| refusal.below(&at))?);
                }
                Self::Messages | Self::Prompt => {
                    messages.push(model(item).map_err(|refusal| refusal.below(&at))?);
                }
            }
        }
        Ok(messages)
    }
}

/// One message of the model, with the place of the fault if it is none.
pub(crate) fn model(value: Value) -> Result<Message, Refusal> {
    Message::try_from(value).map_err(|error| Refusal {
        pointer: error.path.clone(),
        reason: Reason::Message(error.reason.to_string()),
    })
}

fn converse(value: Value) -> Result<Vec<Message>, Refusal> {
    let message = ConverseMessage::from_value(value).map_err(|error| Refusal {
        pointer: error.path(),
        reason: Reason::Message(error.to_string()),
    })?;
    Ok(from_converse(&message))
}
