//! Tokens by which a store with transactions recognises a request that is sent again.

use sha2::{Digest, Sha256};

use crate::turn::TurnId;

/// A token for a write of what `subject` names: the same for its retries, by the `salt` no other's. At most 36
/// characters are taken.
pub(crate) fn request_token(subject: &[&[u8]], salt: u64) -> String {
    let mut hash = Sha256::new_with_prefix("colloquy/request-token/1");
    for part in subject {
        hash.update(part);
    }
    hash.update(salt.to_be_bytes());
    let digits = TurnId(hash.finalize().into()).to_string();
    digits.chars().take(32).collect()
}
