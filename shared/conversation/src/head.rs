//! The head: the turn a branch ends with, and what the next turn needs to know of it.

use crate::ports::EventId;
use crate::turn::TurnId;

/// How many turns a head remembers, itself included.
pub const REMEMBERED_TURNS: usize = 16;

/// The ref of one branch. Small on purpose: an update is billed by the whole item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Rises with every change of the item, whatever the change: the condition of a commit, so that
    /// a delayed write can never land after the head moved, not even when it moved back.
    pub revision: u64,
    /// The last committed turn; the conversation's genesis id where only context was stored.
    pub turn: TurnId,
    /// Number of committed turns.
    pub turns: u64,
    /// Number of messages stored, adopted ones included (`storedMessageCount`).
    pub count: u64,
    /// Running estimate of the tokens of all stored messages ([`window::estimate`]).
    pub tokens: u64,
    /// Number of stored messages that are marked as pinned: a reader that has found so many need not
    /// look further back for them.
    pub pins: u64,
    /// Tokens the summary stands for, as estimated. A hint: no part of what a commit compares, never
    /// written by a commit, and in a token perhaps older than the summary.
    pub summarized: u64,
    /// Timestamp of the last committed event.
    pub last_ms: i64,
    /// Id of the last committed event: the root of a branch that starts here.
    pub last_event: Option<EventId>,
    /// Running fingerprint of the stored messages.
    pub fingerprint: [u8; 32],
    /// Hash of the system message kept with the conversation; zeros for none.
    pub system: [u8; 8],
    /// The last turns, newest first, without `turn` itself: enough of each id to recognise it.
    /// A head built from a token has none; the store keeps its own list (see [`Head::slot`]).
    pub recent: Vec<ShortTurn>,
}

/// The first half of a turn id.
pub type ShortTurn = [u8; 16];

impl Head {
    /// Where the store keeps this head's own turn among its remembered ones: a ring, so that a writer
    /// that holds only a token can add to it without knowing the rest.
    #[must_use]
    pub fn slot(&self) -> usize {
        usize::try_from(self.turns % REMEMBERED_TURNS as u64).unwrap_or_default()
    }

    /// Whether a commit that expects `self` may replace `found`: every field is the same but for the
    /// remembered turns, which the holder of a token does not know, and the hint.
    #[must_use]
    pub fn is_replaceable(&self, found: &Self) -> bool {
        let compared = |head: &Self| Self {
            summarized: 0,
            recent: Vec::new(),
            ..head.clone()
        };
        compared(self) == compared(found)
    }
}
