//! The token by which DynamoDB recognises a repeated transaction.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The longest token the service takes.
const LIMIT: usize = 36;

/// `token` itself where the service takes it, otherwise a hash of it.
pub(crate) fn request_token(token: &str) -> String {
    if (1..=LIMIT).contains(&token.len()) {
        return token.to_owned();
    }
    let hash = Sha256::digest(token);
    let mut hex = String::with_capacity(LIMIT);
    for byte in hash.iter().take(LIMIT / 2) {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_tokens_are_kept_and_long_ones_stay_apart() {
        assert_eq!(request_token("abc"), "abc");
        let (one, other) = ("x".repeat(40), "x".repeat(41));
        assert_eq!(request_token(&one).len(), LIMIT);
        assert_eq!(request_token(&one), request_token(&one));
        assert_ne!(request_token(&one), request_token(&other));
        assert_eq!(request_token("").len(), LIMIT);
    }
}
