//! Load and store of conversations as a hash-linked chain of turns, committed by one conditional write.

mod head;
mod id;
pub mod ports;
mod turn;

pub use head::{Head, REMEMBERED_TURNS, ShortTurn};
pub use id::{Conversation, KeyHash};
pub use turn::{Link, NotATurnId, PartHash, TurnId};
