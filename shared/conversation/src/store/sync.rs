//! Sync mode: what of a whole conversation is new.

use codec::model::Message;

use crate::error::ConflictKind;
use crate::fingerprint::{EMPTY, extend};
use crate::head::Head;

/// How many of the first messages are stored already. A caller whose messages do not begin with those
/// stored is refused, since there is no telling which of them are new.
pub(super) fn stored_prefix(head: &Head, messages: &[Message]) -> Result<usize, ConflictKind> {
    let too_short = || ConflictKind::PrefixTooShort {
        stored: head.count,
        given: messages.len() as u64,
    };
    let count = usize::try_from(head.count).map_err(|_| too_short())?;
    let prefix = messages.get(..count).ok_or_else(too_short)?;
    if extend(EMPTY, prefix) == head.fingerprint {
        Ok(count)
    } else {
        Err(ConflictKind::PrefixMismatch { stored: head.count })
    }
}
