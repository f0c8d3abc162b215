//! One test per row of the check list for a faithful emulator, on the wire. The test's name carries the row.
// Helper functions of a test may fail it.
#![allow(clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod branches;
mod hardest;
mod limits;
mod listings;
mod payloads;
mod requests;
mod time;
