//! Pacing: writes of one session start no faster than the service takes them.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::deadline::Deadline;
use crate::error::Error;
use crate::ports::Clock;

/// Creates a second of one session, where an event holds a conversational item.
pub(crate) const CONVERSATIONAL_PER_SECOND: usize = 5;
/// The same where none does.
pub(crate) const SILENT_PER_SECOND: usize = 10;
/// Deletes a second of one session.
pub(crate) const DELETES_PER_SECOND: usize = 5;

/// A second, and a little for requests that travel at different speeds.
const SECOND_MS: u64 = 1_050;

/// Hands out starting times: never more than `limit` in any second.
#[derive(Debug)]
pub(crate) struct Pace {
    limit: usize,
    starts: Mutex<VecDeque<u64>>,
}

impl Pace {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            starts: Mutex::new(VecDeque::with_capacity(limit)),
        }
    }

    /// How long the last of `calls` has to wait for its start.
    pub(crate) fn span(&self, calls: usize) -> Duration {
        let waves = calls.saturating_sub(1) / self.limit;
        Duration::from_millis(SECOND_MS.saturating_mul(waves as u64))
    }

    /// Waits for the caller's turn; an error where that is after the deadline. Repeated calls count too.
    pub(crate) async fn start(&self, clock: &impl Clock, deadline: Deadline) -> Result<(), Error> {
        let wait = self.reserve(clock.monotonic_ms());
        deadline.sleep(clock, wait).await
    }

    fn reserve(&self, now: u64) -> Duration {
        let mut starts = self.starts.lock().unwrap_or_else(PoisonError::into_inner);
        let free = if starts.len() < self.limit {
            now
        } else {
            starts
                .pop_front()
                .map_or(now, |start| now.max(start + SECOND_MS))
        };
        starts.push_back(free);
        Duration::from_millis(free - now)
    }
}

#[cfg(test)]
mod tests {
    use super::{Pace, SECOND_MS};

    #[test]
    fn no_second_holds_more_starts_than_the_limit() {
        let pace = Pace::new(5);
        let mut starts = Vec::new();
        for call in 0..40_u64 {
            let now = call * 130;
            starts.push(now + u64::try_from(pace.reserve(now).as_millis()).unwrap());
        }
        for window in starts.windows(6) {
            assert!(window[5] - window[0] >= SECOND_MS, "{window:?}");
        }
    }

    #[test]
    fn the_first_wave_starts_at_once() {
        let pace = Pace::new(5);
        let waits: Vec<_> = (0..6).map(|_| pace.reserve(9).as_millis()).collect();
        assert_eq!(waits, [0, 0, 0, 0, 0, u128::from(SECOND_MS)]);
        assert_eq!(pace.span(5).as_millis(), 0);
        assert_eq!(pace.span(6).as_millis(), u128::from(SECOND_MS));
        assert_eq!(pace.span(40).as_millis(), u128::from(7 * SECOND_MS));
    }
}
