//! The world the protocol runs in: log, context store, network, time.

mod call;
mod context;
mod log;
mod port;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use conversation::Conversation;
use conversation::ports::{CommitOutcome, NewEvent};

pub(crate) use call::{Answer, Call, Refusal, Request, Stage};
pub(crate) use context::{Applied, Context};
pub(crate) use log::{Arrival, Listing, Log, Logged};
pub(crate) use port::{Port, Timer};

use crate::ledger::Ledger;
use crate::random::Random;
use crate::scenario::Scenario;

/// When virtual time starts.
pub(crate) const EPOCH_MS: i64 = 1_800_000_000_000;

/// The shared world. Everything is behind one lock, held only between awaits; the ports demand `Sync`
/// though the simulation has one thread.
#[derive(Debug)]
pub(crate) struct World(Mutex<State>);

/// What the world is at one moment.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) now_ms: i64,
    pub(crate) log: Log,
    pub(crate) context: Context,
    pub(crate) calls: BTreeMap<u64, Call>,
    pub(crate) timers: BTreeMap<u64, Timer>,
    pub(crate) ledger: Ledger,
    pub(crate) scenario: Scenario,
    random: Random,
    next_id: u64,
}

impl World {
    pub(crate) fn new(scenario: Scenario, random: Random) -> Self {
        Self(Mutex::new(State {
            now_ms: EPOCH_MS,
            log: Log::default(),
            context: Context::default(),
            calls: BTreeMap::new(),
            timers: BTreeMap::new(),
            ledger: Ledger::default(),
            scenario,
            random,
            next_id: 0,
        }))
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }
}

impl State {
    pub(crate) fn submit(&mut self, call: Call) -> u64 {
        self.next_id += 1;
        self.calls.insert(self.next_id, call);
        self.next_id
    }

    pub(crate) fn set_timer(&mut self, client: usize, at_ms: i64) -> u64 {
        self.next_id += 1;
        self.timers.insert(
            self.next_id,
            Timer {
                client,
                at_ms,
                waker: None,
            },
        );
        self.next_id
    }

    /// Fires a timer; time goes on to it.
    pub(crate) fn fire(&mut self, id: u64) {
        if let Some(timer) = self.timers.remove(&id) {
            self.now_ms = self.now_ms.max(timer.at_ms);
            if let Some(waker) = timer.waker {
                waker.wake();
            }
        }
    }

    /// Applies a request's effect and gives the answer. This is the service's side of a call.
    pub(crate) fn effect(&mut self, id: u64) -> Answer {
        let call = &self.calls[&id];
        let (conversation, request, op) =
            (call.conversation.clone(), call.request.clone(), call.op);
        match request {
            Request::Page { branch, token } => {
                if self
                    .ledger
                    .ops
                    .get(op)
                    .is_some_and(|op| self.has_head(&conversation, op.branch.as_deref()))
                {
                    self.ledger.coverage.hit("store walked the chain");
                }
                let scenario = &self.scenario;
                let listing = Listing {
                    now_ms: self.now_ms,
                    page_size: scenario.page_size,
                    shuffled: scenario.shuffled,
                    hollow: self.random.chance(scenario.hollow_page),
                };
                let page = self.log.page(
                    &conversation,
                    branch.as_deref(),
                    token.as_ref(),
                    listing,
                    &mut self.random,
                );
                Answer::Page(Ok(page))
            }
            Request::Create(event) => {
                let scenario = &self.scenario;
                let lag_ms = if self.random.chance(scenario.lag) {
                    self.random.between(1, scenario.lag_ms)
                } else {
                    0
                };
                let arrival = Arrival {
                    now_ms: self.now_ms,
                    lag_ms,
                    retention_ms: scenario.retention_ms,
                    honour_tokens: scenario.honour_tokens,
                };
                let (id, added) = self
                    .log
                    .create(&conversation, &event, arrival, &mut self.random);
                self.ledger.created(&event, added);
                Answer::Create(Ok(id))
            }
            Request::Delete(id) => {
                if let Some(gone) = self.log.delete(&conversation, &id) {
                    self.ledger.deleted(&conversation, &self.log, &gone);
                }
                Answer::Delete(Ok(()))
            }
            Request::Items => Answer::Items(Ok(self.context.all(&conversation))),
            Request::Head { branch, key, now_s } => {
                let branch = branch.as_deref();
                let found = self
                    .context
                    .head(&conversation, branch, key.as_ref(), now_s);
                Answer::Head(Ok(Box::new(found)))
            }
            Request::Commit { branch, commit } => {
                match self
                    .context
                    .commit(&conversation, branch.as_deref(), &commit, self.now_ms)
                {
                    Applied::Now => {
                        self.ledger.committed(
                            &conversation,
                            branch.as_deref(),
                            op,
                            &commit,
                            &self.log,
                        );
                        Answer::Commit(Ok(CommitOutcome::Committed))
                    }
                    Applied::Before => Answer::Commit(Ok(CommitOutcome::Committed)),
                    Applied::No(refused) => Answer::Commit(Ok(refused)),
                    Applied::TokenReused => {
                        self.ledger
                            .violation("one request token stands for two different commits");
                        self.calls[&id].request.refused(Refusal::Unavailable)
                    }
                }
            }
        }
    }

    /// The service has answered. Nobody hears it where nobody waits.
    pub(crate) fn answered(&mut self, id: u64, answer: Answer) {
        let Some(call) = self.calls.get_mut(&id) else {
            return;
        };
        if call.abandoned {
            self.calls.remove(&id);
        } else {
            call.stage = Stage::Landed(answer);
        }
    }

    /// Leaves a copy of a request on the network that takes effect later, heard by nobody.
    pub(crate) fn leave_copy(&mut self, id: u64, not_before_ms: i64) {
        let call = &self.calls[&id];
        let mut copy = Call::new(
            call.client,
            call.op,
            call.conversation.clone(),
            call.request.clone(),
        );
        copy.abandoned = true;
        copy.not_before_ms = not_before_ms;
        self.submit(copy);
    }

    /// Whether a turn can no longer be read whole because its events have expired.
    pub(crate) fn has_expired(&self, conversation: &Conversation, turn: &str) -> bool {
        let session = self.log.session(conversation);
        let of = |logged: &&Logged| {
            logged
                .event
                .metadata
                .get("colloquy.turn")
                .is_some_and(|id| id == turn)
        };
        session.iter().filter(of).any(|gone| {
            let part = gone.event.metadata.get("colloquy.part");
            session
                .iter()
                .filter(of)
                .filter(|copy| copy.event.metadata.get("colloquy.part") == part)
                .all(|copy| copy.expires_ms <= self.now_ms)
        })
    }

    /// Writes an event as other software does, with nothing of ours in it.
    pub(crate) fn write_foreign(&mut self, conversation: &Conversation, text: &str) {
        let arrival = Arrival {
            now_ms: self.now_ms,
            lag_ms: 0,
            retention_ms: self.scenario.retention_ms,
            honour_tokens: false,
        };
        let event = NewEvent {
            timestamp_ms: self.now_ms,
            payload: vec![codec::Payload::Conversational {
                role: codec::Role::User,
                text: text.to_owned(),
            }],
            metadata: BTreeMap::new(),
            branch: None,
            client_token: text.to_owned(),
        };
        self.log
            .create(conversation, &event, arrival, &mut self.random);
        self.now_ms += 1;
    }

    /// Whether a branch has a head.
    pub(crate) fn has_head(&self, conversation: &Conversation, branch: Option<&str>) -> bool {
        self.context
            .head(conversation, branch, None, 0)
            .head
            .is_some()
    }

    /// Changes or removes an event, and says how.
    pub(crate) fn tamper(
        &mut self,
        conversation: &Conversation,
        index: usize,
        how: usize,
        bits: u64,
    ) -> &'static str {
        let session = self.log.session_mut(conversation);
        let event = &mut session[index].event;
        match how {
            0 => {
                session.remove(index);
                "tampered: an event removed"
            }
            1 => {
                let text = format!("forged {bits}");
                event.payload = vec![codec::Payload::Conversational {
                    role: codec::Role::User,
                    text,
                }];
                "tampered: a payload replaced"
            }
            2 => {
                let parent = format!("{bits:016x}").repeat(4);
                event.metadata.insert("colloquy.parent".to_owned(), parent);
                "tampered: a parent replaced"
            }
            _ => {
                event
                    .metadata
                    .insert("seq".to_owned(), (bits % 1000).to_string());
                "tampered: a number replaced"
            }
        }
    }

    /// Lets the table's TTL drop what it may. Where a head goes, its branch starts anew; the rest of the
    /// context may only go when all events have.
    pub(crate) fn expire_context(&mut self) {
        for (conversation, branch) in self.context.expire(self.now_ms / 1000) {
            self.ledger.forgotten(&conversation, &branch);
        }
        for number in 0..self.scenario.conversations {
            let talk = conversation(number);
            let items = self.context.all(&talk);
            let events_left = self.log.session(&talk).iter().any(|logged| {
                let turn = logged.event.metadata.get("colloquy.turn");
                logged.expires_ms > self.now_ms
                    && turn.is_some_and(|turn| self.ledger.is_committed(&talk, turn))
            });
            self.ledger.context_expired(
                &talk,
                items.system.is_none(),
                items.states.is_empty(),
                events_left,
            );
        }
    }
}

/// A conversation by number: two sessions of one actor, then the same session names of another.
pub(crate) fn conversation(number: usize) -> Conversation {
    Conversation {
        memory: "simulated-memory-0123456789".to_owned(),
        actor: format!("actor{}", number / 2),
        session: format!("session{}", number % 2),
    }
}
