//! Client tokens, for as long as they are remembered.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::event::{Place, StoredEvent};

/// SHA-256 over the parameters of a request, or over a token.
pub(crate) type Digest = [u8; 32];

/// The call that used a token first.
#[derive(Debug, Clone)]
pub(crate) struct Remembered {
    pub(crate) digest: Digest,
    pub(crate) at: u64,
    pub(crate) place: Place,
    pub(crate) event: Arc<StoredEvent>,
}

/// Tokens by the digest of their scoped name, which is long and kept for each event; oldest forgotten first.
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    known: HashMap<Digest, Remembered>,
    order: VecDeque<(u64, Digest)>,
}

impl Tokens {
    /// The first call with this token, unless that is longer ago than the window.
    pub(crate) fn recall(&mut self, token: &str, now: u64, window_ms: u64) -> Option<&Remembered> {
        self.forget(now, window_ms);
        self.known
            .get(&digest(token))
            .filter(|first| now < first.at.saturating_add(window_ms))
    }

    pub(crate) fn remember(&mut self, token: &str, first: Remembered) {
        let token = digest(token);
        self.order.push_back((first.at, token));
        self.known.insert(token, first);
    }

    /// Entries arrive in about the order of time, so the oldest are at the front; a stray late one only
    /// stays a little longer, and `recall` checks the time again.
    fn forget(&mut self, now: u64, window_ms: u64) {
        while self
            .order
            .front()
            .is_some_and(|(at, _)| at.saturating_add(window_ms) <= now)
        {
            let Some((at, token)) = self.order.pop_front() else {
                break;
            };
            if self.known.get(&token).is_some_and(|first| first.at == at) {
                self.known.remove(&token);
            }
        }
    }
}

fn digest(token: &str) -> Digest {
    Sha256::digest(token).into()
}
