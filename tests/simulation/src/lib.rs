//! A deterministic simulation of the protocol: every interleaving and fault a seed can draw.
//!
//! Writers and readers run the real `store` and `load` as futures on one thread, over a world of its own
//! making: an event log, a context store, a network and clocks that misbehave as a seed says. A ledger of
//! what was truly committed judges every answer. The same seed gives the same run.

// A simulation whose own assumptions fail must stop at once, and it reports on the console.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc
)]

mod coverage;
mod exhaustive;
mod failure;
mod judge;
mod ledger;
mod operation;
mod plan;
mod protocol;
mod random;
mod run;
mod scenario;
mod setup;
mod simulation;
mod trouble;
mod verdict;
mod world;

pub use coverage::{Coverage, EVERYTHING};
pub use exhaustive::explore;
pub use failure::Failure;
pub use run::{Ran, campaign, run};
pub use setup::{Explored, Setup};
