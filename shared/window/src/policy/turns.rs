//! The last turns.

use super::Start;
use crate::facts::starts_turn;
use crate::history::History;

/// The start of the `count`-th turn from the end. Messages before the first turn belong to none, so
/// in a conversation with fewer turns the window opens with the first of them.
pub(super) fn last(history: &History<'_>, count: usize) -> Start {
    let messages = history.messages;
    let mut left = count;
    let mut oldest = messages.len();
    for (index, message) in messages.iter().enumerate().rev() {
        if left == 0 {
            break;
        }
        if starts_turn(message) {
            oldest = index;
            left -= 1;
        }
    }
    if left == 0 || history.is_whole() {
        Start::At(oldest)
    } else {
        Start::Before
    }
}
