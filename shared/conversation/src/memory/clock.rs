//! Time that passes only when everybody waits, and numbers that come out the same every time.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::ports::{Clock, Entropy};

/// A clock that stands still until [`run`] finds nothing else to do. Clones share their time.
#[derive(Clone, Debug)]
pub struct VirtualClock {
    started_ms: i64,
    time: Arc<Mutex<Time>>,
}

#[derive(Debug, Default)]
struct Time {
    passed_ms: u64,
    /// When each one wakes, and a number that tells those of one moment apart.
    sleepers: BTreeMap<(u64, u64), Option<Waker>>,
    next_sleeper: u64,
}

impl VirtualClock {
    /// A clock that starts at this many milliseconds since the epoch.
    #[must_use]
    pub fn starting_at(started_ms: i64) -> Self {
        Self {
            started_ms,
            time: Arc::default(),
        }
    }

    /// The same time, as a process sees it whose wall clock is off by this many milliseconds.
    #[must_use]
    pub fn skewed_by(&self, ms: i64) -> Self {
        Self {
            started_ms: self.started_ms.saturating_add(ms),
            time: Arc::clone(&self.time),
        }
    }

    /// Lets time pass.
    pub fn advance(&self, duration: Duration) {
        let passed = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let mut time = self.lock();
        time.passed_ms = time.passed_ms.saturating_add(passed);
        let due = time.due();
        drop(time);
        due.into_iter().for_each(Waker::wake);
    }

    /// Lets time pass to the next moment somebody waits for; false where nobody does.
    fn advance_to_next(&self) -> bool {
        let mut time = self.lock();
        let Some(((at, _), _)) = time.sleepers.first_key_value() else {
            return false;
        };
        time.passed_ms = time.passed_ms.max(*at);
        let due = time.due();
        drop(time);
        due.into_iter().for_each(Waker::wake);
        true
    }

    fn lock(&self) -> MutexGuard<'_, Time> {
        self.time.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Time {
    /// The wakers of those whose time has come. They are woken after the lock is released.
    fn due(&mut self) -> Vec<Waker> {
        let passed = self.passed_ms;
        let due = self.sleepers.range_mut(..=(passed, u64::MAX));
        due.filter_map(|(_, waker)| waker.take()).collect()
    }
}

impl Clock for VirtualClock {
    fn now_ms(&self) -> i64 {
        let passed = i64::try_from(self.lock().passed_ms).unwrap_or(i64::MAX);
        self.started_ms.saturating_add(passed)
    }

    fn monotonic_ms(&self) -> u64 {
        self.lock().passed_ms
    }

    fn sleep(&self, duration: Duration) -> impl Future<Output = ()> + Send {
        let wait = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let mut time = self.lock();
        let place = (time.passed_ms.saturating_add(wait), time.next_sleeper);
        time.next_sleeper += 1;
        time.sleepers.insert(place, None);
        drop(time);
        Sleep {
            clock: self.clone(),
            place,
        }
    }
}

struct Sleep {
    clock: VirtualClock,
    place: (u64, u64),
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut time = self.clock.lock();
        if time.passed_ms >= self.place.0 {
            return Poll::Ready(());
        }
        time.sleepers
            .insert(self.place, Some(context.waker().clone()));
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.clock.lock().sleepers.remove(&self.place);
    }
}

/// Runs a future to its end on this thread, letting virtual time pass whenever it waits. Nothing where it
/// waits for something that is not time.
pub fn run<T>(clock: &VirtualClock, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    // Only time can end a wait here, so the future is looked at again after each step of it.
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return Some(value);
        }
        if !clock.advance_to_next() {
            return None;
        }
    }
}

/// Random numbers from a seed: the same ones every time.
#[derive(Debug)]
pub struct SeededEntropy(AtomicU64);

impl SeededEntropy {
    /// The numbers of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }
}

impl Entropy for SeededEntropy {
    /// The `SplitMix64` sequence.
    fn next_u64(&self) -> u64 {
        let step = 0x9e37_79b9_7f4a_7c15_u64;
        let state = self.0.fetch_add(step, Ordering::Relaxed).wrapping_add(step);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
