//! The ports without a network: for tests, and for trying things out.
//!
//! They keep to what the services do, awkward parts included: listings newest first in pages of 100, events
//! of one millisecond in no particular order, client tokens that may count for nothing, events that expire.

mod clock;
mod context;
mod log;

pub use clock::{SeededEntropy, VirtualClock, run};
pub use context::MemoryContext;
pub use log::{ClientTokens, MemoryLog};

#[cfg(test)]
mod tests;
