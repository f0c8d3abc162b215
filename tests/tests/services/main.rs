//! The ports and the services behind them: what each promises, how it fails, and what an operation asks of it.

// A failed expectation is how a test speaks; that also goes for its helpers.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing
)]
// The SDK makes futures large, and nothing here copies them often.
#![allow(clippy::large_futures)]

mod calls;
mod context;
mod emulator_sdk;
mod events;
mod failures;
mod requests;
