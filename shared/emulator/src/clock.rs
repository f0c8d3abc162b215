//! A clock that tests can stop and move.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Server time in milliseconds since 1970: the machine's clock shifted by an offset, or a fixed moment.
#[derive(Debug)]
pub(crate) struct Clock {
    fixed: AtomicBool,
    /// The moment itself when fixed, otherwise the shift added to the machine's clock.
    millis: AtomicU64,
}

impl Clock {
    pub(crate) fn running() -> Self {
        Self {
            fixed: AtomicBool::new(false),
            millis: AtomicU64::new(0),
        }
    }

    pub(crate) fn fixed_at(millis: u64) -> Self {
        Self {
            fixed: AtomicBool::new(true),
            millis: AtomicU64::new(millis),
        }
    }

    pub(crate) fn now(&self) -> u64 {
        let millis = self.millis.load(Ordering::SeqCst);
        if self.is_fixed() {
            millis
        } else {
            machine_now().saturating_add(millis)
        }
    }

    pub(crate) fn is_fixed(&self) -> bool {
        self.fixed.load(Ordering::SeqCst)
    }

    /// Moves time forward. Time never runs backwards here: stored expiry dates rely on that, and a
    /// server whose clock differs for one call is what the clock skew fault is for.
    pub(crate) fn advance(&self, by: Duration) {
        let by = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        // The value is only ever added to, so a plain load and store could lose a concurrent move.
        let _ = self
            .millis
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |now| {
                Some(now.saturating_add(by))
            });
    }

    /// Stops the clock at a moment.
    pub(crate) fn stop_at(&self, millis: u64) {
        self.millis.store(millis, Ordering::SeqCst);
        self.fixed.store(true, Ordering::SeqCst);
    }
}

/// The machine's own time.
pub(crate) fn machine_now() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_clock_stands_until_it_is_moved() {
        let clock = Clock::fixed_at(1_000);
        assert_eq!(clock.now(), 1_000);
        clock.advance(Duration::from_secs(2));
        assert_eq!(clock.now(), 3_000);
    }

    #[test]
    fn a_running_clock_keeps_its_shift() {
        let clock = Clock::running();
        clock.advance(Duration::from_hours(24));
        let ahead = clock.now() - machine_now();
        assert!((86_390_000..=86_400_000).contains(&ahead), "{ahead}");
    }
}
