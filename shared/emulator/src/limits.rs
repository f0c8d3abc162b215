//! Rate limits: calls per second, for the account and for one session of an actor.

use std::collections::{HashMap, VecDeque};

use crate::route::Operation;

/// Above this number of keys, idle ones are dropped.
const KEYS: usize = 10_000;

/// Times of the recent calls under each key.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    recent: HashMap<String, VecDeque<u64>>,
}

/// What a call counts against.
#[derive(Debug)]
pub(crate) struct Counted<'a> {
    pub(crate) operation: Operation,
    /// Memory, actor and session, where the operation is about one session.
    pub(crate) session: Option<&'a str>,
    /// Whether a written event has a conversational payload.
    pub(crate) conversational: bool,
}

impl Limits {
    /// Counts the call if every limit has room for it in the second that ends now.
    pub(crate) fn admit(&mut self, call: &Counted<'_>, now: u64) -> bool {
        let (account, session) = rates(call.operation, call.conversational);
        let name = call.operation.name();
        let mut keys = vec![(name.to_owned(), account)];
        if let Some((rate, place)) = session.zip(call.session) {
            keys.push((format!("{name} {} {place}", call.conversational), rate));
        }
        if self.recent.len() > KEYS {
            self.recent
                .retain(|_, times| times.back().is_some_and(|last| last + 1_000 > now));
        }
        let room = keys.iter().all(|(key, rate)| self.count(key, now) < *rate);
        if room {
            for (key, _) in keys {
                self.recent.entry(key).or_default().push_back(now);
            }
        }
        room
    }

    fn count(&mut self, key: &str, now: u64) -> usize {
        let Some(times) = self.recent.get_mut(key) else {
            return 0;
        };
        while times.front().is_some_and(|first| first + 1_000 <= now) {
            times.pop_front();
        }
        times.len()
    }
}

/// Calls per second for the account, and for one session where there is such a limit.
fn rates(operation: Operation, conversational: bool) -> (usize, Option<usize>) {
    use Operation as Op;
    match operation {
        Op::CreateEvent => (200, Some(if conversational { 5 } else { 10 })),
        Op::ListEvents => (200, Some(20)),
        Op::DeleteEvent => (20, Some(5)),
        Op::ListMemoryRecords | Op::RetrieveMemoryRecords => (30, None),
        Op::CreateMemory | Op::UpdateMemory | Op::DeleteMemory => (3, None),
        Op::GetMemory => (50, None),
        Op::ListMemories => (5, None),
        // The model service has limits of its own, which are not those of the memory service.
        Op::Converse
        | Op::ConverseStream
        | Op::InvokeModel
        | Op::InvokeModelWithResponseStream
        | Op::CountTokens => (usize::MAX, None),
        Op::GetEvent
        | Op::ListSessions
        | Op::ListActors
        | Op::BatchCreateMemoryRecords
        | Op::IngestData
        | Op::GetMemoryRecord
        | Op::DeleteMemoryRecord
        | Op::BatchUpdateMemoryRecords
        | Op::BatchDeleteMemoryRecords
        | Op::StartMemoryExtractionJob
        | Op::ListMemoryExtractionJobs => (20, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(
        limits: &mut Limits,
        session: &str,
        conversational: bool,
        calls: usize,
        now: u64,
    ) -> usize {
        let counted = Counted {
            operation: Operation::CreateEvent,
            session: Some(session),
            conversational,
        };
        (0..calls).filter(|_| limits.admit(&counted, now)).count()
    }

    #[test]
    fn sessions_have_room_for_five_conversational_writes_and_ten_others() {
        let mut limits = Limits::default();
        assert_eq!(admitted(&mut limits, "a", true, 20, 0), 5);
        assert_eq!(admitted(&mut limits, "a", false, 20, 0), 10);
        assert_eq!(admitted(&mut limits, "b", true, 20, 0), 5);
        assert_eq!(admitted(&mut limits, "a", true, 20, 999), 0);
        assert_eq!(admitted(&mut limits, "a", true, 20, 1_000), 5);
    }

    #[test]
    fn the_account_bounds_all_sessions_together() {
        let mut limits = Limits::default();
        let sum: usize = (0..100)
            .map(|n| admitted(&mut limits, &n.to_string(), true, 5, 0))
            .sum();
        assert_eq!(sum, 200);
    }
}
