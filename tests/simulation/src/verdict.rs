//! What every commit is held against as it takes effect.

use std::collections::BTreeMap;

use conversation::Conversation;
use conversation::ports::{Commit, HeadExpectation};

use crate::ledger::{Change, Ledger};
use crate::operation::{Op, OpId, Outcome};
use crate::world::Log;

impl Ledger {
    /// Nothing is stored twice, under one key or otherwise, nor after it was refused.
    pub(crate) fn judge_commit(
        &mut self,
        conversation: &Conversation,
        id: OpId,
        op: &Op,
        added: usize,
    ) {
        if op.outcome == Outcome::Refused {
            self.violation(format!("store {id} was refused, and committed after that"));
        }
        if added == 0 {
            return;
        }
        let twice = self
            .history(conversation)
            .iter()
            .any(|c| c.op == Some(id) && c.added > 0);
        if twice {
            self.violation(format!("store {id} was committed twice"));
        }
        let Some(key) = &op.key else { return };
        let same_key = |other: &Op| {
            other.key.as_ref() == Some(key)
                && other.conversation == op.conversation
                && other.branch == op.branch
        };
        let shared = self
            .history(conversation)
            .iter()
            .filter(|change| change.added > 0 && change.era == self.era)
            .filter_map(|change| change.op)
            .find(|other| *other != id && same_key(&self.ops[*other]));
        if let Some(other) = shared {
            self.violation(format!(
                "stores {other} and {id} were committed under one key"
            ));
        }
    }

    /// All parts of a turn are in the log before its commit, and later than everything before them: so
    /// that readers who only sort by time see the right order too.
    pub(crate) fn judge_events(
        &mut self,
        conversation: &Conversation,
        id: OpId,
        commit: &Commit,
        log: &Log,
    ) {
        let turn = commit.head.turn.to_string();
        let mut parts: BTreeMap<u32, Vec<i64>> = BTreeMap::new();
        let mut of = 0;
        for logged in log.session(conversation) {
            if logged.event.metadata.get("colloquy.turn") != Some(&turn) {
                continue;
            }
            let part = logged
                .event
                .metadata
                .get("colloquy.part")
                .and_then(|part| part.split_once('/'));
            let Some((number, total)) =
                part.and_then(|(i, n)| Some((i.parse::<u32>().ok()?, n.parse::<u32>().ok()?)))
            else {
                self.violation("an event of ours has no part number");
                return;
            };
            of = total;
            parts
                .entry(number)
                .or_default()
                .push(logged.event.timestamp_ms);
        }
        if of == 0 || !parts.keys().copied().eq(1..=of) {
            self.violation(format!(
                "store {id} was committed before all its parts were in the log"
            ));
            return;
        }
        let mut last_ms = match &commit.expected {
            HeadExpectation::Absent => i64::MIN,
            HeadExpectation::Is(head) => head.last_ms,
        };
        // An earlier attempt may have left copies with other timestamps; one rising choice is enough.
        for copies in parts.values() {
            match copies.iter().filter(|at| **at > last_ms).min() {
                Some(at) => last_ms = *at,
                None => self.violation(format!("the timestamps of store {id} do not rise")),
            }
        }
        if parts
            .get(&of)
            .is_some_and(|copies| !copies.contains(&commit.head.last_ms))
        {
            self.violation(format!(
                "the head of store {id} has a timestamp no event of it has"
            ));
        }
    }

    /// The system message a commit leaves. One that is given is written, unless it is what the main line
    /// itself stored last: each head knows only the last one of its own branch.
    pub(crate) fn system_after(
        &mut self,
        conversation: &Conversation,
        branch: Option<&str>,
        commit: &Commit,
        op: &Op,
    ) -> Option<String> {
        let before = self
            .view(conversation, branch, self.moment(conversation))
            .system;
        match (&commit.system, &op.system) {
            (Some(_), Some(given)) => Some(given.clone()),
            (None, None) => before,
            (Some(_), None) => {
                self.violation("a system message was written that nobody gave");
                before
            }
            (None, Some(given)) => {
                let of_line = |change: &&Change| change.branch == branch.unwrap_or_default();
                let mut own = self
                    .history(conversation)
                    .iter()
                    .filter(of_line)
                    .filter_map(|change| self.ops[change.op?].system.clone());
                if branch.is_some() || own.next_back().as_ref() != Some(given) {
                    self.violation("a system message was taken for the one kept");
                }
                before
            }
        }
    }
}
