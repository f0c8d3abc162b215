//! What a load takes and gives.

use std::time::Duration;

use codec::Mode;
use codec::model::Message;
use codec::strands::AgentRecord;

use crate::answer::Context;
use crate::id::Conversation;
use crate::report::Report;
use crate::window::Window;

/// A conversation to be loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadRequest {
    /// Which one.
    pub conversation: Conversation,
    /// Which branch; none is the main line.
    pub branch: Option<String>,
    /// How much of it.
    pub window: Window,
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
    /// The messages of the window, oldest first.
    pub messages: Vec<Message>,
    /// The token of the head. None where only events of other software are stored and not all of them
    /// were read: the next store then reads them itself.
    pub head: Option<String>,
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
            window: Window::All,
            mode: Mode::Lenient,
            deadline,
        }
    }
}
