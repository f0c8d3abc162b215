//! The simulated context store: conditional, all-or-nothing writes as DynamoDB does them.

use std::collections::BTreeMap;

use codec::model::SystemMessage;
use conversation::ports::{
    AgentState, Commit, CommitOutcome, ContextItem, ContextItems, HeadExpectation, HeadLookup,
    KeyRecord, StoredSystem, SystemWrite,
};
use conversation::{Conversation, Head, KeyHash, REMEMBERED_TURNS, ShortTurn};

/// How long a repeated transaction is recognised by its token.
const TRANSACTION_MEMORY_MS: i64 = 10 * 60 * 1000;

/// All conversations' items.
#[derive(Debug, Default)]
pub(crate) struct Context {
    items: BTreeMap<Conversation, Items>,
}

#[derive(Debug, Default)]
struct Items {
    heads: BTreeMap<String, HeadItem>,
    system: Option<(SystemMessage, i64)>,
    states: BTreeMap<String, (AgentState, i64)>,
    keys: BTreeMap<KeyHash, KeyRecord>,
    transactions: Vec<(Commit, i64)>,
}

#[derive(Debug)]
struct HeadItem {
    head: Head,
    ring: [Option<ShortTurn>; REMEMBERED_TURNS],
    expires_at: i64,
}

/// What became of a commit.
#[derive(Debug)]
pub(crate) enum Applied {
    /// Its conditions held and it was applied.
    Now,
    /// The transaction had been applied before and is recognised by its token.
    Before,
    /// A condition did not hold.
    No(CommitOutcome),
    /// A token that stands for another transaction: the real service refuses the call.
    TokenReused,
}

impl Context {
    pub(crate) fn all(&self, conversation: &Conversation) -> ContextItems {
        let Some(items) = self.items.get(conversation) else {
            return ContextItems::default();
        };
        ContextItems {
            heads: items
                .heads
                .iter()
                .map(|(name, item)| (name.clone(), item.read()))
                .collect(),
            system: items.system.as_ref().map(|(message, _)| StoredSystem {
                message: message.clone(),
            }),
            states: items
                .states
                .iter()
                .map(|(agent, (state, _))| (agent.clone(), state.clone()))
                .collect(),
            summaries: BTreeMap::new(),
        }
    }

    pub(crate) fn head(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        key: Option<&KeyHash>,
        now_s: i64,
    ) -> HeadLookup {
        let Some(items) = self.items.get(conversation) else {
            return HeadLookup::default();
        };
        HeadLookup {
            head: items
                .heads
                .get(branch.unwrap_or_default())
                .map(HeadItem::read),
            key: key
                .and_then(|key| items.keys.get(key))
                .filter(|record| record.expires_at > now_s)
                .cloned(),
        }
    }

    pub(crate) fn commit(
        &mut self,
        conversation: &Conversation,
        branch: Option<&str>,
        commit: &Commit,
        now_ms: i64,
    ) -> Applied {
        let items = self.items.entry(conversation.clone()).or_default();
        items
            .transactions
            .retain(|(_, at)| now_ms - at < TRANSACTION_MEMORY_MS);
        if is_transaction(commit)
            && let Some((known, _)) = items
                .transactions
                .iter()
                .find(|(known, _)| known.request_token == commit.request_token)
        {
            return if known == commit {
                Applied::Before
            } else {
                Applied::TokenReused
            };
        }
        if let Some(refused) = items.refusal(branch, commit) {
            return Applied::No(refused);
        }
        items.apply(branch, commit, now_ms);
        Applied::Now
    }

    /// Drops what the table's TTL lets it drop, and says which heads went.
    pub(crate) fn expire(&mut self, now_s: i64) -> Vec<(Conversation, String)> {
        let mut dropped = Vec::new();
        for (conversation, items) in &mut self.items {
            items.heads.retain(|name, item| {
                let keep = item.expires_at > now_s;
                if !keep {
                    dropped.push((conversation.clone(), name.clone()));
                }
                keep
            });
            items
                .states
                .retain(|_, (_, expires_at)| *expires_at > now_s);
            items.keys.retain(|_, record| record.expires_at > now_s);
            if items
                .system
                .as_ref()
                .is_some_and(|(_, expires_at)| *expires_at <= now_s)
            {
                items.system = None;
            }
        }
        dropped
    }
}

impl Items {
    fn refusal(&self, branch: Option<&str>, commit: &Commit) -> Option<CommitOutcome> {
        let current = self.heads.get(branch.unwrap_or_default());
        let as_expected = match (&commit.expected, current) {
            (HeadExpectation::Absent, None) => true,
            (HeadExpectation::Is(expected), Some(item)) => expected.is_replaceable(&item.head),
            _ => false,
        };
        let head = (!as_expected).then(|| current.map(|item| Box::new(item.read())));
        let key = commit
            .key
            .as_ref()
            .and_then(|record| self.keys.get(&record.key))
            .filter(|known| known.expires_at > commit.now_s)
            .map(|known| Box::new(known.clone()));
        let state = commit.states.iter().find_map(|write| {
            let version = self
                .states
                .get(&write.agent)
                .map_or(0, |(state, _)| state.version);
            let expected = write.expected_version?;
            (expected != version).then(|| (write.agent.clone(), version))
        });
        (head.is_some() || key.is_some() || state.is_some()).then_some(CommitOutcome::Refused {
            head,
            key,
            state,
        })
    }

    fn apply(&mut self, branch: Option<&str>, commit: &Commit, now_ms: i64) {
        let item = self
            .heads
            .entry(branch.unwrap_or_default().to_owned())
            .or_insert_with(|| HeadItem {
                head: Head {
                    summarized: 0,
                    ..commit.head.clone()
                },
                ring: [None; REMEMBERED_TURNS],
                expires_at: commit.expires_at,
            });
        item.head = Head {
            recent: Vec::new(),
            summarized: item.head.summarized,
            ..commit.head.clone()
        };
        item.ring[commit.head.slot()] = commit.head.turn.0.first_chunk().copied();
        item.expires_at = commit.expires_at;
        match &commit.system {
            Some(SystemWrite::Put(message)) => {
                self.system = Some((message.clone(), commit.expires_at));
            }
            Some(SystemWrite::Remove) => self.system = None,
            None => {}
        }
        for write in &commit.states {
            let version = self
                .states
                .get(&write.agent)
                .map_or(0, |(state, _)| state.version)
                + 1;
            let state = AgentState {
                value: write.value.clone(),
                version,
            };
            self.states
                .insert(write.agent.clone(), (state, commit.expires_at));
        }
        for item in &commit.renew {
            let expiry = match item {
                ContextItem::System => self.system.as_mut().map(|(_, expires_at)| expires_at),
                ContextItem::State(agent) => {
                    self.states.get_mut(agent).map(|(_, expires_at)| expires_at)
                }
                // No client of the simulation summarises.
                ContextItem::Summary(_) => None,
            };
            if let Some(expires_at) = expiry {
                *expires_at = commit.expires_at;
            }
        }
        if let Some(record) = &commit.key {
            self.keys.insert(record.key, record.clone());
        }
        if is_transaction(commit) {
            self.transactions.push((commit.clone(), now_ms));
        }
    }
}

impl HeadItem {
    /// The head with its remembered turns, newest first.
    fn read(&self) -> Head {
        let mut recent = Vec::new();
        for back in 1..REMEMBERED_TURNS as u64 {
            let Some(turns) = self.head.turns.checked_sub(back).filter(|turns| *turns > 0) else {
                break;
            };
            let slot = usize::try_from(turns % REMEMBERED_TURNS as u64).unwrap();
            let Some(turn) = self.ring[slot] else { break };
            recent.push(turn);
        }
        Head {
            recent,
            ..self.head.clone()
        }
    }
}

/// A plain conditional update has no token of its own at the store.
fn is_transaction(commit: &Commit) -> bool {
    commit.key.is_some()
        || commit.system.is_some()
        || !commit.states.is_empty()
        || !commit.renew.is_empty()
}
