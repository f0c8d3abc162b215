//! Random numbers.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use conversation::ports::Entropy;

/// Random numbers seeded by the operating system: a `SplitMix64` sequence, quick and not for secrets.
#[derive(Debug)]
pub struct SystemEntropy {
    state: AtomicU64,
}

impl SystemEntropy {
    /// A sequence of its own.
    #[must_use]
    pub fn new() -> Self {
        // The standard library draws the keys of its hash maps from the operating system.
        Self::seeded(RandomState::new().hash_one(std::process::id()))
    }

    /// The sequence of this seed, for runs that must repeat.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self {
            state: AtomicU64::new(seed),
        }
    }
}

impl Default for SystemEntropy {
    fn default() -> Self {
        Self::new()
    }
}

impl Entropy for SystemEntropy {
    fn next_u64(&self) -> u64 {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut mixed = self
            .state
            .fetch_add(STEP, Ordering::Relaxed)
            .wrapping_add(STEP);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_processes_do_not_share_a_sequence() {
        assert_ne!(
            SystemEntropy::new().next_u64(),
            SystemEntropy::new().next_u64()
        );
    }

    #[test]
    fn a_seed_gives_the_published_sequence() {
        let entropy = SystemEntropy::seeded(1_234_567);
        assert_eq!(entropy.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(entropy.next_u64(), 3_203_168_211_198_807_973);
    }
}
