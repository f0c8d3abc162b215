//! The record of a summary: what it says, what it stands for, and how it came about.
//!
//! ```text
//! id  = SHA-256( "colloquy/summary/1"  genesis  lp(branch)  previous or zeros  first_seq  last_seq  ends_at
//!                input_hash  u64(prompt_version)  lp(model)  lp(text) )
//!
//! lp(x) = u64(length in bytes)  x          integers big-endian
//! ```
//!
//! The id covers all that makes the summary what it is, so that a writer whose answer was lost knows its own
//! record when it sees it, and two records with one id are one summary.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::id::Conversation;
use crate::turn::TurnId;

/// The id of a summary: hash of its place, its input and its text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SummaryId(pub [u8; 32]);

/// A summary of the oldest messages of a branch, as kept with its context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryRecord {
    /// Its id.
    pub id: SummaryId,
    /// What it says.
    pub text: String,
    /// Number of the first message it stands for, counted from 0. More than 0 where what came before had
    /// expired when it was made, and no earlier summary stood for it.
    pub first_seq: u64,
    /// Number of the last message it stands for.
    pub last_seq: u64,
    /// The turn that message belongs to, or the root of the chain where other software wrote it.
    pub ends_at: TurnId,
    /// Who wrote it.
    pub model: String,
    /// The version of the instructions it was written by.
    pub prompt_version: u32,
    /// Hash of the text it was made from.
    pub input_hash: [u8; 32],
    /// Tokens the model read for it, all steps together.
    pub input_tokens: u64,
    /// Tokens the model wrote for it, all steps together.
    pub output_tokens: u64,
    /// The estimate for all messages it stands for, those of earlier summaries included.
    pub covered_tokens: u64,
    /// When it was made: milliseconds since the epoch.
    pub created_at_ms: i64,
    /// The summary it continues.
    pub previous: Option<SummaryId>,
}

impl SummaryRecord {
    /// How many messages, from the first one of the conversation on, need not be shown beside it.
    #[must_use]
    pub fn covered(&self) -> u64 {
        self.last_seq.saturating_add(1)
    }

    /// The id a record of this branch with this content has, whatever its own says.
    #[must_use]
    pub fn id_in(&self, conversation: &Conversation, branch: Option<&str>) -> SummaryId {
        let mut hash = Sha256::new_with_prefix("colloquy/summary/1");
        hash.update(TurnId::genesis(conversation).0);
        field(&mut hash, branch.unwrap_or_default());
        hash.update(self.previous.map_or([0; 32], |id| id.0));
        hash.update(self.first_seq.to_be_bytes());
        hash.update(self.last_seq.to_be_bytes());
        hash.update(self.ends_at.0);
        hash.update(self.input_hash);
        hash.update(u64::from(self.prompt_version).to_be_bytes());
        field(&mut hash, &self.model);
        field(&mut hash, &self.text);
        SummaryId(hash.finalize().into())
    }
}

fn field(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_be_bytes());
    hash.update(text);
}

impl fmt::Display for SummaryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for SummaryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SummaryId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_makes_a_summary_another_changes_its_id() {
        let conversation = |session: &str| Conversation {
            memory: "m".into(),
            actor: "a".into(),
            session: session.into(),
        };
        let record = SummaryRecord {
            id: SummaryId([0; 32]),
            text: "They met.".into(),
            first_seq: 0,
            last_seq: 9,
            ends_at: TurnId([1; 32]),
            model: "model".into(),
            prompt_version: 1,
            input_hash: [2; 32],
            input_tokens: 10,
            output_tokens: 5,
            covered_tokens: 100,
            created_at_ms: 7,
            previous: None,
        };
        let id = |record: &SummaryRecord| record.id_in(&conversation("s"), None);
        let other = |change: fn(&mut SummaryRecord)| {
            let mut changed = record.clone();
            change(&mut changed);
            id(&changed)
        };
        let ids = [
            id(&record),
            record.id_in(&conversation("t"), None),
            record.id_in(&conversation("s"), Some("b")),
            other(|record| record.text.push('!')),
            other(|record| record.first_seq = 1),
            other(|record| record.last_seq = 8),
            other(|record| record.ends_at = TurnId([3; 32])),
            other(|record| record.model.push('2')),
            other(|record| record.prompt_version = 2),
            other(|record| record.input_hash = [3; 32]),
            other(|record| record.previous = Some(SummaryId([4; 32]))),
        ];
        let distinct: std::collections::HashSet<_> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len());
        let same = other(|record| record.created_at_ms = 8);
        assert_eq!(same, id(&record), "when it was made does not matter");
    }
}
