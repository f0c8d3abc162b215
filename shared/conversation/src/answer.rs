//! What both calls answer with: the conversation's context under the names callers know.

use std::collections::BTreeMap;

use codec::model::SystemMessage;

use crate::id::Conversation;
use crate::ports::AgentState;
use crate::summarize::SummaryRecord;

/// What belongs to a conversation but is no message.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// Which conversation; its session is the `conversationId`.
    pub conversation: Conversation,
    /// `storedMessageCount`: messages stored, adopted and expired ones included.
    pub stored_message_count: u64,
    /// `systemMessage`. A store answers with the one it was given: with a head token it reads nothing.
    pub system: Option<SystemMessage>,
    /// Agent state by agent id. A store answers with those it wrote, where it knows their versions.
    pub states: BTreeMap<String, AgentState>,
    /// `summary`: what stands for the oldest messages. A store does not read it.
    pub summary: Option<SummaryRecord>,
}
