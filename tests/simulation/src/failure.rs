//! What a broken run leaves behind.

use std::fmt;

/// How much of its trace is printed.
const SHOWN: usize = 400;

/// A run in which something happened that must not.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The seed to replay it with.
    pub seed: u64,
    /// The step it was noticed at.
    pub step: u64,
    /// What happened.
    pub what: String,
    /// All that led to it.
    pub trace: Vec<String>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}, step {}: {}", self.seed, self.step, self.what)?;
        let shown = self.trace.len().saturating_sub(SHOWN);
        self.trace
            .iter()
            .skip(shown)
            .try_for_each(|line| writeln!(f, "{line}"))?;
        write!(
            f,
            "replay: cargo run --release -p simulation -- --steps 1 --seed {}",
            self.seed
        )
    }
}

impl std::error::Error for Failure {}
