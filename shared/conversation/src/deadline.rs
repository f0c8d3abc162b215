//! The time a request has, measured on the clock that never goes back.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures_util::future::{Either, select};

use crate::error::Error;
use crate::ports::Clock;

/// The moment a request has to be answered by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    at_ms: u64,
}

impl Deadline {
    /// The moment `remaining` from now.
    pub(crate) fn after(clock: &impl Clock, remaining: Duration) -> Self {
        let remaining = u64::try_from(remaining.as_millis()).unwrap_or(u64::MAX);
        Self {
            at_ms: clock.monotonic_ms().saturating_add(remaining),
        }
    }

    /// The time left.
    pub(crate) fn remaining(self, clock: &impl Clock) -> Duration {
        Duration::from_millis(self.at_ms.saturating_sub(clock.monotonic_ms()))
    }

    /// Waits, or says at once that there is no time to.
    pub(crate) async fn sleep(self, clock: &impl Clock, wait: Duration) -> Result<(), Error> {
        if wait >= self.remaining(clock) {
            return Err(Error::DeadlineExceeded);
        }
        if !wait.is_zero() {
            clock.sleep(wait).await;
        }
        Ok(())
    }

    /// The answer of a call, or nothing where the time ran out first. A write may have happened then.
    pub(crate) async fn bound<T>(
        self,
        clock: &impl Clock,
        call: impl Future<Output = T>,
    ) -> Option<T> {
        let remaining = self.remaining(clock);
        if remaining.is_zero() {
            return None;
        }
        match select(pin!(call), pin!(clock.sleep(remaining))).await {
            Either::Left((answer, _)) => Some(answer),
            Either::Right(_) => None,
        }
    }
}
