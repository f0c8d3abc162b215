//! One write at a time, once the service has shown that it does not take several.
//!
//! Nobody says when the service answers a write with a conflict. If two writes of one session in flight at the
//! same time are reason enough, a turn written side by side meets itself again and again: of every wave one event
//! gets through, and the rest of the wave has used up the second's quota for nothing. So the first conflict ends
//! writing side by side for the rest of the turn. A service that raises none is still written to in waves.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::lock::{Mutex, MutexGuard};

/// Lets everybody through until it is narrowed, and one after the other from then on.
#[derive(Debug, Default)]
pub(super) struct Turnstile {
    narrow: AtomicBool,
    lane: Mutex<()>,
}

/// The right to make one call, kept while it lasts.
#[derive(Debug)]
pub(super) struct Passage<'a>(
    #[allow(dead_code, reason = "dropping it lets the next one in")] Option<MutexGuard<'a, ()>>,
);

impl Turnstile {
    /// From now on one at a time.
    pub(super) fn narrow(&self) {
        self.narrow.store(true, Ordering::Relaxed);
    }

    /// Waits for the caller's turn.
    pub(super) async fn pass(&self) -> Passage<'_> {
        if self.narrow.load(Ordering::Relaxed) {
            Passage(Some(self.lane.lock().await))
        } else {
            Passage(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::Turnstile;

    #[test]
    fn it_is_open_until_it_is_narrowed() {
        let turnstile = Turnstile::default();
        let one = turnstile.pass().now_or_never();
        let two = turnstile.pass().now_or_never();
        assert!(one.is_some() && two.is_some());
        turnstile.narrow();
        let three = turnstile.pass().now_or_never();
        assert!(
            three.is_some(),
            "those who were let in before do not block it"
        );
        assert!(turnstile.pass().now_or_never().is_none());
        drop(three);
        assert!(turnstile.pass().now_or_never().is_some());
    }
}
