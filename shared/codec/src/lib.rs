//! Conversation messages to AgentCore Memory payloads and back, without loss.

pub mod model;
mod payload;

pub use payload::{Event, Payload, Role};
