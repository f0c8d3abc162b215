//! The program as its user meets it, as a process of its own.

// A failed expectation is how a test speaks; that also goes for its helpers.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod first_minute;
mod kept;
mod overload;
mod running;
mod summaries;
