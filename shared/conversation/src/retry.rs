//! The one retry layer: full jitter, a budget for the whole request, and its deadline.

use std::future::Future;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::deadline::Deadline;
use crate::error::Error;
use crate::ports::{Clock, ContextError, Entropy, EventLogError};

const FIRST_WAIT_MS: u64 = 50;
const LONGEST_WAIT_MS: u64 = 2_000;

/// What the calls of one request share.
#[derive(Debug)]
pub(crate) struct Retry<'a, K, R> {
    pub(crate) clock: &'a K,
    pub(crate) entropy: &'a R,
    pub(crate) deadline: Deadline,
    most: u32,
    budget: AtomicU32,
}

impl<'a, K: Clock, R: Entropy> Retry<'a, K, R> {
    /// `budget` is how often the calls of the request may be repeated altogether: a service in trouble
    /// must not be met with a multiple of its load. A call that works earns one repetition back, so that a
    /// long listing may be throttled now and then.
    pub(crate) fn new(clock: &'a K, entropy: &'a R, deadline: Deadline, budget: u32) -> Self {
        Self {
            clock,
            entropy,
            deadline,
            most: budget,
            budget: AtomicU32::new(budget),
        }
    }

    /// Calls until it works, fails for good, or the budget or the time is used up.
    pub(crate) async fn run<T, X, F>(&self, mut call: impl FnMut() -> F) -> Result<T, Error>
    where
        X: Transient + Into<Error>,
        F: Future<Output = Result<T, X>>,
    {
        let mut attempt = 0;
        loop {
            let error = match self.deadline.bound(self.clock, call()).await {
                Some(Ok(answer)) => {
                    self.earn();
                    return Ok(answer);
                }
                Some(Err(error)) => error,
                None => return Err(Error::DeadlineExceeded),
            };
            if !error.is_transient() || !self.spend() {
                return Err(error.into());
            }
            // The cause says more than that the time ran out while waiting to try again.
            if self.back_off(attempt).await.is_err() {
                return Err(error.into());
            }
            attempt += 1;
        }
    }

    /// Takes one repetition from the budget.
    pub(crate) fn spend(&self) -> bool {
        self.budget
            .try_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            })
            .is_ok()
    }

    /// Gives one repetition back to the budget.
    fn earn(&self) {
        let earned = |left: u32| Some(left.saturating_add(1).min(self.most));
        let _ = self
            .budget
            .try_update(Ordering::Relaxed, Ordering::Relaxed, earned);
    }

    /// Waits before attempt number `attempt` + 1, a random share of a doubling span.
    pub(crate) async fn back_off(&self, attempt: u32) -> Result<(), Error> {
        let span = FIRST_WAIT_MS
            .saturating_mul(1 << attempt.min(16))
            .min(LONGEST_WAIT_MS);
        let wait = self.entropy.next_u64() % (span + 1);
        self.deadline
            .sleep(self.clock, Duration::from_millis(wait))
            .await
    }
}

/// Whether calling again may help.
pub(crate) trait Transient {
    fn is_transient(&self) -> bool;
}

impl Transient for EventLogError {
    fn is_transient(&self) -> bool {
        match self {
            Self::Throttled | Self::Conflict | Self::Unavailable { .. } => true,
            Self::NotFound
            | Self::AccessDenied
            | Self::QuotaExceeded
            | Self::Invalid { .. }
            | Self::TooLarge => false,
        }
    }
}

impl Transient for ContextError {
    fn is_transient(&self) -> bool {
        match self {
            Self::Throttled | Self::Unavailable { .. } => true,
            Self::NotFound | Self::AccessDenied | Self::TooLarge { .. } | Self::Corrupt { .. } => {
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use super::Retry;
    use crate::deadline::Deadline;
    use crate::error::{Error, Service};
    use crate::memory::{SeededEntropy, VirtualClock, run};
    use crate::ports::{Clock, EventLogError};

    /// Runs a call that fails `failures` times; gives its outcome, how often it was made, and how long it took.
    fn retried(
        budget: u32,
        deadline: Duration,
        error: &EventLogError,
        failures: u32,
    ) -> (Result<(), Error>, u32, u64) {
        let clock = VirtualClock::starting_at(0);
        let entropy = SeededEntropy::new(3);
        let retry = Retry::new(&clock, &entropy, Deadline::after(&clock, deadline), budget);
        let calls = Cell::new(0);
        let outcome = run(
            &clock,
            retry.run(|| {
                calls.set(calls.get() + 1);
                let fails = calls.get() <= failures;
                let error = error.clone();
                async move { if fails { Err(error) } else { Ok(()) } }
            }),
        );
        (outcome.unwrap(), calls.get(), clock.monotonic_ms())
    }

    #[test]
    fn a_passing_fault_is_waited_out() {
        let (outcome, calls, ms) = retried(9, Duration::from_mins(1), &EventLogError::Throttled, 9);
        assert_eq!((outcome, calls), (Ok(()), 10));
        assert!(ms > 0 && ms < 50 + 100 + 200 + 400 + 800 + 1600 + 3 * 2000);
    }

    #[test]
    fn the_budget_ends_it() {
        let (outcome, calls, _) = retried(3, Duration::from_mins(1), &EventLogError::Throttled, 9);
        assert_eq!(
            (outcome, calls),
            (Err(Error::Throttled(Service::EventLog)), 4)
        );
    }

    #[test]
    fn the_deadline_ends_it_with_the_cause() {
        let second = Duration::from_secs(1);
        let (outcome, _, ms) = retried(1000, second, &EventLogError::Throttled, 1000);
        assert_eq!(outcome, Err(Error::Throttled(Service::EventLog)));
        assert!(ms <= 1000);
    }

    #[test]
    fn a_lasting_fault_is_not_repeated() {
        let (outcome, calls, _) =
            retried(9, Duration::from_secs(1), &EventLogError::AccessDenied, 9);
        assert_eq!(
            (outcome, calls),
            (Err(Error::AccessDenied(Service::EventLog)), 1)
        );
    }

    #[test]
    fn no_time_means_no_call_that_counts() {
        let (outcome, _, _) = retried(9, Duration::ZERO, &EventLogError::Throttled, 0);
        assert_eq!(outcome, Err(Error::DeadlineExceeded));
    }
}
