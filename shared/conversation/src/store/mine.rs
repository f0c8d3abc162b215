//! Whether a turn is committed under a head that has moved on.

use crate::error::Error;
use crate::fingerprint::first;
use crate::head::{Head, ShortTurn};
use crate::id::Conversation;
use crate::load::pages::Log;
use crate::ports::{Clock, Entropy, EventReader};
use crate::retry::Retry;
use crate::turn::TurnId;

/// What a head says about a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// It is committed.
    Remembered,
    /// It is not.
    NotCommitted,
    /// It would be older than what the head remembers.
    Forgotten,
}

/// Looks for a turn, which would be turn number `number` of the chain, in what the head remembers.
pub(super) fn recall(head: &Head, turn: TurnId, number: u64) -> Memory {
    let short: ShortTurn = first(&turn.0);
    if head.turn == turn || head.recent.contains(&short) {
        return Memory::Remembered;
    }
    match head.turns.checked_sub(number) {
        None => Memory::NotCommitted,
        Some(back) if back <= head.recent.len() as u64 => Memory::NotCommitted,
        Some(_) => Memory::Forgotten,
    }
}

/// Looks for a turn by walking the chain from the head to the turn's number.
pub(super) async fn walk<E: EventReader, K: Clock, R: Entropy>(
    events: &E,
    retry: &Retry<'_, K, R>,
    conversation: &Conversation,
    head: &Head,
    (turn, number): (TurnId, u64),
) -> Result<bool, Error> {
    let mut log = Log::new(events, retry, conversation, None);
    let mut current = head.turn;
    for _ in number..head.turns {
        if current == turn {
            return Ok(true);
        }
        current = loop {
            if let Some(parent) = log.parent(current) {
                break parent;
            }
            if log.is_whole() {
                // What is expired or lost cannot say yes; and to say no would be a guess that may store
                // the turn a second time.
                return Err(Error::Unavailable(crate::error::Cause::UnknownOutcome));
            }
            log.more().await?;
        };
    }
    Ok(current == turn)
}

#[cfg(test)]
mod tests {
    use super::{Memory, recall};
    use crate::fingerprint::first;
    use crate::head::Head;
    use crate::turn::TurnId;

    fn id(number: u8) -> TurnId {
        TurnId([number; 32])
    }

    /// The head of a chain of 40 turns, each with its number as its id, that remembers 15 of them.
    fn head() -> Head {
        Head {
            revision: 40,
            turn: id(40),
            turns: 40,
            count: 40,
            tokens: 400,
            pins: 0,
            summarized: 0,
            last_ms: 0,
            last_event: None,
            fingerprint: [0; 32],
            system: [0; 8],
            recent: (25..40).rev().map(|number| first(&id(number).0)).collect(),
        }
    }

    #[test]
    fn what_the_head_remembers_is_committed() {
        for number in [40, 39, 25] {
            assert_eq!(
                recall(&head(), id(number), number.into()),
                Memory::Remembered
            );
        }
    }

    #[test]
    fn what_it_would_remember_is_not() {
        for number in [41, 40, 39, 25] {
            assert_eq!(recall(&head(), id(99), number), Memory::NotCommitted);
        }
    }

    #[test]
    fn what_is_older_has_to_be_looked_up() {
        for number in [24, 1] {
            assert_eq!(recall(&head(), id(99), number), Memory::Forgotten);
        }
        let forked = Head {
            recent: Vec::new(),
            ..head()
        };
        assert_eq!(recall(&forked, id(99), 39), Memory::Forgotten);
    }
}
