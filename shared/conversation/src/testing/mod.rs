//! What unit tests share: short names for messages, and the memory ports with a call log, a latency of one
//! tick a call, and faults on order.

mod message;
mod world;

pub(crate) use message::{assistant, call, pinned, result, system, text, user};
pub(crate) use world::{Call, Fault, START_MS, TIME, World, append, everything};
