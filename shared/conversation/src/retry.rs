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
    budget: AtomicU32,
}

impl<'a, K: Clock, R: Entropy> Retry<'a, K, R> {
    /// `budget` is how often the calls of the request may be repeated altogether: a service in trouble
    /// must not be met with a multiple of its load.
    pub(crate) fn new(clock: &'a K, entropy: &'a R, deadline: Deadline, budget: u32) -> Self {
        Self {
            clock,
            entropy,
            deadline,
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
                Some(Ok(answer)) => return Ok(answer),
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
            Self::Throttled | Self::Unavailable { .. } => true,
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
