//! Sessions that are being written to, where two writes at once are a conflict.

use std::collections::HashSet;
use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use crate::world::lock;

/// The sessions held by a write in progress.
#[derive(Debug, Default)]
pub(crate) struct Holds {
    sessions: Mutex<HashSet<String>>,
}

/// A session held by one write; free again when dropped, also where the call is cut off.
#[derive(Debug)]
pub(crate) struct Hold<'a> {
    holds: &'a Holds,
    session: String,
    since: Instant,
}

impl Holds {
    /// Holds a session, unless another write does.
    pub(crate) fn take(&self, session: String) -> Option<Hold<'_>> {
        lock(&self.sessions).insert(session.clone()).then(|| Hold {
            holds: self,
            session,
            since: Instant::now(),
        })
    }
}

impl Hold<'_> {
    /// Lets go once it has been held this long. A write on loopback takes so little time that two that were sent
    /// together would hardly ever meet.
    pub(crate) async fn release_after(self, least: Duration) {
        tokio::time::sleep_until(self.since + least).await;
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        lock(&self.holds.sessions).remove(&self.session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_held_by_one_write_at_a_time() {
        let holds = Holds::default();
        let first = holds.take("a".to_owned());
        assert!(first.is_some());
        assert!(holds.take("a".to_owned()).is_none());
        assert!(holds.take("b".to_owned()).is_some());
        drop(first);
        assert!(holds.take("a".to_owned()).is_some());
    }
}
