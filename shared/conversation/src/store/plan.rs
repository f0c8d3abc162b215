//! What a store would change, given the head it builds on.

use codec::model::Message;
use window::{estimate, pins};

use super::base::Base;
use super::request::StoreMode;
use super::sync::stored_prefix;
use crate::error::ConflictKind;
use crate::fingerprint;
use crate::head::Head;
use crate::layout::Part;
use crate::ports::{EventId, SystemWrite};
use crate::turn::{Link, PartHash, TurnId};

/// A change of the system message, and the hash of the message there will be.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SystemChange {
    pub(super) write: SystemWrite,
    pub(super) hash: [u8; 8],
}

/// What is to be stored, whatever it follows.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) mode: StoreMode,
    /// The messages without system messages.
    pub(super) messages: Vec<Message>,
    /// Their places in the request.
    pub(super) indices: Vec<usize>,
    pub(super) system: Option<SystemChange>,
    pub(super) writes_state: bool,
    /// Whether the dialect keeps the mark of a pinned message. One that does not has no pins, and a
    /// head that counted them would send every reader looking for them.
    pub(super) keeps_pins: bool,
}

/// A turn, or a change of the context alone, at its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// The index of the first new message.
    pub(super) first: usize,
    /// How many are new.
    pub(super) count: usize,
    /// Whether the system message changes.
    pub(super) system: bool,
    /// The fingerprint after it.
    pub(super) fingerprint: [u8; 32],
    /// The estimate of the new messages.
    pub(super) tokens: u64,
    /// How many of them are pinned.
    pub(super) pins: u64,
}

impl Content {
    /// What is new, or why that cannot be told. A system message that is the same as before is written only
    /// where `rewrite` asks for it.
    pub(super) fn plan(&self, base: &Head, rewrite: bool) -> Result<Plan, ConflictKind> {
        let first = match self.mode {
            StoreMode::Append => 0,
            StoreMode::Sync => stored_prefix(base, &self.messages)?,
        };
        let new = self.messages.get(first..).unwrap_or_default();
        let system = self.system.as_ref();
        Ok(Plan {
            first,
            count: new.len(),
            system: system.is_some_and(|system| rewrite || system.hash != base.system),
            fingerprint: fingerprint::extend(base.fingerprint, new),
            tokens: new.iter().map(estimate::message).sum(),
            pins: if self.keeps_pins { pins::count(new) } else { 0 },
        })
    }

    /// Whether there is anything to write at all.
    pub(super) fn changes(&self, plan: &Plan) -> bool {
        plan.count > 0 || plan.system || self.writes_state
    }

    /// The hash of the system message there will be.
    pub(super) fn system_after(&self, base: &Head) -> [u8; 8] {
        self.system
            .as_ref()
            .map_or(base.system, |system| system.hash)
    }
}

/// Where a turn stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) turn: TurnId,
    pub(super) link: Link,
}

impl Place {
    /// The place of these parts after `base`; none where there are no parts.
    pub(super) fn after(base: &Head, parts: &[Part]) -> Option<Self> {
        if parts.is_empty() {
            return None;
        }
        let link = Link {
            parent: base.turn,
            seq: base.count,
            after_ms: base.last_ms,
        };
        let hashes: Vec<PartHash> = parts.iter().map(|part| part.hash).collect();
        Some(Self {
            turn: TurnId::of(&link, &hashes),
            link,
        })
    }
}

/// The events of a turn, written but not committed.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) turn: TurnId,
    pub(super) last_ms: i64,
    pub(super) ids: Vec<EventId>,
}

/// The head there will be. The numbers may come from a forged token, so none of them may overflow.
pub(super) fn next_head(
    base: &Base,
    plan: &Plan,
    system: [u8; 8],
    written: Option<&Written>,
) -> Head {
    let old = &base.head;
    let changed = Head {
        revision: old.revision.saturating_add(1),
        system,
        ..old.clone()
    };
    let Some(written) = written else {
        return changed;
    };
    let mut recent = old.recent.clone();
    if old.turns > 0 && (!recent.is_empty() || old.turns == 1) {
        recent.insert(0, fingerprint::first(&old.turn.0));
        recent.truncate(crate::head::REMEMBERED_TURNS - 1);
    }
    Head {
        turn: written.turn,
        turns: old.turns.saturating_add(1),
        count: old.count.saturating_add(plan.count as u64),
        tokens: old.tokens.saturating_add(plan.tokens),
        pins: old.pins.saturating_add(plan.pins),
        last_ms: written.last_ms,
        last_event: written.ids.last().cloned(),
        fingerprint: plan.fingerprint,
        recent,
        ..changed
    }
}
