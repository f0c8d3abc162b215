//! One memory: its description, and the actors with their sessions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Record, Session};
use crate::error::{ApiError, Reason};
use crate::event::EventId;
use crate::random::rank;
use crate::timestamp::render_seconds;

const DAY_MS: u64 = 86_400_000;

/// What the control plane says about a memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemoryInfo {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arn: String,
    pub(crate) expiry_days: u32,
    pub(crate) created_at: u64,
    pub(crate) updated_at: u64,
    /// From when on it is `ACTIVE`.
    pub(crate) active_at: u64,
    /// Until when an update shows.
    pub(crate) updating_until: u64,
    /// From when on it does not exist; set once its deletion was asked for.
    pub(crate) gone_at: Option<u64>,
    /// Token of the call that created it.
    pub(crate) client_token: Option<String>,
    /// Members that are kept and shown as they were given.
    pub(crate) extras: Map<String, Value>,
}

impl MemoryInfo {
    pub(crate) fn status(&self, now: u64) -> &'static str {
        if self.gone_at.is_some() {
            "DELETING"
        } else if now < self.active_at {
            "CREATING"
        } else if now < self.updating_until {
            "UPDATING"
        } else {
            "ACTIVE"
        }
    }

    pub(crate) fn is_gone(&self, now: u64) -> bool {
        self.gone_at.is_some_and(|gone_at| gone_at <= now)
    }

    pub(crate) fn expiry_ms(&self) -> u64 {
        u64::from(self.expiry_days) * DAY_MS
    }

    /// Refuses data while the memory is being created or deleted.
    pub(crate) fn require_usable(&self, now: u64) -> Result<(), ApiError> {
        match self.status(now) {
            "ACTIVE" | "UPDATING" => Ok(()),
            status => Err(ApiError::validation(
                Reason::ResourceConflict,
                format!("Memory {} is not active: its status is {status}", self.id),
            )),
        }
    }

    pub(crate) fn render(&self, now: u64) -> String {
        let mut out = Map::new();
        out.insert("arn".to_owned(), json!(self.arn));
        out.insert("id".to_owned(), json!(self.id));
        out.insert("name".to_owned(), json!(self.name));
        out.insert("eventExpiryDuration".to_owned(), json!(self.expiry_days));
        out.insert("status".to_owned(), json!(self.status(now)));
        out.extend(self.extras.clone());
        self.with_times(&Value::Object(out).to_string())
    }

    pub(crate) fn render_summary(&self, now: u64) -> String {
        self.with_times(
            &json!({"arn": self.arn, "id": self.id, "status": self.status(now)}).to_string(),
        )
    }

    fn with_times(&self, object: &str) -> String {
        let open = object.strip_suffix('}').unwrap_or(object);
        format!(
            r#"{open},"createdAt":{},"updatedAt":{}}}"#,
            render_seconds(self.created_at),
            render_seconds(self.updated_at)
        )
    }
}

/// A memory with its contents.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) info: MemoryInfo,
    pub(crate) records: Vec<Record>,
    actors: BTreeMap<Ranked, BTreeMap<Ranked, Session>>,
    seed: u64,
}

/// A name ordered by chance rather than by spelling, since no order of actors and sessions is promised.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ranked {
    pub(crate) rank: u64,
    pub(crate) name: String,
}

impl Memory {
    pub(super) fn new(info: MemoryInfo, seed: u64) -> Self {
        Self {
            info,
            records: Vec::new(),
            actors: BTreeMap::new(),
            seed,
        }
    }

    /// A shorter expiry reaches the stored events as well, which is the reading that loses most.
    pub(super) fn replace_info(&mut self, info: MemoryInfo) {
        if info.expiry_days < self.info.expiry_days {
            let earlier = self.info.expiry_ms() - info.expiry_ms();
            self.actors
                .values_mut()
                .flat_map(BTreeMap::values_mut)
                .for_each(|session| session.expire_earlier(earlier));
        }
        self.info = info;
    }

    /// Sessions of an actor after a position, in the arbitrary order of this memory.
    pub(crate) fn sessions_after<'a>(
        &'a self,
        actor: &str,
        after: Option<&Ranked>,
    ) -> impl Iterator<Item = (&'a Ranked, &'a Session)> {
        let start = after.cloned();
        self.actors
            .get(&self.ranked(actor))
            .into_iter()
            .flat_map(move |sessions| {
                sessions.range((bound(start.clone()), std::ops::Bound::Unbounded))
            })
    }

    /// Actors after a position, with their sessions.
    pub(crate) fn actors_after(
        &self,
        after: Option<&Ranked>,
    ) -> impl Iterator<Item = (&Ranked, impl Iterator<Item = &Session>)> {
        self.actors
            .range((bound(after.cloned()), std::ops::Bound::Unbounded))
            .map(|(name, sessions)| (name, sessions.values()))
    }

    pub(crate) fn session_mut(&mut self, actor: &str, session: &str) -> Option<&mut Session> {
        let (actor, session) = (self.ranked(actor), self.ranked(session));
        self.actors.get_mut(&actor)?.get_mut(&session)
    }

    pub(super) fn session_or_new(&mut self, actor: &str, session: &str, now: u64) -> &mut Session {
        let (actor, session) = (self.ranked(actor), self.ranked(session));
        self.actors
            .entry(actor)
            .or_default()
            .entry(session)
            .or_insert_with(|| Session::new(now))
    }

    /// Whether any session of this memory holds the event.
    pub(crate) fn holds(&self, id: EventId) -> bool {
        self.actors
            .values()
            .flat_map(BTreeMap::values)
            .any(|session| session.event(id).is_some())
    }

    pub(super) fn all_events(&self) -> impl Iterator<Item = (&str, &str, EventId)> {
        self.actors.iter().flat_map(|(actor, sessions)| {
            sessions.iter().flat_map(|(session, events)| {
                events
                    .ids()
                    .map(|id| (actor.name.as_str(), session.name.as_str(), id))
            })
        })
    }

    fn ranked(&self, name: &str) -> Ranked {
        Ranked {
            rank: rank(self.seed, name),
            name: name.to_owned(),
        }
    }
}

fn bound(after: Option<Ranked>) -> std::ops::Bound<Ranked> {
    after.map_or(std::ops::Bound::Unbounded, std::ops::Bound::Excluded)
}
