//! What a store takes and gives.

use std::time::Duration;

use codec::model::Message;
use sha2::{Digest, Sha256};

use crate::advice::Advice;
use crate::answer::Context;
use crate::error::{Error, InvalidReason};
use crate::id::Conversation;
use crate::ports::{StateWrite, SystemWrite};

/// A turn to be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreRequest {
    /// Where.
    pub conversation: Conversation,
    /// On which branch; none is the main line.
    pub branch: Option<String>,
    /// What `messages` are.
    pub mode: StoreMode,
    /// The messages. System messages among them are context: the last one takes the place of the one
    /// kept, unless `system` says otherwise.
    pub messages: Vec<Message>,
    /// A change of the system message.
    pub system: Option<SystemWrite>,
    /// Changes of agent states.
    pub states: Vec<StateWrite>,
    /// The head the caller takes the conversation to have: a token of an earlier answer. Without one the
    /// turn is appended to whatever is there.
    pub head: Option<String>,
    /// The idempotency key.
    pub key: Option<String>,
    /// The time there is.
    pub deadline: Duration,
}

/// What the messages of a store are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoreMode {
    /// The new messages.
    #[default]
    Append,
    /// The whole conversation: those beyond the stored ones are new.
    Sync,
}

/// The answer to a store: the turn is committed.
#[derive(Clone, Debug, PartialEq)]
pub struct Stored {
    /// The context after it.
    pub context: Context,
    /// The token of the head after it.
    pub head: String,
    /// How many messages are new.
    pub stored: u64,
    /// Whether an earlier call had stored them already.
    pub replayed: bool,
    /// Whether it is time to summarise, as far as the head tells: how much a summary already stands for is as
    /// old as the token the caller gave.
    pub advice: Advice,
}

impl StoreRequest {
    /// A request to append messages to the main line, with nothing else asked for.
    #[must_use]
    pub fn append(conversation: Conversation, messages: Vec<Message>, deadline: Duration) -> Self {
        Self {
            conversation,
            branch: None,
            mode: StoreMode::Append,
            messages,
            system: None,
            states: Vec::new(),
            head: None,
            key: None,
            deadline,
        }
    }

    /// The hash an idempotency key is kept with: all that is to be stored, but not the head, since a
    /// retry may have learned a newer one.
    pub(crate) fn body(&self) -> Result<[u8; 32], Error> {
        let unwritable = |_| Error::invalid("", InvalidReason::Refused("not JSON".to_owned()));
        let mut hash = Sha256::new_with_prefix("colloquy/body/1");
        let mut field = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        };
        field(match self.mode {
            StoreMode::Append => b"append",
            StoreMode::Sync => b"sync",
        });
        field(&serde_json::to_vec(&self.messages).map_err(unwritable)?);
        match &self.system {
            None => field(b"keep"),
            Some(SystemWrite::Remove) => field(b"remove"),
            Some(SystemWrite::Put(system)) => {
                field(&serde_json::to_vec(system).map_err(unwritable)?);
            }
        }
        for state in &self.states {
            field(state.agent.as_bytes());
            field(&serde_json::to_vec(&state.value).map_err(unwritable)?);
            field(format!("{:?}", state.expected_version).as_bytes());
        }
        Ok(hash.finalize().into())
    }
}
