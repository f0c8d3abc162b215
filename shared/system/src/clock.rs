//! The machine's clock.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use conversation::ports::Clock;

/// Wall clock and timer of the machine; the timer is the runtime's.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock whose monotonic half starts now.
    #[must_use]
    pub fn new() -> Self {
        Self {
            start: Instant::now(),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        // A clock before 1970 is wrong anyway; the protocol only asks that timestamps rise.
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }

    fn monotonic_ms(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn sleep_takes_its_time() {
        let clock = SystemClock::new();
        let before = clock.monotonic_ms();
        clock.sleep(Duration::from_millis(30)).await;
        assert!(clock.monotonic_ms() - before >= 29);
    }
}
