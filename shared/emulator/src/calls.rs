//! The log of calls, for tests to assert on.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

/// How many entries are kept; counts go on beyond it.
const KEPT: usize = 100_000;

/// One call as it was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// Operation name; `Unknown` where the path names none.
    pub operation: String,
    /// Memory id as the caller gave it.
    pub memory_id: Option<String>,
    /// Actor of the call.
    pub actor_id: Option<String>,
    /// Session of the call.
    pub session_id: Option<String>,
    /// HTTP status that was sent, or would have been; 0 where a fault cut the call off before.
    pub status: u16,
    /// `clientToken` of the call.
    pub client_token: Option<String>,
    /// Server time of the call, in milliseconds since 1970.
    pub at: u64,
    /// Whether the caller got to see the answer, as far as the emulator knows.
    pub answered: bool,
}

/// All calls so far.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Calls {
    /// Number of calls of each operation.
    pub counts: BTreeMap<String, u64>,
    /// Entries that are no longer in the log because it is full.
    pub dropped: u64,
    /// The last calls, oldest first.
    pub log: VecDeque<Call>,
}

impl Calls {
    /// Number of calls of one operation.
    #[must_use]
    pub fn count(&self, operation: &str) -> u64 {
        self.counts.get(operation).copied().unwrap_or(0)
    }

    pub(crate) fn record(&mut self, call: Call) {
        match self.counts.get_mut(&call.operation) {
            Some(count) => *count += 1,
            None => {
                self.counts.insert(call.operation.clone(), 1);
            }
        }
        if self.log.len() == KEPT {
            self.log.pop_front();
            self.dropped += 1;
        }
        self.log.push_back(call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_go_on_when_the_log_is_full() {
        let call = Call {
            operation: "ListEvents".into(),
            memory_id: None,
            actor_id: None,
            session_id: None,
            status: 200,
            client_token: None,
            at: 0,
            answered: true,
        };
        let mut calls = Calls::default();
        for at in 0..=KEPT as u64 {
            calls.record(Call { at, ..call.clone() });
        }
        assert_eq!(calls.count("ListEvents"), KEPT as u64 + 1);
        assert_eq!((calls.log.len(), calls.dropped), (KEPT, 1));
        assert_eq!(calls.log.front().unwrap().at, 1);
    }
}
