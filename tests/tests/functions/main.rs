//! The functions as processes, called as Lambda calls them.

// A failed expectation is how a test speaks; that also goes for its helpers.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing
)]

mod continuity;
mod damage;
mod errors;
mod hostile;
mod isolation;
mod privacy;
mod summarize;
mod warm;
