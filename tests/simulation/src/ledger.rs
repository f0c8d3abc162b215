//! The ledger: what was truly committed, seen from the service's side, and the judge of every answer.
//!
//! It knows nothing of tokens, hashes or the chain but the three metadata names it needs to find a turn's
//! events. What a conversation is, it takes from the order in which commits took effect and from what each
//! caller meant to store.

use std::collections::{BTreeMap, BTreeSet};

use codec::model::Message;
use conversation::Conversation;
use conversation::ports::{Commit, NewEvent};

use crate::coverage::Coverage;
use crate::operation::{Mode, Op, OpId, essence};
use crate::world::{Log, Logged};

/// Not the name of any branch.
const NO_BRANCH: &str = "-";

/// Everything that is true of a run so far.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) ops: Vec<Op>,
    pub(crate) coverage: Coverage,
    /// Conversations whose events were tampered with: there, only detection is demanded.
    pub(crate) tampered: BTreeSet<Conversation>,
    histories: BTreeMap<Conversation, Vec<Change>>,
    tokens: BTreeMap<String, NewEvent>,
    violation: Option<String>,
    /// Rises when days pass, after which idempotency keys are forgotten.
    pub(crate) era: u32,
}

/// One thing that became true of a conversation.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) branch: String,
    /// The store that did it; none where the table forgot the branch.
    pub(crate) op: Option<OpId>,
    /// What the branch holds from here on.
    content: Vec<Message>,
    turns: Vec<(usize, String)>,
    pub(crate) added: usize,
    system: Option<String>,
    state: u64,
    turn: String,
    pub(crate) era: u32,
}

/// A conversation's branch as it was at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    pub(crate) content: Vec<Message>,
    /// How many messages each turn added and its id, oldest first.
    pub(crate) turns: Vec<(usize, String)>,
    pub(crate) system: Option<String>,
    pub(crate) state: u64,
}

impl Ledger {
    /// Notes the first thing that must never happen.
    pub(crate) fn violation(&mut self, what: impl Into<String>) {
        self.violation.get_or_insert(what.into());
    }

    pub(crate) fn violated(&self) -> Option<&str> {
        self.violation.as_deref()
    }

    /// How many changes a conversation has seen: a moment to look at it from.
    pub(crate) fn moment(&self, conversation: &Conversation) -> usize {
        self.histories.get(conversation).map_or(0, Vec::len)
    }

    /// A branch as it was at a moment.
    pub(crate) fn view(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        moment: usize,
    ) -> View {
        let branch = branch.unwrap_or_default();
        let history = self
            .histories
            .get(conversation)
            .map_or(&[][..], |h| &h[..moment]);
        let mut view = View::default();
        for change in history {
            view.system.clone_from(&change.system);
            view.state = change.state;
            if change.branch == branch {
                view.content.clone_from(&change.content);
                view.turns.clone_from(&change.turns);
            }
        }
        view
    }

    /// Whether the store has taken effect, and how many messages its branch had then.
    pub(crate) fn position(&self, conversation: &Conversation, op: OpId) -> Option<usize> {
        let history = self.histories.get(conversation)?;
        let change = history.iter().find(|change| change.op == Some(op))?;
        Some(change.content.len())
    }

    /// Whether the store has added messages.
    pub(crate) fn has_turn(&self, conversation: &Conversation, op: OpId) -> bool {
        self.history(conversation)
            .iter()
            .any(|change| change.op == Some(op) && change.added > 0)
    }

    /// Other software wrote these before anyone else came.
    pub(crate) fn begins_with(&mut self, conversation: &Conversation, content: Vec<Message>) {
        self.coverage.hit("begun by other software");
        self.histories
            .entry(conversation.clone())
            .or_default()
            .push(Change {
                branch: String::new(),
                op: None,
                turns: vec![(content.len(), String::new())],
                content,
                added: 0,
                system: None,
                state: 0,
                turn: String::new(),
                era: self.era,
            });
    }

    /// Whether a turn of the very messages this store adds was committed by another, on its branch or on one
    /// that branch continues.
    pub(crate) fn has_twin(&self, conversation: &Conversation, op: &Op) -> bool {
        self.history(conversation).iter().any(|change| {
            let added = change.content.iter().rev().take(change.added).map(essence);
            let same = added.eq(op.messages.iter().rev().take(change.added).map(essence));
            let length = match op.mode {
                Mode::Append => change.added,
                Mode::Sync => change.content.len(),
            };
            change.added > 0 && same && length == op.messages.len()
        })
    }

    /// The branches of a conversation, the main line as the empty name.
    pub(crate) fn branches(&self, conversation: &Conversation) -> BTreeSet<String> {
        let names = self
            .history(conversation)
            .iter()
            .map(|change| change.branch.clone());
        names.filter(|name| name != NO_BRANCH).collect()
    }

    /// Whether some turn of this id was committed.
    pub(crate) fn is_committed(&self, conversation: &Conversation, turn: &str) -> bool {
        self.history(conversation)
            .iter()
            .any(|change| change.turn == turn)
    }

    /// An event was written, or recognised by its token.
    pub(crate) fn created(&mut self, event: &NewEvent, added: bool) {
        if !added {
            self.coverage.hit("create recognised by token");
        }
        let known = self
            .tokens
            .entry(event.client_token.clone())
            .or_insert_with(|| event.clone());
        if known != event {
            self.violation("one client token stands for two different events");
        }
    }

    /// An event was deleted.
    pub(crate) fn deleted(&mut self, conversation: &Conversation, log: &Log, gone: &Logged) {
        self.coverage.hit("orphan deleted");
        let Some(turn) = gone.event.metadata.get("colloquy.turn") else {
            self.violation("an event of other software was deleted");
            return;
        };
        let part = gone.event.metadata.get("colloquy.part");
        let committed = self.is_committed(conversation, turn);
        let copy = log.session(conversation).iter().any(|other| {
            other.event.metadata.get("colloquy.turn") == Some(turn)
                && other.event.metadata.get("colloquy.part") == part
        });
        if committed && !copy {
            self.violation(format!("an event of the committed turn {turn} was deleted"));
        }
    }

    /// A commit took effect.
    pub(crate) fn committed(
        &mut self,
        conversation: &Conversation,
        branch: Option<&str>,
        id: OpId,
        commit: &Commit,
        log: &Log,
    ) {
        let moment = self.moment(conversation);
        let op = self.ops[id].clone();
        let last = self
            .history(conversation)
            .iter()
            .rfind(|c| c.branch == branch.unwrap_or_default());
        let known_line = last.is_some_and(|change| change.op.is_some());
        let mut before = self.view(conversation, branch, moment);
        if !known_line && let Some(expected) = &op.expected {
            // The first turn of a branch continues the one its token came from.
            before.content.clone_from(&expected.content);
            before.turns.clone_from(&expected.turns);
            if expected.branch.as_deref() != branch {
                self.coverage.hit("branch forked");
            }
        }
        let content = match op.mode {
            Mode::Append => before.content.iter().chain(&op.messages).cloned().collect(),
            Mode::Sync => op.messages.clone(),
        };
        let essences = |messages: &[Message]| messages.iter().map(essence).collect::<Vec<_>>();
        if !essences(&content).starts_with(&essences(&before.content)) {
            self.violation(format!(
                "store {id} was synced over a prefix that is not its own"
            ));
            return;
        }
        let added = content.len() - before.content.len();
        if commit.head.count != content.len() as u64 {
            let (is, due) = (commit.head.count, content.len());
            self.violation(format!("store {id} committed a count of {is}, not {due}"));
        }
        self.judge_commit(conversation, id, &op, added);
        if added > 0 {
            self.judge_events(conversation, id, commit, log);
        }
        let mut turns = before.turns;
        if added > 0 {
            turns.push((added, commit.head.turn.to_string()));
        }
        let change = Change {
            branch: branch.unwrap_or_default().to_owned(),
            op: Some(id),
            content,
            turns,
            added,
            system: self.system_after(conversation, branch, commit, &op),
            state: before.state + u64::from(op.state.is_some()),
            turn: if added > 0 {
                commit.head.turn.to_string()
            } else {
                String::new()
            },
            era: self.era,
        };
        if op.state.is_some_and(|version| version != before.state) {
            self.violation(format!("store {id} overwrote a state it had not seen"));
        }
        self.histories
            .entry(conversation.clone())
            .or_default()
            .push(change);
        self.coverage.hit("commit took effect");
    }

    /// The table dropped a head long after its events had expired.
    pub(crate) fn forgotten(&mut self, conversation: &Conversation, branch: &str) {
        self.coverage.hit("head expired");
        let view = self.view(conversation, Some(branch), self.moment(conversation));
        self.histories
            .entry(conversation.clone())
            .or_default()
            .push(Change {
                branch: branch.to_owned(),
                op: None,
                content: Vec::new(),
                turns: Vec::new(),
                added: 0,
                system: view.system,
                state: view.state,
                turn: String::new(),
                era: self.era,
            });
    }

    /// What is left of the context besides the heads after the table expired some of it.
    pub(crate) fn context_expired(
        &mut self,
        conversation: &Conversation,
        no_system: bool,
        no_state: bool,
        events_left: bool,
    ) {
        let view = self.view(conversation, None, self.moment(conversation));
        let lost = (no_system && view.system.is_some()) || (no_state && view.state > 0);
        if !lost {
            return;
        }
        if events_left {
            self.violation("system message or state expired before the conversation's events");
        }
        self.coverage.hit("context expired");
        self.histories
            .entry(conversation.clone())
            .or_default()
            .push(Change {
                branch: NO_BRANCH.to_owned(),
                op: None,
                content: Vec::new(),
                turns: Vec::new(),
                added: 0,
                system: view.system.filter(|_| !no_system),
                state: if no_state { 0 } else { view.state },
                turn: String::new(),
                era: self.era,
            });
    }

    pub(crate) fn history(&self, conversation: &Conversation) -> &[Change] {
        self.histories.get(conversation).map_or(&[], Vec::as_slice)
    }
}
