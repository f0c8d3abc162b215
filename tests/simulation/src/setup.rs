//! What is searched, and what came of it.

use std::fmt;

/// What the two writers do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Whether they hold a token of the head, the same one.
    pub tokens: bool,
    /// Whether each has an idempotency key.
    pub keys: bool,
    /// Whether something is stored already.
    pub begun: bool,
    /// How many events each turn has.
    pub parts: usize,
    /// How many of the writers may meet one fault.
    pub faults: usize,
}

/// How much was searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Explored {
    /// Different schedules.
    pub schedules: u64,
    /// Schedules in which a writer crashed.
    pub crashes: u64,
    /// Schedules in which an answer got lost.
    pub lost: u64,
    /// Schedules that ended with both turns stored.
    pub both: u64,
    /// Schedules that ended with one.
    pub one: u64,
    /// Schedules that ended with none.
    pub none: u64,
}

impl Setup {
    /// Every setup worth a search: tokens on and off, keys on and off, an empty conversation and a begun
    /// one, turns of one and of two events, a fault of one writer and of both.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for (parts, faults) in [(1, 1), (2, 1), (1, 2), (2, 2)] {
            for (tokens, keys) in [(false, false), (true, false), (false, true), (true, true)] {
                all.extend([true, false].map(|begun| Self {
                    tokens,
                    keys,
                    begun,
                    parts,
                    faults,
                }));
            }
        }
        all
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |on: bool, yes, no| if on { yes } else { no };
        write!(
            f,
            "{}, {}, {}, {} part(s) a turn, {} writer(s) with a fault",
            word(self.begun, "begun conversation", "empty conversation"),
            word(self.tokens, "tokens", "no tokens"),
            word(self.keys, "keys", "no keys"),
            self.parts,
            self.faults
        )
    }
}

impl fmt::Display for Explored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} schedules, {} with a crash, {} with a lost answer; both turns stored {}, one {}, none {}",
            self.schedules, self.crashes, self.lost, self.both, self.one, self.none
        )
    }
}
