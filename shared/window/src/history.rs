//! The part of a conversation that was read so far.

use codec::model::Message;

/// The newest messages of a conversation, oldest first, and how many there are before them.
///
/// Rules speak of positions in the whole conversation, though only its end may have been read.
#[derive(Clone, Copy, Debug)]
pub struct History<'a> {
    /// The messages read, without system messages.
    pub messages: &'a [Message],
    /// How many older ones exist that were not read.
    pub unread: u64,
    /// How many messages, the oldest of the conversation, a summary stands for; 0 where there is none.
    pub summarized: u64,
}

impl<'a> History<'a> {
    /// A conversation that was read whole and has no summary.
    #[must_use]
    pub fn whole(messages: &'a [Message]) -> Self {
        Self {
            messages,
            unread: 0,
            summarized: 0,
        }
    }

    /// Whether there is nothing older.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.unread == 0
    }

    /// How many messages follow the summary; none where there is no summary.
    pub(crate) fn follows(&self) -> Option<u64> {
        let count = self.unread.saturating_add(self.messages.len() as u64);
        (self.summarized > 0).then(|| count.saturating_sub(self.summarized))
    }
}
