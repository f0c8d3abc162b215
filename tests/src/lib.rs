//! What is proved across crates: end to end, simulation, interop, benchmarks.
//!
//! This library is what the test files share: the services on loopback, a proxy that makes calls
//! countable and lossy, and one contract suite a port.

// A failed expectation is how a test speaks, and this crate is nothing but tests.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::missing_panics_doc
)]
// The SDK makes futures large, and nothing here copies them often.
#![allow(clippy::large_futures)]

mod clock;
pub mod contract;
mod items;
pub mod lambda;
pub mod messages;
mod ports;
mod proxy;
mod table;
mod world;

pub use clock::TestClock;
pub use items::Items;
pub use ports::{TestPorts, ports};
pub use proxy::{Call, Fault, Proxy, round_trips, time_in_calls};
pub use table::Table;
pub use world::{Calls, World};
