//! Who speaks with whom: the identifiers of a conversation, already in the service's alphabet.

use sha2::{Digest, Sha256};

/// A conversation: one session of one actor in one memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Conversation {
    /// The AgentCore Memory resource.
    pub memory: String,
    /// Whose conversation it is.
    pub actor: String,
    /// Which of the actor's conversations.
    pub session: String,
}

/// Whether a branch name stands for the main line, which has none: the service calls it `main`.
pub(crate) fn is_main_line(branch: &str) -> bool {
    branch.is_empty() || branch == "main"
}

/// An idempotency key, hashed with the branch it was used on, so that any text may be a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct KeyHash(pub [u8; 32]);

impl KeyHash {
    /// The hash of `key` as used on `branch`.
    #[must_use]
    pub fn new(branch: Option<&str>, key: &str) -> Self {
        let branch = branch.unwrap_or_default();
        let mut hash = Sha256::new();
        // The length keeps ("a", "bc") and ("ab", "c") apart.
        hash.update((branch.len() as u64).to_be_bytes());
        hash.update(branch);
        hash.update(key);
        Self(hash.finalize().into())
    }
}
