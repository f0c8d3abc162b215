//! Seeded randomness: the same seed gives the same ids and the same arbitrary orders.

use std::sync::atomic::{AtomicU64, Ordering};

/// A stream of numbers that look random and follow from the seed alone.
#[derive(Debug)]
pub(crate) struct Random {
    state: AtomicU64,
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            state: AtomicU64::new(seed),
        }
    }

    pub(crate) fn number(&self) -> u64 {
        let step = self
            .state
            .fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        mix(step)
    }

    /// The low half of a number, for event id suffixes.
    pub(crate) fn suffix(&self) -> u32 {
        u32::try_from(self.number() >> 32).unwrap_or(u32::MAX)
    }

    /// A version 4 UUID, the form in which the service makes up session ids.
    pub(crate) fn uuid(&self) -> String {
        let high = (self.number() & !0xf000) | 0x4000;
        let low = (self.number() & !(0b11 << 62)) | (0b10 << 62);
        format!(
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            high >> 32,
            (high >> 16) & 0xffff,
            high & 0xffff,
            low >> 48,
            low & 0xffff_ffff_ffff
        )
    }

    /// Letters and digits, as in the tail of a memory id.
    pub(crate) fn alphanumeric(&self, length: usize) -> String {
        const ALPHABET: &[u8; 62] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        std::iter::repeat_with(|| {
            let index = usize::try_from(self.number() % 62).unwrap_or(0);
            char::from(ALPHABET.get(index).copied().unwrap_or(b'A'))
        })
        .take(length)
        .collect()
    }
}

/// Scrambles a number one to one, so that distinct inputs never collide.
pub(crate) fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// A rank for a name that has nothing to do with its spelling.
pub(crate) fn rank(seed: u64, name: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ mix(seed);
    mix(name.bytes().fold(start, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_stream() {
        let (a, b) = (Random::new(7), Random::new(7));
        assert_eq!(a.uuid(), b.uuid());
        assert_ne!(a.number(), Random::new(8).number());
    }

    #[test]
    fn uuids_have_the_version_and_variant_of_random_ones() {
        let random = Random::new(1);
        for _ in 0..100 {
            let uuid = random.uuid();
            assert_eq!(uuid.len(), 36, "{uuid}");
            assert_eq!(uuid.as_bytes()[14], b'4', "{uuid}");
            assert!(b"89ab".contains(&uuid.as_bytes()[19]), "{uuid}");
        }
    }

    #[test]
    fn ranks_do_not_follow_the_alphabet() {
        let ranks: Vec<u64> = ["a", "b", "c", "d", "e", "f"]
            .map(|name| rank(3, name))
            .to_vec();
        assert!(!ranks.is_sorted());
    }
}
