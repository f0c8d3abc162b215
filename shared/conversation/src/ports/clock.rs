//! Time and randomness, both handed in so that a simulation can own them.

use std::future::Future;
use std::time::Duration;

/// Wall clock and timer.
pub trait Clock: Send + Sync {
    /// Milliseconds since the Unix epoch. May jump, and may disagree with other processes.
    fn now_ms(&self) -> i64;

    /// Milliseconds on a clock that never goes back. Deadlines are measured on it.
    fn monotonic_ms(&self) -> u64;

    /// Waits.
    fn sleep(&self, duration: Duration) -> impl Future<Output = ()> + Send;
}

/// A source of random numbers: retry jitter and the salt of client tokens. Not for secrets, but no two
/// processes may draw the same ones: each deletes only what it wrote itself, and knows it by its salt.
pub trait Entropy: Send + Sync {
    /// The next 64 random bits.
    fn next_u64(&self) -> u64;
}
