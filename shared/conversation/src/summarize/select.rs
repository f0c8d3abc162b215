//! Which messages the summary is to stand for.

use codec::model::Message;
use summary::{overflow, split};
use window::{estimate, pins};

use super::request::{SummarizeReason, SummarizeRequest};
use crate::load::History;

/// How many of the newest messages stay as they are, unless the caller says otherwise.
const PRESERVED: usize = 10;
/// On an overflow everything but the newest message may go.
const PRESERVED_ON_OVERFLOW: usize = 1;

/// What takes room beside the messages that stay, in tokens.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// The model's whole context window.
    pub(super) window: u64,
    /// The longest the summary may be.
    pub(super) summary: u64,
    /// The system message.
    pub(super) system: u64,
}

/// How many of the oldest messages to summarise; none where there is nothing to.
pub(super) fn select(
    messages: &[Message],
    request: &SummarizeRequest,
    room: Room,
) -> Option<usize> {
    let (preserved, target) = match request.reason {
        SummarizeReason::Request => (PRESERVED, None),
        // Half of the window, so that there is room to go on for a while.
        SummarizeReason::Overflow => (PRESERVED_ON_OVERFLOW, Some(room.window / 2)),
    };
    let preserve = request.preserve_recent.unwrap_or(preserved);
    let count = match request.target_tokens.or(target) {
        None => split(messages, request.ratio, preserve),
        Some(target) => overflow(messages, request.ratio, preserve, room.for_messages(target)),
    };
    let count = count.ok()?;
    let mut chosen = messages.iter().take(count);
    // What is pinned is shown however old it is, so a summary of nothing else would gain nothing.
    chosen
        .any(|message| !pins::is_marked(message))
        .then_some(count)
}

impl Room {
    /// What is left of `target` for the messages that stay.
    fn for_messages(self, target: u64) -> u64 {
        // A small target is not to be used up by a summary that may well be short.
        let summary = self.summary.min(target / 4);
        target.saturating_sub(summary).saturating_sub(self.system)
    }
}

/// The estimate for messages that expired before a summary could stand for them. The head still counts them, and
/// would for ever call for a summary of what nobody can read any more. `before` is what the summary before stands for.
pub(super) fn lost_tokens(history: &History, before: u64) -> u64 {
    let all = history.head.as_ref().map_or(0, |head| head.tokens);
    let read: u64 = history.messages.iter().map(estimate::message).sum();
    all.saturating_sub(before).saturating_sub(read)
}

/// The estimate for the messages that a summary takes the place of; pinned ones are still shown beside it.
pub(super) fn covered_tokens(messages: &[Message]) -> u64 {
    let covered = messages
        .iter()
        .filter(|message| !pins::is_marked(message))
        .map(estimate::message);
    covered.sum()
}
