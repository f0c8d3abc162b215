//! The emulator driven by the AWS SDK for Rust.

mod clients;
mod converse;
mod events;
mod faults;
mod listings;
mod records;
mod signatures;
