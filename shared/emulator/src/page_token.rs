//! `nextToken`: opaque to clients, bound to the listing it came from.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::error::{ApiError, Reason};
use crate::random::rank;

/// A place in a listing. What the numbers mean is up to the listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageToken {
    pub(crate) first: u64,
    pub(crate) second: u64,
    pub(crate) salt: u64,
    pub(crate) name: String,
}

impl PageToken {
    /// `listing` names the listing and all that must not change between its pages.
    pub(crate) fn encode(&self, listing: &str) -> String {
        let body = format!(
            "{:x}.{:x}.{:x}.{}",
            self.first, self.second, self.salt, self.name
        );
        let check = rank(rank(1, listing), &body);
        URL_SAFE_NO_PAD.encode(format!("{check:016x}{body}"))
    }

    pub(crate) fn decode(text: &str, listing: &str) -> Result<Self, ApiError> {
        Self::read(text, listing).ok_or_else(|| {
            ApiError::validation(
                Reason::FieldValidationFailed,
                "Invalid nextToken: it does not belong to this listing",
            )
        })
    }

    fn read(text: &str, listing: &str) -> Option<Self> {
        let plain = String::from_utf8(URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let (check, body) = plain.split_at_checked(16)?;
        if format!("{:016x}", rank(rank(1, listing), body)) != check {
            return None;
        }
        let mut parts = body.splitn(4, '.');
        let mut number = || u64::from_str_radix(parts.next()?, 16).ok();
        let (first, second, salt) = (number()?, number()?, number()?);
        Some(Self {
            first,
            second,
            salt,
            name: parts.next()?.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_work_only_where_they_came_from() {
        let token = PageToken {
            first: 1,
            second: u64::MAX,
            salt: 3,
            name: "a.b".into(),
        };
        let text = token.encode("ListEvents/m/a/s");
        assert_eq!(PageToken::decode(&text, "ListEvents/m/a/s").unwrap(), token);
        assert!(PageToken::decode(&text, "ListEvents/m/a/t").is_err());
    }

    #[test]
    fn made_up_tokens_are_refused() {
        for text in [
            "",
            "x",
            "!!!",
            "AAAA",
            "MDAwMDAwMDAwMDAwMDAwMDEuMi4zLg",
            "8J-YgPCfmIDwn5iA8J-YgPCfmIA",
        ] {
            assert!(PageToken::decode(text, "l").is_err(), "{text}");
        }
    }
}
