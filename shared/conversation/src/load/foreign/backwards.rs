//! Other software's events taken from the newest back, as the pages come in.

use std::collections::BTreeMap;

use codec::Decoded;
use window::Scan;

use super::{Foreign, Scope, name};
use crate::error::Error;
use crate::load::decode::decode_foreign;
use crate::load::pages::Log;
use crate::metadata::sort_number;
use crate::ports::{Clock, Entropy, EventId, EventReader, StoredEvent};
use crate::report::Report;

/// What decides which of two events is the newer one.
type Key<'e> = (i32, i64, i64, &'e EventId);

/// The events taken so far. Each is looked at once, however many pages there are.
#[derive(Debug)]
pub(super) struct Backwards<'a> {
    scope: Scope<'a>,
    /// The order of the branches.
    depths: BTreeMap<String, i32>,
    /// How many of the log's events were looked at.
    seen: usize,
    /// Events that one of a later page may have to come before, by their index in the log.
    waiting: Vec<usize>,
    /// The events taken, newest first, and what was in each.
    taken: Vec<(usize, Decoded)>,
    has_parts: bool,
}

/// Whether events came in the order they were taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    InOrder,
    /// A page holds an event that is newer than one already taken.
    OutOfOrder,
}

impl Taken {
    pub(super) fn is_out_of_order(self) -> bool {
        self == Self::OutOfOrder
    }
}

impl<'a> Backwards<'a> {
    pub(super) fn new(scope: Scope<'a>, depths: BTreeMap<String, i32>) -> Self {
        Self {
            scope,
            depths,
            seen: 0,
            waiting: Vec::new(),
            taken: Vec::new(),
            has_parts: false,
        }
    }

    /// Takes what the log has read since the last time, as far as no event of a later page can come between,
    /// and shows it to the window.
    pub(super) fn take<E: EventReader, K: Clock, R: Entropy>(
        &mut self,
        log: &Log<'_, E, K, R>,
        scan: &mut Scan,
    ) -> Result<Taken, Error> {
        let events = log.foreign();
        let fresh = (self.seen..events.len()).filter(|index| self.key(events, *index).is_some());
        let fresh: Vec<usize> = fresh.collect();
        self.seen = events.len();
        let oldest = self
            .taken
            .last()
            .and_then(|(index, _)| self.key(events, *index));
        if oldest.is_some() && fresh.iter().any(|index| self.key(events, *index) > oldest) {
            return Ok(Taken::OutOfOrder);
        }
        self.waiting.extend(fresh);
        let mut waiting = std::mem::take(&mut self.waiting);
        // The newest is the last one, from where they are taken.
        waiting.sort_by_key(|index| self.key(events, *index));
        // A later page may hold events of the very millisecond this one ended in.
        let open_ms = log.oldest_ms().filter(|_| !log.is_whole());
        let is_settled = |event: &StoredEvent| open_ms.is_none_or(|ms| event.timestamp_ms > ms);
        while let Some(index) = waiting.pop() {
            let Some(event) = events.get(index).filter(|event| is_settled(event)) else {
                waiting.push(index);
                break;
            };
            let decoded = decode_foreign(event, self.scope.mode)?;
            for message in decoded.messages.iter().rev() {
                scan.push(message);
            }
            self.has_parts |= decoded.part.is_some();
            self.taken.push((index, decoded));
        }
        self.waiting = waiting;
        Ok(Taken::InOrder)
    }

    /// Forgets the order, which turned out to be another.
    pub(super) fn begin_again(&mut self) {
        self.seen = 0;
        self.waiting.clear();
        self.taken.clear();
        self.has_parts = false;
    }

    /// Whether any message is spread over several events.
    pub(super) fn has_parts(&self) -> bool {
        self.has_parts
    }

    /// All that was taken, in order.
    pub(super) fn collect<E: EventReader, K: Clock, R: Entropy>(
        self,
        log: &Log<'_, E, K, R>,
        report: &mut Report,
    ) -> Foreign {
        let events = log.foreign();
        let taken = || {
            self.taken
                .iter()
                .filter_map(|(index, _)| events.get(*index))
        };
        let branch = self.scope.branch.unwrap_or_default();
        let mut found = Foreign {
            events: self.taken.len() as u64,
            last_ms: taken().map(|event| event.timestamp_ms).max().unwrap_or(0),
            last_event: taken().next().map(|event| event.id.clone()),
            whole: log.is_whole(),
            own: taken().any(|event| name(event) == branch),
            ..Foreign::default()
        };
        let oldest_first = self.taken.into_iter().rev().map(|(_, decoded)| decoded);
        let joined = codec::join(oldest_first.collect());
        for note in &joined.notes {
            report.note(note.reason.code());
        }
        report.foreign += joined.messages.len() as u64;
        found.messages = joined.messages;
        found.agents = joined.agents;
        found
    }

    /// The place of an event among the others; none where it is not in question.
    fn key<'e>(&self, events: &'e [StoredEvent], index: usize) -> Option<Key<'e>> {
        let event = events.get(index)?;
        let in_time = event.timestamp_ms <= self.scope.until_ms;
        let depth = *self.depths.get(name(event)).filter(|_| in_time)?;
        let number = sort_number(&event.metadata).unwrap_or(i64::MAX);
        Some((depth, event.timestamp_ms, number, &event.id))
    }
}
