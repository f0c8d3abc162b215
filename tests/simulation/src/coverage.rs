//! What a run really exercised, counted.

use std::collections::BTreeMap;
use std::fmt;

/// What a long campaign must have met, every fault and every kind of outcome, to mean anything.
pub const EVERYTHING: &[&str] = &[
    "access denied",
    "answer lost",
    "begun by other software",
    "branch forked",
    "commit took effect",
    "context expired",
    "crash",
    "create recognised by token",
    "days pass",
    "duplicated",
    "effect after the caller gave up",
    "head expired",
    "landed",
    "landed unheard",
    "load after the storm",
    "load answered",
    "load dropped duplicates",
    "load evicted messages",
    "load failed",
    "load kept pinned messages",
    "load met expired turns",
    "load refused: integrity",
    "load refused: not yet visible",
    "load reported a mismatch",
    "load skipped uncommitted events",
    "nothing to store",
    "orphan deleted",
    "repeated unseen",
    "request lost",
    "retry after an unknown outcome",
    "store acknowledged",
    "store after the storm",
    "store failed: access denied",
    "store failed: deadline exceeded",
    "store failed: throttled",
    "store failed: unavailable",
    "store failed: unknown outcome",
    "store refused: conflict",
    "store refused: invalid",
    "store replayed",
    "store resolved after the storm",
    "same turn as another's",
    "store walked the chain",
    "tampered: a number replaced",
    "tampered: a parent replaced",
    "tampered: a payload replaced",
    "tampered: an event removed",
    "throttled",
];

/// How often each thing happened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage(BTreeMap<&'static str, u64>);

impl Coverage {
    /// One more of these.
    pub fn hit(&mut self, name: &'static str) {
        *self.0.entry(name).or_default() += 1;
    }

    /// How many there were.
    #[must_use]
    pub fn count(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or(0)
    }

    /// Adds the counts of another run.
    pub fn add(&mut self, other: &Self) {
        for (name, count) in &other.0 {
            *self.0.entry(name).or_default() += count;
        }
    }

    /// Those of `names` that never happened.
    #[must_use]
    pub fn missing<'a>(&self, names: &[&'a str]) -> Vec<&'a str> {
        names
            .iter()
            .copied()
            .filter(|name| self.count(name) == 0)
            .collect()
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.0.keys().map(|name| name.len()).max().unwrap_or(0);
        self.0
            .iter()
            .try_for_each(|(name, count)| writeln!(f, "  {name:<width$}  {count:>9}"))
    }
}
