//! Conversation messages to AgentCore Memory payloads and back, without loss.

mod foreign;
pub mod model;
mod payload;
pub mod strands;

pub use foreign::ForeignReason;
pub use payload::{Event, Payload, Role};
