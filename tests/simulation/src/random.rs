//! The only source of chance in the simulation.

/// A small seeded generator (SplitMix64): the same seed gives the same run on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// A generator that starts at `seed`.
    #[must_use]
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, or 0 where `bound` is 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.bits().checked_rem(bound).unwrap_or(0)
    }

    /// An index into something of this length.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap_or(0)
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.abs_diff(low) + 1;
        low.saturating_add_unsigned(self.below(span))
    }

    /// True this many times in a thousand.
    pub(crate) fn chance(&mut self, per_mille: u64) -> bool {
        self.below(1000) < per_mille
    }

    /// A generator of its own, so that one party's draws do not shift another's.
    #[must_use]
    pub(crate) fn fork(&mut self) -> Self {
        Self(self.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_draws_the_same_numbers() {
        let mut one = Random::new(7);
        let mut two = Random::new(7);
        assert!((0..100).all(|_| one.bits() == two.bits()));
        assert_ne!(Random::new(7).bits(), Random::new(8).bits());
    }

    #[test]
    fn between_includes_both_ends() {
        let mut random = Random::new(1);
        let drawn: Vec<i64> = (0..200).map(|_| random.between(-2, 2)).collect();
        assert!((-2..=2).all(|n| drawn.contains(&n)));
        assert!(drawn.iter().all(|n| (-2..=2).contains(n)));
    }
}
