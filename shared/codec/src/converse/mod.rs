//! Bedrock Converse messages (also the messages of Strands agents) to the model and back, without loss.
//!
//! The plain mapping is what anybody would expect: `text` is text, `toolUse` a tool call, `toolResult` a tool
//! result in a message of its own, `reasoningContent` reasoning, and every other block a provider block
//! that holds it verbatim. It cannot be exact by itself: Converse has no place for a model id or a user's name,
//! and our model keeps tool calls apart from text, so their order is lost. Wherever the plain mapping cannot
//! be turned back, the converted message carries a hint in its metadata, key [`HINT_KEY`]: the
//! difference between what the way back would give and what it has to give.
//!
//! A hint is believed only if converting its outcome again yields the very message it was found in. So the
//! visible message always wins: a hint that was forged, or that no longer fits an edited message, is
//! ordinary metadata.

mod error;
mod hint;
mod message;
mod patch;
mod read;
mod write;

pub use error::ConverseError;
pub use hint::{HINT_KEY, from_converse, to_converse};
pub use message::{Block, ConverseMessage, ConverseRole};

/// The provider named on blocks that only Converse knows.
const BEDROCK: &str = "bedrock";
