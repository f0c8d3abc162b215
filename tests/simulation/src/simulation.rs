//! The executor: clients as futures on one thread, and the single steps the world can take.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use crate::operation::{Known, Op, OpId};
use crate::protocol::{self, Finished, LoadCall};
use crate::random::Random;
use crate::scenario::Scenario;
use crate::world::{Answer, Port, Refusal, Stage, World};

/// One run under way.
pub(crate) struct Simulation {
    pub(crate) world: Arc<World>,
    pub(crate) clients: Vec<Client>,
    /// Everything that happened, hashed: two runs of one seed must agree on it.
    pub(crate) digest: u64,
    /// Everything that happened, in words, where asked for.
    pub(crate) trace: Option<Vec<String>>,
    random: Random,
}

/// One process that stores and loads.
pub(crate) struct Client {
    pub(crate) running: Option<Running>,
    /// The newest token it holds of each branch it has seen, and one it should have thrown away.
    pub(crate) known: BTreeMap<(usize, Option<String>), Vec<Known>>,
    /// A store it does not know the outcome of.
    pub(crate) open: Option<OpId>,
    skew_ms: i64,
}

/// What a client is doing.
pub(crate) struct Running {
    pub(crate) doing: Doing,
    future: Pin<Box<dyn Future<Output = Finished>>>,
    woken: Arc<Flag>,
}

/// Its call and the moment it began.
#[derive(Clone, Debug)]
pub(crate) enum Doing {
    Store(OpId),
    Load {
        call: LoadCall,
        since: usize,
        deadline_ms: u64,
    },
}

/// How a request fares when it is its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It takes effect and the answer travels back.
    Lands,
    /// It never arrives; the caller sees a failure.
    Lost,
    /// It is turned away.
    Refused(Refusal),
    /// It takes effect, then again later; the answer is that of the first.
    Doubled,
    /// It takes effect twice at once and the answer is that of the second: an unseen retry below.
    Echoed,
    /// The caller gives up now, and it takes effect some time later.
    Late(i64),
}

impl Simulation {
    pub(crate) fn new(scenario: Scenario, mut random: Random) -> Self {
        let clients = (0..scenario.clients)
            .map(|_| Client {
                running: None,
                known: BTreeMap::new(),
                open: None,
                skew_ms: random.between(-scenario.skew_ms, scenario.skew_ms),
            })
            .collect();
        Self {
            world: Arc::new(World::new(scenario, random.fork())),
            clients,
            digest: 0,
            trace: None,
            random,
        }
    }

    /// A client begins a store, or another attempt at one.
    pub(crate) fn start_store(&mut self, client: usize, op: OpId) -> Option<Done> {
        let (request, scenario) = {
            let mut state = self.world.state();
            state.ledger.ops[op].attempts += 1;
            (state.ledger.ops[op].clone(), state.scenario.clone())
        };
        self.note(|| format!("client {client} stores {op}: {}", describe(&request)));
        let port = self.port(client, op);
        let future = Box::pin(protocol::store(
            port,
            protocol::settings(&scenario),
            request,
            scenario.deadline(),
        ));
        self.start(client, Doing::Store(op), future)
    }

    /// A client begins a load.
    pub(crate) fn start_load(&mut self, client: usize, call: LoadCall) -> Option<Done> {
        let conversation = crate::world::conversation(call.conversation);
        let (since, scenario) = {
            let state = self.world.state();
            (state.ledger.moment(&conversation), state.scenario.clone())
        };
        self.note(|| format!("client {client} loads {call:?}"));
        let port = self.port(client, usize::MAX);
        let future = Box::pin(protocol::load(
            port,
            protocol::settings(&scenario),
            call.clone(),
            scenario.deadline(),
        ));
        let deadline_ms = scenario.deadline_ms;
        self.start(
            client,
            Doing::Load {
                call,
                since,
                deadline_ms,
            },
            future,
        )
    }

    /// A request arrives at its service, or does not.
    pub(crate) fn land(&mut self, id: u64, fate: Fate) {
        let mut state = self.world.state();
        let call = &state.calls[&id];
        let (client, op, name) = (call.client, call.op, call.request.name());
        match fate {
            Fate::Lands => {
                let answer = state.effect(id);
                state.answered(id, answer);
            }
            Fate::Lost => {
                let answer = state.calls[&id].request.refused(Refusal::Unavailable);
                state.answered(id, answer);
            }
            Fate::Refused(refusal) => {
                let answer = state.calls[&id].request.refused(refusal);
                state.answered(id, answer);
            }
            Fate::Doubled => {
                let answer = state.effect(id);
                let wait = state.now_ms + 200;
                state.leave_copy(id, wait);
                state.answered(id, answer);
            }
            Fate::Echoed => {
                state.effect(id);
                let answer = state.effect(id);
                state.answered(id, answer);
            }
            Fate::Late(wait_ms) => {
                let until = state.now_ms + wait_ms;
                state.leave_copy(id, until);
                let answer = state.calls[&id].request.refused(Refusal::Unavailable);
                state.answered(id, answer);
            }
        }
        drop(state);
        let op = if op == usize::MAX {
            "load".to_owned()
        } else {
            format!("store {op}")
        };
        self.note(|| format!("  client {client}, {op}: {name} #{id} {fate:?}"));
    }

    /// An answer arrives at its caller; a lost one is a failure without a word about what happened.
    pub(crate) fn deliver(&mut self, id: u64, lost: bool) -> Option<Done> {
        let mut state = self.world.state();
        let call = state.calls.get_mut(&id)?;
        let client = call.client;
        let Stage::Landed(answer) = &call.stage else {
            return None;
        };
        let answer = if lost {
            call.request.refused(Refusal::Unavailable)
        } else {
            answer.clone()
        };
        let words = short(&answer);
        call.deliver(answer);
        drop(state);
        self.note(|| {
            format!(
                "  client {client} hears of #{id}: {words}{}",
                if lost { " (answer lost)" } else { "" }
            )
        });
        self.poll(client)
    }

    /// A timer goes off.
    pub(crate) fn fire(&mut self, id: u64) -> Option<Done> {
        let mut state = self.world.state();
        let client = state.timers.get(&id)?.client;
        state.fire(id);
        drop(state);
        self.note(|| format!("  client {client} wakes"));
        self.poll(client)
    }

    /// A client dies at whatever it is waiting for. Its requests travel on, and it forgets what it knew.
    pub(crate) fn crash(&mut self, client: usize) {
        let Some(running) = self.clients[client].running.take() else {
            return;
        };
        if let Doing::Store(op) = running.doing {
            self.clients[client].open = Some(op);
            self.world.state().ledger.ops[op].in_doubt = true;
        }
        drop(running);
        self.clients[client].known.clear();
        self.note(|| format!("client {client} crashes"));
    }

    /// Adds a line to the run's record.
    pub(crate) fn note(&mut self, words: impl FnOnce() -> String) {
        let words = words();
        for byte in words.bytes() {
            self.digest = (self.digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        let at = self.world.state().now_ms - crate::world::EPOCH_MS;
        if let Some(trace) = &mut self.trace {
            trace.push(format!("{at:>8} {words}"));
        }
    }

    fn port(&mut self, client: usize, op: OpId) -> Port {
        let skew_ms = self.clients[client].skew_ms;
        Port::new(self.world.clone(), client, op, skew_ms, self.random.fork())
    }

    fn start(
        &mut self,
        client: usize,
        doing: Doing,
        future: Pin<Box<dyn Future<Output = Finished>>>,
    ) -> Option<Done> {
        let woken = Arc::new(Flag(AtomicBool::new(true)));
        self.clients[client].running = Some(Running {
            doing,
            future,
            woken,
        });
        self.poll(client)
    }

    /// Lets a client go on if something it waits for has happened.
    fn poll(&mut self, client: usize) -> Option<Done> {
        let running = self.clients[client].running.as_mut()?;
        if !running.woken.0.swap(false, Ordering::Relaxed) {
            return None;
        }
        let waker = Waker::from(running.woken.clone());
        let Poll::Ready(finished) = running
            .future
            .as_mut()
            .poll(&mut Context::from_waker(&waker))
        else {
            return None;
        };
        let running = self.clients[client].running.take()?;
        self.note(|| format!("client {client} is done: {finished}"));
        Some(Done {
            client,
            doing: running.doing,
            finished,
        })
    }
}

/// A finished call and its answer.
pub(crate) struct Done {
    pub(crate) client: usize,
    pub(crate) doing: Doing,
    pub(crate) finished: Finished,
}

struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn token(known: &Known) -> String {
    format!(
        ", token of {}@{}",
        known.branch.as_deref().unwrap_or("main"),
        known.content.len()
    )
}

fn describe(op: &Op) -> String {
    format!(
        "{:?} {} messages to {}{}, attempt {}{}{}{}{}",
        op.mode,
        op.messages.len(),
        op.conversation,
        op.branch
            .as_ref()
            .map(|b| format!("/{b}"))
            .unwrap_or_default(),
        op.attempts,
        op.expected.as_ref().map(token).unwrap_or_default(),
        op.key
            .as_ref()
            .map(|k| format!(", key {k}"))
            .unwrap_or_default(),
        op.system
            .as_ref()
            .map(|s| format!(", {s}"))
            .unwrap_or_default(),
        op.state.map(|v| format!(", state {v}")).unwrap_or_default(),
    )
}

fn short(answer: &Answer) -> String {
    match answer {
        Answer::Page(Ok(page)) => format!(
            "{} events, more: {}",
            page.events.len(),
            page.next.is_some()
        ),
        Answer::Page(Err(error)) | Answer::Create(Err(error)) | Answer::Delete(Err(error)) => {
            error.to_string()
        }
        Answer::Create(Ok(id)) => id.to_string(),
        Answer::Delete(Ok(())) => "deleted".to_owned(),
        Answer::Items(Ok(items)) => format!("{} heads", items.heads.len()),
        Answer::Head(Ok(lookup)) => format!(
            "revision {}, key {}",
            lookup.head.as_ref().map_or(0, |head| head.revision),
            lookup.key.is_some()
        ),
        Answer::Items(Err(error)) | Answer::Head(Err(error)) | Answer::Commit(Err(error)) => {
            error.to_string()
        }
        Answer::Commit(Ok(outcome)) => format!("{outcome:?}").chars().take(60).collect(),
    }
}
