//! One session: its events in order of their ids, and its branches.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use crate::event::{EventId, StoredEvent};
use crate::faults::Lag;
use crate::random::mix;
use crate::switches::TieOrder;

/// How long a session without events is still listed.
const EMPTY_KEPT_MS: u64 = 86_400_000;

/// The events of one session. A listing walks the tree from its newest end, so its cost follows the page
/// and not the session.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) created_at: u64,
    pub(crate) branches: BTreeMap<Arc<str>, BranchOrigin>,
    events: BTreeMap<EventId, Arc<StoredEvent>>,
    emptied_at: Option<u64>,
    /// No event expires before this time.
    next_expiry: u64,
}

/// Where a branch leaves its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BranchOrigin {
    pub(crate) root: EventId,
    pub(crate) parent: Arc<str>,
}

/// A position in a listing: everything up to it has been scanned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) millis: u64,
    pub(crate) rank: u64,
}

/// What a listing wants to see.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scan {
    pub(crate) after: Option<Cursor>,
    pub(crate) limit: usize,
    pub(crate) ties: TieOrder,
    /// Decides the order within a millisecond.
    pub(crate) salt: u64,
    pub(crate) now: u64,
    pub(crate) lag: Lag,
}

impl Session {
    pub(super) fn new(now: u64) -> Self {
        Self {
            created_at: now,
            branches: BTreeMap::new(),
            events: BTreeMap::new(),
            emptied_at: None,
            next_expiry: u64::MAX,
        }
    }

    pub(crate) fn event(&self, id: EventId) -> Option<&Arc<StoredEvent>> {
        self.events.get(&id)
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = EventId> {
        self.events.keys().copied()
    }

    /// Whether a listing of sessions shows this one.
    pub(crate) fn is_listed(&self, now: u64, only_with_events: bool) -> bool {
        if self.events.values().any(|event| event.expires_at > now) {
            return true;
        }
        let last_expiry = || self.events.values().map(|event| event.expires_at).max();
        let emptied = self
            .emptied_at
            .or_else(last_expiry)
            .unwrap_or(self.created_at);
        !only_with_events && now < emptied.saturating_add(EMPTY_KEPT_MS)
    }

    /// Events newest first from the cursor on, each with the cursor behind it, and whether more follow.
    pub(crate) fn scan(&self, scan: &Scan) -> (Vec<(Cursor, Arc<StoredEvent>)>, bool) {
        let hidden = self.last_written(scan.lag.events);
        let visible = |event: &StoredEvent| {
            event.expires_at > scan.now
                && (scan.lag.ms == 0 || event.is_older_than(scan.lag.ms, scan.now))
                && !hidden.contains(&event.id)
        };
        let newest = EventId {
            millis: scan.after.map_or(u64::MAX, |cursor| cursor.millis),
            suffix: u32::MAX,
        };
        let mut walk = self
            .events
            .range(..=newest)
            .rev()
            .map(|(_, event)| event)
            .filter(|event| visible(event))
            .peekable();
        let mut page = Vec::new();
        while let Some(first) = walk.next() {
            let millis = first.id.millis;
            let mut tied = vec![(rank(scan, first.id), first)];
            while let Some(next) = walk.next_if(|event| event.id.millis == millis) {
                tied.push((rank(scan, next.id), next));
            }
            tied.sort_unstable_by_key(|(rank, _)| *rank);
            let scanned = |rank: u64| {
                scan.after
                    .is_some_and(|cursor| cursor.millis == millis && rank <= cursor.rank)
            };
            for (rank, event) in tied.into_iter().filter(|(rank, _)| !scanned(*rank)) {
                if page.len() == scan.limit {
                    return (page, true);
                }
                page.push((Cursor { millis, rank }, Arc::clone(event)));
            }
        }
        (page, false)
    }

    pub(super) fn insert(&mut self, event: Arc<StoredEvent>, origin: Option<BranchOrigin>) {
        if let Some(origin) = origin {
            self.branches
                .entry(Arc::clone(&event.branch))
                .or_insert(origin);
        }
        self.next_expiry = self.next_expiry.min(event.expires_at);
        self.emptied_at = None;
        self.events.insert(event.id, event);
    }

    pub(super) fn replace(&mut self, event: Arc<StoredEvent>) {
        self.events.insert(event.id, event);
    }

    pub(super) fn remove(&mut self, id: EventId, now: u64) -> Option<Arc<StoredEvent>> {
        let removed = self.events.remove(&id)?;
        if self.events.is_empty() {
            self.emptied_at = Some(now);
        }
        Some(removed)
    }

    /// Drops what has expired. Cheap unless something has.
    pub(super) fn drop_expired(&mut self, now: u64) -> Vec<EventId> {
        if now < self.next_expiry {
            return Vec::new();
        }
        let expired: Vec<&Arc<StoredEvent>> = self
            .events
            .values()
            .filter(|event| event.expires_at <= now)
            .collect();
        let last = expired.iter().map(|event| event.expires_at).max();
        let expired: Vec<EventId> = expired.iter().map(|event| event.id).collect();
        for id in &expired {
            self.events.remove(id);
        }
        if self.events.is_empty() {
            self.emptied_at = last.or(self.emptied_at);
        }
        self.next_expiry = self
            .events
            .values()
            .map(|event| event.expires_at)
            .min()
            .unwrap_or(u64::MAX);
        expired
    }

    pub(super) fn expire_earlier(&mut self, by: u64) {
        for event in self.events.values_mut() {
            let mut changed = StoredEvent::clone(event);
            changed.expires_at = changed.expires_at.saturating_sub(by);
            *event = Arc::new(changed);
        }
        self.next_expiry = self.next_expiry.saturating_sub(by);
    }

    /// The ids of the last `count` writes.
    fn last_written(&self, count: usize) -> HashSet<EventId> {
        if count == 0 {
            return HashSet::new();
        }
        let mut written: Vec<(u64, EventId)> = self
            .events
            .values()
            .map(|event| (event.sequence, event.id))
            .collect();
        written.sort_unstable();
        written
            .iter()
            .rev()
            .take(count)
            .map(|(_, id)| *id)
            .collect()
    }
}

/// Place of an event among those of its millisecond. One to one, so a cursor is never ambiguous.
fn rank(scan: &Scan, id: EventId) -> u64 {
    match scan.ties {
        TieOrder::EventId => u64::from(u32::MAX - id.suffix),
        TieOrder::Stable | TieOrder::PerCall => mix(scan.salt ^ u64::from(id.suffix)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(millis: u64, suffix: u32, sequence: u64) -> Arc<StoredEvent> {
        Arc::new(StoredEvent {
            id: EventId { millis, suffix },
            sequence,
            created_at: sequence,
            taken_at: Some(std::time::Instant::now()),
            expires_at: 1_000 + sequence,
            branch: "main".into(),
            root_given: None,
            metadata: crate::metadata::Metadata::default(),
            payload: "[]".into(),
        })
    }

    fn scan(limit: usize, salt: u64) -> Scan {
        Scan {
            after: None,
            limit,
            ties: TieOrder::PerCall,
            salt,
            now: 500,
            lag: Lag::default(),
        }
    }

    fn session(ids: &[(u64, u32)]) -> Session {
        let mut session = Session::new(0);
        for (sequence, (millis, suffix)) in (1..).zip(ids) {
            session.insert(event(*millis, *suffix, sequence), None);
        }
        session
    }

    #[test]
    fn pages_cover_every_event_once_even_across_ties() {
        let ids: Vec<(u64, u32)> = (0..30)
            .map(|n| (10 + n / 7, u32::try_from(n).unwrap()))
            .collect();
        let session = session(&ids);
        for salt in 0..20 {
            let mut seen = Vec::new();
            let mut request = scan(4, salt);
            loop {
                let (page, more) = session.scan(&request);
                seen.extend(page.iter().map(|(_, event)| event.id));
                if !more {
                    break;
                }
                request.after = page.last().map(|(cursor, _)| *cursor);
            }
            assert!(seen.iter().map(|id| id.millis).is_sorted_by(|a, b| a >= b));
            let distinct: HashSet<_> = seen.iter().collect();
            assert_eq!((seen.len(), distinct.len()), (30, 30), "salt {salt}");
        }
    }

    #[test]
    fn ties_change_their_order_with_the_salt() {
        let session = session(&[(1, 1), (1, 2), (1, 3), (1, 4), (1, 5)]);
        let orders: HashSet<Vec<EventId>> = (0..20)
            .map(|salt| {
                session
                    .scan(&scan(9, salt))
                    .0
                    .iter()
                    .map(|(_, event)| event.id)
                    .collect()
            })
            .collect();
        assert!(orders.len() > 5);
    }

    #[test]
    fn lag_hides_the_last_writes_and_not_the_newest_times() {
        let session = session(&[(9, 0), (1, 0), (5, 0)]);
        let lagging = Scan {
            lag: Lag { ms: 0, events: 1 },
            ..scan(9, 0)
        };
        let left: Vec<u64> = session
            .scan(&lagging)
            .0
            .iter()
            .map(|(_, event)| event.id.millis)
            .collect();
        assert_eq!(left, [9, 1]);
        let young = Scan {
            now: 900,
            lag: Lag { ms: 898, events: 0 },
            ..scan(9, 0)
        };
        let left: Vec<u64> = session
            .scan(&young)
            .0
            .iter()
            .map(|(_, event)| event.id.millis)
            .collect();
        assert_eq!(left, [9, 1]);
    }

    #[test]
    fn expired_events_are_dropped_when_due() {
        let mut session = session(&[(9, 0), (1, 0)]);
        assert_eq!(session.drop_expired(1_000), []);
        assert_eq!(
            session.drop_expired(1_001),
            [EventId {
                millis: 9,
                suffix: 0
            }]
        );
        assert!(session.is_listed(1_001, true));
        assert_eq!(session.drop_expired(1_002).len(), 1);
        assert!(!session.is_listed(1_002, true));
        assert!(session.is_listed(1_002, false));
        assert!(!session.is_listed(1_002 + EMPTY_KEPT_MS, false));
    }
}
