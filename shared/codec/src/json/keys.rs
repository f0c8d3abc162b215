//! The keys of a JSON object, told apart without looking at them.

/// Some keys, as far as 32 bits can tell: each has its bit, and several share one.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Keys(u32);

impl Keys {
    #[inline]
    pub(crate) const fn of(keys: &[&str]) -> Self {
        let mut bits = 0;
        let mut rest = keys;
        while let [key, others @ ..] = rest {
            bits |= bit(hash(key));
            rest = others;
        }
        Self(bits)
    }

    /// Adds the key with that hash.
    pub(crate) fn add(&mut self, hash: u64) {
        self.0 |= bit(hash);
    }

    /// Whether some key may be among both. Where one is, the answer is always yes.
    pub(crate) const fn may_meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// What is known of a JSON text without looking into it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Marks {
    /// The keys of the outermost object.
    pub(crate) keys: Keys,
    /// How many arrays and objects the innermost value lies in.
    pub(crate) depth: u8,
    /// Whether a member of the outermost object is null.
    pub(crate) nulls: bool,
}

const fn bit(hash: u64) -> u32 {
    1 << (hash >> 59)
}

/// A quick hash, good enough to tell the keys of one object apart.
#[inline]
pub(crate) const fn hash(text: &str) -> u64 {
    let mut hash = 0;
    let mut rest = text.as_bytes();
    while let Some((word, others)) = rest.split_first_chunk::<8>() {
        hash = mixed(hash, u64::from_le_bytes(*word));
        rest = others;
    }
    let mut last = text.len() as u64;
    while let [byte, others @ ..] = rest {
        last = last << 8 | *byte as u64;
        rest = others;
    }
    mixed(hash, last)
}

const fn mixed(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}
