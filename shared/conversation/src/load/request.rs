//! What a load takes and gives.

use std::time::Duration;

use codec::Mode;
use codec::model::Message;
use codec::strands::AgentRecord;
use window::Policy;

use crate::advice::Advice;
use crate::answer::Context;
use crate::id::Conversation;
use crate::report::Report;

/// A conversation to be loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadRequest {
    /// Which one.
    pub conversation: Conversation,
    /// Which branch; none is the main line.
    pub branch: Option<String>,
    /// How much of it. Of several policies the tightest counts; without any it is all.
    pub window: Vec<Policy>,
    /// What to do about events that cannot be taken as they stand.
    pub mode: Mode,
    /// The time there is.
    pub deadline: Duration,
}

/// The answer to a load.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The context.
    pub context: Context,
    /// The messages, oldest first: the pinned ones from before the window, then the window.
    pub messages: Vec<Message>,
    /// How many of them are pinned ones from before the window.
    pub pinned: usize,
    /// The token of the head. None where only events of other software are stored and not all of them
    /// were read: the next store then reads them itself.
    pub head: Option<String>,
    /// Whether it is time to summarise.
    pub advice: Advice,
    /// What was left out or mended.
    pub report: Report,
    /// Agent states other software left among its events, as far as they were read.
    pub agents: Vec<AgentRecord>,
}

impl LoadRequest {
    /// A request for all of the main line, read leniently.
    #[must_use]
    pub fn all(conversation: Conversation, deadline: Duration) -> Self {
        Self {
            conversation,
            branch: None,
            window: Vec::new(),
            mode: Mode::Lenient,
            deadline,
        }
    }
}
