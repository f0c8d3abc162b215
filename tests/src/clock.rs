//! A clock that tests can hurry and move.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use conversation::ports::Clock;
use system::SystemClock;

/// No pause between two calls is longer, and deadlines of tests in a hurry are.
const LONGEST_SKIPPED: Duration = Duration::from_mins(10);

/// The machine's clock, moved by the test. Clones move together.
#[derive(Clone, Debug)]
pub struct TestClock {
    machine: SystemClock,
    moved_ms: Arc<AtomicI64>,
    /// Time that was asked to be slept and was not.
    skipped_ms: Arc<AtomicU64>,
    sleeps: bool,
}

impl TestClock {
    /// A clock that sleeps as long as it is asked to.
    #[must_use]
    pub fn new() -> Self {
        Self {
            machine: SystemClock::new(),
            moved_ms: Arc::default(),
            skipped_ms: Arc::default(),
            sleeps: true,
        }
    }

    /// A clock on which pauses take no time: for long conversations on services without limits. Longer
    /// waits are deadlines, which are waited for only in case, and pass as usual.
    #[must_use]
    pub fn hasty() -> Self {
        Self {
            sleeps: false,
            ..Self::new()
        }
    }

    /// Moves the wall clock forward.
    pub fn advance(&self, by: Duration) {
        let ms = i64::try_from(by.as_millis()).expect("a sensible time");
        self.moved_ms.fetch_add(ms, Ordering::SeqCst);
    }
}

impl Default for TestClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for TestClock {
    fn now_ms(&self) -> i64 {
        self.machine.now_ms() + self.moved_ms.load(Ordering::SeqCst)
    }

    fn monotonic_ms(&self) -> u64 {
        self.machine.monotonic_ms() + self.skipped_ms.load(Ordering::SeqCst)
    }

    async fn sleep(&self, duration: Duration) {
        if self.sleeps || duration > LONGEST_SKIPPED {
            return self.machine.sleep(duration).await;
        }
        let ms = u64::try_from(duration.as_millis()).expect("a sensible time");
        self.skipped_ms.fetch_add(ms, Ordering::SeqCst);
        tokio::task::yield_now().await;
    }
}
