//! Everything the emulator knows: memories, their actors and sessions, and recent client tokens.

mod memory;
mod record;
mod row;
mod session;
mod tokens;

use std::collections::BTreeMap;

pub(crate) use memory::{Memory, MemoryInfo, Ranked};
pub(crate) use record::Record;
pub(crate) use row::{Change, Table};
pub(crate) use session::{BranchOrigin, Cursor, Scan, Session};
pub(crate) use tokens::{Digest, Remembered, Tokens};

use crate::error::ApiError;
use crate::event::{EventId, Place, StoredEvent};
use row::EventRow;
use std::sync::Arc;

/// The whole state. It is pure: time comes in as an argument, and what has to reach the disk is left in a
/// list for the caller, in the order in which it happened.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) memories: BTreeMap<String, Memory>,
    pub(crate) tokens: Tokens,
    seed: u64,
    sequence: u64,
    /// Changes not yet handed to the disk; absent when nothing is kept.
    changes: Option<Vec<Change>>,
}

impl Store {
    pub(crate) fn new(seed: u64, keeps_changes: bool) -> Self {
        Self {
            memories: BTreeMap::new(),
            tokens: Tokens::default(),
            seed,
            sequence: 0,
            changes: keeps_changes.then(Vec::new),
        }
    }

    /// The changes since the last call.
    pub(crate) fn take_changes(&mut self) -> Vec<Change> {
        self.changes
            .as_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// A memory that exists at this time.
    pub(crate) fn memory(&mut self, id: &str, now: u64) -> Result<&mut Memory, ApiError> {
        if self
            .memories
            .get(id)
            .is_some_and(|memory| memory.info.is_gone(now))
        {
            self.forget_memory(id);
        }
        self.memories
            .get_mut(id)
            .ok_or_else(|| ApiError::not_found(format!("Memory not found: {id}")))
    }

    /// A memory that takes data: present and no longer being created.
    pub(crate) fn active_memory(&mut self, id: &str, now: u64) -> Result<&mut Memory, ApiError> {
        let memory = self.memory(id, now)?;
        memory.info.require_usable(now)?;
        Ok(memory)
    }

    pub(crate) fn put_memory(&mut self, info: MemoryInfo) {
        self.note(|| Change::put(Table::Memories, info.id.clone(), &info));
        let seed = self.seed;
        match self.memories.get_mut(&info.id) {
            Some(memory) => memory.replace_info(info),
            None => {
                self.memories
                    .insert(info.id.clone(), Memory::new(info, seed));
            }
        }
    }

    /// The session, after its expired events have been dropped.
    pub(crate) fn session(&mut self, place: &Place, now: u64) -> Option<&mut Session> {
        let expired = self
            .memories
            .get_mut(&place.memory)?
            .session_mut(&place.actor, &place.session)?
            .drop_expired(now);
        for id in expired {
            self.note(|| Change::Delete(Table::Events, row::event_key(place, id)));
        }
        self.memories
            .get_mut(&place.memory)?
            .session_mut(&place.actor, &place.session)
    }

    /// Stores an event whose place and branch have been checked. Returns it with its position set.
    pub(crate) fn insert_event(
        &mut self,
        place: &Place,
        mut event: StoredEvent,
        origin: Option<BranchOrigin>,
        token: Option<(String, Digest)>,
    ) -> Option<Arc<StoredEvent>> {
        self.sequence += 1;
        event.sequence = self.sequence;
        self.note(|| {
            Change::put(
                Table::Events,
                row::event_key(place, event.id),
                &EventRow::new(&event, origin.as_ref(), token.as_ref()),
            )
        });
        let event = Arc::new(event);
        let memory = self.memories.get_mut(&place.memory)?;
        memory
            .session_or_new(&place.actor, &place.session, event.created_at)
            .insert(Arc::clone(&event), origin);
        if let Some((token, digest)) = token {
            let remembered = Remembered {
                digest,
                at: event.created_at,
                place: place.clone(),
                event: Arc::clone(&event),
            };
            self.tokens.remember(&token, remembered);
        }
        Some(event)
    }

    /// Removes an event for good. `None` when there is no such one.
    pub(crate) fn remove_event(
        &mut self,
        place: &Place,
        id: EventId,
        now: u64,
    ) -> Option<Arc<StoredEvent>> {
        let removed = self.session(place, now)?.remove(id, now)?;
        self.note(|| Change::Delete(Table::Events, row::event_key(place, id)));
        Some(removed)
    }

    /// Replaces the payload and metadata of a stored event, which no client of the service can do.
    pub(crate) fn tamper_event(
        &mut self,
        place: &Place,
        id: EventId,
        now: u64,
        change: impl FnOnce(&mut StoredEvent),
    ) -> Option<Arc<StoredEvent>> {
        let session = self.session(place, now)?;
        let mut event = StoredEvent::clone(session.event(id)?);
        change(&mut event);
        let origin = session.branches.get(&*event.branch).cloned();
        let event = Arc::new(event);
        session.replace(Arc::clone(&event));
        self.note(|| {
            Change::put(
                Table::Events,
                row::event_key(place, id),
                &EventRow::new(&event, origin.as_ref(), None),
            )
        });
        Some(event)
    }

    pub(crate) fn add_record(&mut self, memory: &str, record: Record) {
        let key = row::record_key(memory, &record.id);
        self.note(|| Change::put(Table::Records, key, &record));
        if let Some(memory) = self.memories.get_mut(memory) {
            memory.records.push(record);
        }
    }

    /// Takes in one row read from the disk.
    pub(crate) fn restore(
        &mut self,
        table: Table,
        key: &str,
        value: &str,
    ) -> Result<(), serde_json::Error> {
        match table {
            Table::Memories => {
                let info: MemoryInfo = serde_json::from_str(value)?;
                let id = info.id.clone();
                self.memories.insert(id, Memory::new(info, self.seed));
            }
            Table::Events => self.restore_event(key, serde_json::from_str(value)?),
            Table::Records => {
                let record: Record = serde_json::from_str(value)?;
                if let Some(memory) = row::split_key(key)
                    .first()
                    .and_then(|id| self.memories.get_mut(*id))
                {
                    memory.records.push(record);
                }
            }
        }
        Ok(())
    }

    fn restore_event(&mut self, key: &str, row: EventRow) {
        let parts = row::split_key(key);
        let [memory, actor, session, id] = parts.as_slice() else {
            return;
        };
        let Some(id) = EventId::parse(id) else { return };
        self.sequence += 1;
        let place = Place {
            memory: (*memory).into(),
            actor: (*actor).into(),
            session: (*session).into(),
        };
        let (mut event, origin, token) = row.into_event(id, self.sequence);
        let Some(memory) = self.memories.get_mut(&place.memory) else {
            return;
        };
        // An expiry that was shortened after the event was written is known to its memory alone.
        let latest = event.created_at.saturating_add(memory.info.expiry_ms());
        event.expires_at = event.expires_at.min(latest);
        let event = Arc::new(event);
        memory
            .session_or_new(actor, session, event.created_at)
            .insert(Arc::clone(&event), origin);
        if let Some((token, digest)) = token {
            self.tokens.remember(
                &token,
                Remembered {
                    digest,
                    at: event.created_at,
                    place,
                    event,
                },
            );
        }
    }

    fn forget_memory(&mut self, id: &str) {
        let Some(memory) = self.memories.remove(id) else {
            return;
        };
        self.note(|| Change::Delete(Table::Memories, id.to_owned()));
        for (actor, session, event) in memory.all_events() {
            let place = Place {
                memory: id.to_owned(),
                actor: actor.to_owned(),
                session: session.to_owned(),
            };
            self.note(|| Change::Delete(Table::Events, row::event_key(&place, event)));
        }
        for record in &memory.records {
            self.note(|| Change::Delete(Table::Records, row::record_key(id, &record.id)));
        }
    }

    fn note(&mut self, change: impl FnOnce() -> Change) {
        if let Some(changes) = &mut self.changes {
            changes.push(change());
        }
    }
}
