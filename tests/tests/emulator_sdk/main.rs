//! The emulator driven by the AWS SDK for Rust.
// Test helpers may fail the test that calls them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod clients;
mod converse;
mod events;
mod faults;
mod listings;
mod records;
mod signatures;
