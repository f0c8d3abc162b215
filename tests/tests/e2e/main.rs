//! The domain over its real adapters: the emulator for the log and the model, DynamoDB for the context.

// A failed expectation is how a test speaks; that also goes for its helpers.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing
)]
// The SDK makes futures large, and nothing here copies them often.
#![allow(clippy::large_futures)]

mod branches;
mod failures;
mod foreign;
mod kill;
mod lost_answers;
mod summarize;
mod writers;
