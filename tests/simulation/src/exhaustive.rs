//! Every schedule of two writers, not a sample: each order of their calls, with a fault at each of them.
//!
//! The search runs a schedule from the start for each path through the tree of choices. A step is one call,
//! since what two writers see of each other is only the order in which their calls take effect. Writing or
//! deleting an event of one's own turn changes nothing the other writer can see: such a call is not
//! interleaved with the other's calls, only with faults. Everything else is: reads of the head, listings,
//! commits, timers, and what a crashed writer had sent before it died.

use crate::failure::Failure;
use crate::judge::{Mood, judge};
use crate::operation::{Known, OpId};
use crate::plan;
use crate::protocol::LoadCall;
use crate::random::Random;
use crate::scenario::Scenario;
use crate::setup::{Explored, Setup};
use crate::simulation::{Done, Fate, Simulation};
use crate::world::{Call, Request, Stage};

/// Runs every schedule.
///
/// # Errors
/// The first schedule that breaks an invariant, with its trace.
pub fn explore(setup: Setup) -> Result<Explored, Failure> {
    let mut explored = Explored::default();
    let mut path: Vec<(usize, usize)> = Vec::new();
    loop {
        let mut schedule = Schedule::new(setup, std::mem::take(&mut path), false);
        if schedule.go().is_err() {
            let mut again = Schedule::new(setup, schedule.path, true);
            return Err(again
                .go()
                .err()
                .unwrap_or_else(|| again.failure("the schedule does not repeat")));
        }
        schedule.count(&mut explored);
        path = schedule.path;
        // On to the next path: the last choice that has an alternative left takes it.
        while path.last().is_some_and(|(taken, of)| taken + 1 == *of) {
            path.pop();
        }
        match path.last_mut() {
            Some((taken, _)) => *taken += 1,
            None => return Ok(explored),
        }
    }
}

struct Schedule {
    setup: Setup,
    simulation: Simulation,
    path: Vec<(usize, usize)>,
    depth: usize,
    faults: [bool; 2],
    ops: Vec<OpId>,
    crashed: bool,
    lost: bool,
    mood: Mood,
}

#[derive(Clone, Copy, Debug)]
enum Choice {
    Serve(u64),
    LoseAnswer(u64),
    CrashBefore(usize),
    CrashAfter(usize, u64),
    Wake(u64),
}

impl Schedule {
    fn new(setup: Setup, path: Vec<(usize, usize)>, traced: bool) -> Self {
        let mut simulation = Simulation::new(Scenario::quiet(), Random::new(1));
        simulation.trace = traced.then(|| vec![format!("{setup:?} {path:?}")]);
        let faults = [setup.faults < 1, setup.faults < 2];
        Self {
            setup,
            simulation,
            path,
            depth: 0,
            faults,
            ops: Vec::new(),
            crashed: false,
            lost: false,
            mood: Mood::Stormy,
        }
    }

    fn go(&mut self) -> Result<(), Failure> {
        self.prepare()?;
        for client in 0..2 {
            let op = self.ops[client];
            let done = self.simulation.start_store(client, op);
            self.finish(done);
        }
        loop {
            let choices = self.choices();
            if choices.is_empty() {
                break;
            }
            let index = self.choose(choices.len());
            self.take(choices[index]);
            self.check()?;
        }
        self.aftermath()
    }

    /// The conversation before the two writers come, and what they are about to store.
    fn prepare(&mut self) -> Result<(), Failure> {
        self.mood = Mood::Calm;
        if self.setup.begun {
            let op = plan::append(&mut self.simulation, 0, None);
            let done = self.simulation.start_store(0, op);
            self.finish(done);
            self.rest()?;
        }
        let done = self.simulation.start_load(
            0,
            LoadCall {
                conversation: 0,
                branch: None,
                window: Vec::new(),
            },
        );
        self.finish(done);
        self.rest()?;
        let known: Option<Known> = self.simulation.clients[0]
            .known
            .get(&(0, None))
            .and_then(|known| known.last().cloned());
        for writer in 0..2 {
            let op = plan::append(&mut self.simulation, 0, None);
            let mut state = self.simulation.world.state();
            let op_state = &mut state.ledger.ops[op];
            op_state.messages = plan::lines(op, self.setup.parts);
            op_state.expected = known.clone().filter(|_| self.setup.tokens);
            op_state.key = self.setup.keys.then(|| format!("key of writer {writer}"));
            self.ops.push(op);
        }
        self.mood = Mood::Stormy;
        Ok(())
    }

    fn choices(&self) -> Vec<Choice> {
        let state = self.simulation.world.state();
        let mut choices = Vec::new();
        let private =
            |call: &&Call| matches!(call.request, Request::Create(_) | Request::Delete(_));
        let first = state.calls.iter().find(|(_, call)| private(call));
        if let Some((id, call)) = first {
            choices.push(Choice::Serve(*id));
            if !call.abandoned && !self.faults[call.client] {
                choices.push(Choice::LoseAnswer(*id));
                choices.push(Choice::CrashAfter(call.client, *id));
                choices.push(Choice::CrashBefore(call.client));
            }
            return choices;
        }
        for (id, call) in &state.calls {
            choices.push(Choice::Serve(*id));
            if !call.abandoned && !self.faults[call.client] {
                choices.push(Choice::LoseAnswer(*id));
                choices.push(Choice::CrashAfter(call.client, *id));
            }
        }
        for client in 0..2 {
            if self.simulation.clients[client].running.is_none() {
                continue;
            }
            let waits = state
                .calls
                .values()
                .any(|call| call.client == client && !call.abandoned);
            if !waits {
                let timers = state
                    .timers
                    .iter()
                    .filter(|(_, timer)| timer.client == client);
                let first = timers.min_by_key(|(id, timer)| (timer.at_ms, **id));
                choices.extend(first.map(|(id, _)| Choice::Wake(*id)));
            }
            if !self.faults[client] {
                choices.push(Choice::CrashBefore(client));
            }
        }
        choices
    }

    fn choose(&mut self, of: usize) -> usize {
        if self.depth == self.path.len() {
            self.path.push((0, of));
        }
        let (taken, _) = self.path[self.depth];
        self.depth += 1;
        taken
    }

    fn take(&mut self, choice: Choice) {
        self.simulation.world.state().now_ms += 1;
        match choice {
            Choice::Serve(id) => self.serve(id, false),
            Choice::LoseAnswer(id) => {
                let client = self.simulation.world.state().calls[&id].client;
                self.faults[client] = true;
                self.lost = true;
                self.serve(id, true);
            }
            Choice::CrashBefore(client) => {
                self.faults[client] = true;
                self.crashed = true;
                // What it has sent may still arrive, at any later time.
                self.simulation.crash(client);
            }
            Choice::CrashAfter(client, id) => {
                self.faults[client] = true;
                self.crashed = true;
                self.simulation.land(id, Fate::Lands);
                self.simulation.crash(client);
            }
            Choice::Wake(id) => {
                let done = self.simulation.fire(id);
                self.finish(done);
            }
        }
    }

    fn serve(&mut self, id: u64, lost: bool) {
        self.simulation.land(id, Fate::Lands);
        let done = self.simulation.deliver(id, lost);
        self.finish(done);
    }

    /// Nothing goes wrong any more: crashed writers come back, everyone can store, all is there.
    fn aftermath(&mut self) -> Result<(), Failure> {
        self.mood = Mood::Calm;
        for client in 0..2 {
            let Some(op) = self.simulation.clients[client].open.take() else {
                continue;
            };
            if plan::can_be_retried(&self.simulation.world.state().ledger.ops[op]) {
                let done = self.simulation.start_store(client, op);
                self.finish(done);
                self.rest()?;
            }
        }
        let op = plan::append(&mut self.simulation, 0, None);
        let done = self.simulation.start_store(0, op);
        self.finish(done);
        self.rest()?;
        let done = self.simulation.start_load(
            1,
            LoadCall {
                conversation: 0,
                branch: None,
                window: Vec::new(),
            },
        );
        self.finish(done);
        self.rest()
    }

    /// Serves everything under way in the order it came.
    fn rest(&mut self) -> Result<(), Failure> {
        loop {
            let state = self.simulation.world.state();
            let call = state
                .calls
                .iter()
                .find(|(_, call)| matches!(call.stage, Stage::Sent))
                .map(|(id, _)| *id);
            let timer = state
                .timers
                .iter()
                .min_by_key(|(id, timer)| (timer.at_ms, **id))
                .map(|(id, _)| *id);
            drop(state);
            match (call, timer) {
                (Some(id), _) => self.serve(id, false),
                (None, Some(id)) => {
                    let done = self.simulation.fire(id);
                    self.finish(done);
                }
                (None, None) => return self.check(),
            }
            self.check()?;
        }
    }

    fn count(&self, explored: &mut Explored) {
        let state = self.simulation.world.state();
        let talk = crate::world::conversation(0);
        let stored = self
            .ops
            .iter()
            .filter(|op| state.ledger.position(&talk, **op).is_some())
            .count();
        explored.schedules += 1;
        explored.crashes += u64::from(self.crashed);
        explored.lost += u64::from(self.lost);
        match stored {
            0 => explored.none += 1,
            1 => explored.one += 1,
            _ => explored.both += 1,
        }
    }

    fn finish(&mut self, done: Option<Done>) {
        if let Some(done) = done {
            judge(&mut self.simulation, done, self.mood);
        }
    }

    fn check(&mut self) -> Result<(), Failure> {
        let what = self
            .simulation
            .world
            .state()
            .ledger
            .violated()
            .map(str::to_owned);
        what.map_or(Ok(()), |what| Err(self.failure(&what)))
    }

    fn failure(&mut self, what: &str) -> Failure {
        let trace = self.simulation.trace.take().unwrap_or_default();
        Failure {
            seed: 0,
            step: self.depth as u64,
            what: what.to_owned(),
            trace,
        }
    }
}
