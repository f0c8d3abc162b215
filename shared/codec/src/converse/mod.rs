//! Bedrock Converse messages (also the messages of Strands agents) to the model and back, without loss.
//!
//! The plain mapping is what anybody would expect: `text` is text, `toolUse` a tool call, `toolResult` a tool
//! result in a message of its own, `reasoningContent` reasoning, and every other block a provider block
//! that holds it verbatim. It cannot be exact by itself: Converse has no place for a model id or a user's name,
//! and our model keeps tool calls apart from text, so their order is lost. Wherever the plain mapping cannot
//! be turned back, the converted message carries a hint in its metadata, key [`HINT_KEY`]: the
//! difference between what the way back would give and what it has to give.
//!
//! [`outgoing`] is the same as [`to_converse`] for messages that are only going to be written, as JSON for a caller or
//! for a model: it copies nothing and works a hint out when, and if, it is written.
//!
//! A hint is believed only if converting its outcome again yields the very message it was found in. So the
//! visible message always wins: a hint that was forged, or that no longer fits an edited message, is
//! ordinary metadata.

mod block;
mod error;
mod held;
mod hint;
mod known;
mod list;
mod message;
mod outgoing;
mod patch;
mod read;
mod write;

pub use block::{BlockKind, Blocks, OutgoingBlock};
pub use error::ConverseError;
pub use hint::{HINT_KEY, from_converse, to_converse};
pub use list::{JsonList, to_json};
pub use message::{Block, ConverseMessage, ConverseRole};
pub use outgoing::{Outgoing, Reader, outgoing};

/// The provider named on blocks that only Converse knows.
const BEDROCK: &str = "bedrock";
