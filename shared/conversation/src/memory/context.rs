//! A context store in memory.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::fingerprint::first;
use crate::head::{Head, REMEMBERED_TURNS, ShortTurn};
use crate::id::{Conversation, KeyHash};
use crate::ports::{
    AgentState, Commit, CommitOutcome, ContextError, ContextItems, ContextReader, ContextWriter,
    HeadExpectation, HeadLookup, KeyRecord, StoredSystem, SummaryOutcome, SummaryWrite,
    SummaryWriter, SystemWrite,
};
use crate::summarize::SummaryRecord;

/// Contexts of any number of conversations.
#[derive(Debug, Default)]
pub struct MemoryContext {
    conversations: Mutex<HashMap<Conversation, Items>>,
}

#[derive(Debug, Default)]
struct Items {
    heads: BTreeMap<String, HeadItem>,
    system: Option<StoredSystem>,
    states: BTreeMap<String, AgentState>,
    summaries: BTreeMap<String, SummaryRecord>,
    keys: HashMap<KeyHash, KeyRecord>,
}

/// A head with its ring of remembered turns, of which a commit writes one slot only.
#[derive(Debug)]
struct HeadItem {
    head: Head,
    ring: [Option<ShortTurn>; REMEMBERED_TURNS],
}

impl MemoryContext {
    /// A store without any context.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Conversation, Items>> {
        self.conversations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl ContextReader for MemoryContext {
    async fn items(&self, conversation: &Conversation) -> Result<ContextItems, ContextError> {
        let conversations = self.lock();
        let Some(items) = conversations.get(conversation) else {
            return Ok(ContextItems::default());
        };
        let heads = items.heads.iter();
        Ok(ContextItems {
            heads: heads
                .map(|(name, item)| (name.clone(), item.read()))
                .collect(),
            system: items.system.clone(),
            states: items.states.clone(),
            summaries: items.summaries.clone(),
        })
    }

    async fn head(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        key: Option<&KeyHash>,
        now_s: i64,
    ) -> Result<HeadLookup, ContextError> {
        let conversations = self.lock();
        let Some(items) = conversations.get(conversation) else {
            return Ok(HeadLookup::default());
        };
        Ok(HeadLookup {
            head: items
                .heads
                .get(branch.unwrap_or_default())
                .map(HeadItem::read),
            key: key.and_then(|key| items.key(key, now_s)).cloned(),
        })
    }
}

impl ContextWriter for MemoryContext {
    async fn commit(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        commit: &Commit,
    ) -> Result<CommitOutcome, ContextError> {
        let mut conversations = self.lock();
        let items = conversations.entry(conversation.clone()).or_default();
        let branch = branch.unwrap_or_default();
        if let Some(refusal) = items.refusal(branch, commit) {
            return Ok(refusal);
        }
        items.apply(branch, commit);
        Ok(CommitOutcome::Committed)
    }
}

impl SummaryWriter for MemoryContext {
    async fn put_summary(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        write: &SummaryWrite,
    ) -> Result<SummaryOutcome, ContextError> {
        let mut conversations = self.lock();
        let items = conversations.entry(conversation.clone()).or_default();
        let branch = branch.unwrap_or_default();
        let current = items.summaries.get(branch);
        if current.map(|current| current.id) != write.replaces {
            return Ok(SummaryOutcome::Refused {
                current: current.cloned().map(Box::new),
            });
        }
        let covered = write.record.covered();
        let item = items.heads.get_mut(branch);
        let Some(item) = item.filter(|item| item.head.count >= covered) else {
            return Ok(SummaryOutcome::NoHead);
        };
        item.head.summarized = write.record.covered_tokens;
        items
            .summaries
            .insert(branch.to_owned(), write.record.clone());
        Ok(SummaryOutcome::Put)
    }
}

impl Items {
    fn key(&self, key: &KeyHash, now_s: i64) -> Option<&KeyRecord> {
        self.keys
            .get(key)
            .filter(|record| record.expires_at > now_s)
    }

    fn refusal(&self, branch: &str, commit: &Commit) -> Option<CommitOutcome> {
        let found = self.heads.get(branch).map(HeadItem::read);
        let as_expected = match (&commit.expected, &found) {
            (HeadExpectation::Absent, None) => true,
            (HeadExpectation::Is(expected), Some(found)) => expected.is_replaceable(found),
            _ => false,
        };
        let key = commit.key.as_ref();
        let key = key.and_then(|record| self.key(&record.key, commit.now_s));
        let state = commit.states.iter().find_map(|write| {
            let version = self
                .states
                .get(&write.agent)
                .map_or(0, |state| state.version);
            let expected = write.expected_version?;
            (expected != version).then(|| (write.agent.clone(), version))
        });
        if as_expected && key.is_none() && state.is_none() {
            return None;
        }
        Some(CommitOutcome::Refused {
            head: (!as_expected).then(|| found.map(Box::new)),
            key: key.cloned().map(Box::new),
            state,
        })
    }

    fn apply(&mut self, branch: &str, commit: &Commit) {
        let summarized = self
            .heads
            .get(branch)
            .map_or(0, |item| item.head.summarized);
        let head = Head {
            summarized,
            ..commit.head.clone()
        };
        let item = self
            .heads
            .entry(branch.to_owned())
            .or_insert_with(|| HeadItem {
                head: head.clone(),
                ring: [None; REMEMBERED_TURNS],
            });
        item.head = head;
        if let Some(slot) = item.ring.get_mut(commit.head.slot()) {
            *slot = Some(first(&commit.head.turn.0));
        }
        match &commit.system {
            None => {}
            Some(SystemWrite::Remove) => self.system = None,
            Some(SystemWrite::Put(message)) => {
                self.system = Some(StoredSystem {
                    message: message.clone(),
                });
            }
        }
        for write in &commit.states {
            let version = self
                .states
                .get(&write.agent)
                .map_or(0, |state| state.version);
            let state = AgentState {
                value: write.value.clone(),
                version: version + 1,
            };
            self.states.insert(write.agent.clone(), state);
        }
        if let Some(record) = &commit.key {
            self.keys.insert(record.key, record.clone());
        }
    }
}

impl HeadItem {
    /// The head with the turns the ring remembers, as far back as it reaches without a hole.
    fn read(&self) -> Head {
        let most = self.head.turns.min(REMEMBERED_TURNS as u64);
        let recent = (1..most).map_while(|back| {
            let slot = (self.head.turns - back) % REMEMBERED_TURNS as u64;
            *self.ring.get(usize::try_from(slot).ok()?)?
        });
        Head {
            recent: recent.collect(),
            ..self.head.clone()
        }
    }
}
