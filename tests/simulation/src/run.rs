//! One run from its seed: a storm, then the calm in which everything must work again.

use crate::coverage::Coverage;
use crate::failure::Failure;
use crate::judge::{Mood, judge};
use crate::plan::{self, Plan};
use crate::protocol::LoadCall;
use crate::random::Random;
use crate::scenario::Scenario;
use crate::simulation::{Done, Simulation};
use crate::world::{Stage, conversation};

/// Steps after which a run that should have come to rest is stuck.
const STUCK: u64 = 200_000;

/// A run that held.
#[derive(Clone, Debug)]
pub struct Ran {
    /// Scheduling decisions taken.
    pub steps: u64,
    /// A hash over everything that happened.
    pub digest: u64,
    /// What was exercised.
    pub coverage: Coverage,
}

/// Runs one seed to its end.
///
/// # Errors
/// The first thing that must not happen, with the run's whole trace.
pub fn run(seed: u64) -> Result<Ran, Failure> {
    // The record is only written on a second, identical run: it costs more than the run itself.
    Run::new(seed, false)
        .complete()
        .or_else(|_| Run::new(seed, true).complete())
}

/// Runs seeds one after the other, from `seed` on, until so many steps are done.
///
/// # Errors
/// The first failure.
pub fn campaign(
    seed: u64,
    steps: u64,
    mut progress: impl FnMut(u64, &Ran),
) -> Result<Ran, Failure> {
    let mut total = Ran {
        steps: 0,
        digest: 0,
        coverage: Coverage::default(),
    };
    let mut next = seed;
    while total.steps < steps {
        let ran = run(next)?;
        total.steps += ran.steps;
        total.digest = total.digest.rotate_left(5) ^ ran.digest;
        total.coverage.add(&ran.coverage);
        progress(next, &total);
        next = next.wrapping_add(1);
    }
    Ok(total)
}

/// One run under way.
pub(crate) struct Run {
    seed: u64,
    step: u64,
    pub(crate) simulation: Simulation,
    pub(crate) random: Random,
    mood: Mood,
}

/// Something that can happen next.
enum Choice {
    Begin(usize),
    Land(u64),
    Deliver(u64),
    Fire(u64),
}

impl Run {
    fn new(seed: u64, traced: bool) -> Self {
        let mut random = Random::new(seed);
        let scenario = Scenario::draw(&mut random);
        let mut simulation = Simulation::new(scenario.clone(), random.fork());
        simulation.trace = traced.then(|| vec![format!("{scenario:?}")]);
        if scenario.foreign {
            plan::begin_foreign(&mut simulation, &mut random);
        }
        Self {
            seed,
            step: 0,
            simulation,
            random,
            mood: Mood::Stormy,
        }
    }

    fn complete(mut self) -> Result<Ran, Failure> {
        let storm = 100 + self.random.below(700);
        while self.step < storm {
            self.storm()?;
        }
        self.settle()?;
        self.calm()?;
        let coverage = self.simulation.world.state().ledger.coverage.clone();
        Ok(Ran {
            steps: self.step,
            digest: self.simulation.digest,
            coverage,
        })
    }

    /// One step in which anything may happen.
    fn storm(&mut self) -> Result<(), Failure> {
        let scenario = self.simulation.world.state().scenario.clone();
        let client = self.random.index(scenario.clients);
        if self.random.chance(scenario.crash) && self.simulation.clients[client].running.is_some() {
            self.simulation.crash(client);
            self.hit("crash");
            self.step += 1;
            return self.check();
        }
        if self.random.chance(scenario.tamper) {
            self.tamper();
        }
        if self.random.chance(scenario.jump) {
            self.jump()?;
        }
        let choices = self.choices(true);
        self.take(&choices)
    }

    /// Everything under way comes to its end, still in the storm's mood.
    fn settle(&mut self) -> Result<(), Failure> {
        self.simulation.world.state().scenario.calm();
        self.rest()
    }

    /// Nothing goes wrong any more: open stores can be resolved, everyone can store, and everything that
    /// was committed is there.
    fn calm(&mut self) -> Result<(), Failure> {
        self.mood = Mood::Calm;
        self.pass(10_000);
        for client in 0..self.simulation.clients.len() {
            let Some(op) = self.simulation.clients[client].open.take() else {
                continue;
            };
            if plan::can_be_retried(&self.simulation.world.state().ledger.ops[op]) {
                self.hit("store resolved after the storm");
                self.begin(client, Plan::Store(op))?;
                self.rest()?;
            }
        }
        let conversations = self.simulation.world.state().scenario.conversations;
        for number in 0..conversations {
            let mut branches = self
                .simulation
                .world
                .state()
                .ledger
                .branches(&conversation(number));
            branches.insert(String::new());
            for branch in branches {
                let branch = Some(branch).filter(|name| !name.is_empty());
                let client = self.random.index(self.simulation.clients.len());
                if self
                    .simulation
                    .world
                    .state()
                    .has_head(&conversation(number), branch.as_deref())
                    || branch.is_none()
                {
                    let op = plan::append(&mut self.simulation, number, branch.clone());
                    self.begin(client, Plan::Store(op))?;
                    self.rest()?;
                    self.hit("store after the storm");
                }
                let client = self.random.index(self.simulation.clients.len());
                self.begin(
                    client,
                    Plan::Load(LoadCall {
                        conversation: number,
                        branch,
                        window: Vec::new(),
                    }),
                )?;
                self.rest()?;
                self.hit("load after the storm");
            }
        }
        Ok(())
    }

    /// Runs until nothing is under way.
    pub(crate) fn rest(&mut self) -> Result<(), Failure> {
        let start = self.step;
        loop {
            let choices = self.choices(false);
            if choices.is_empty() && !self.wait_for_something() {
                return self.check();
            }
            self.take(&choices)?;
            if self.step - start > STUCK {
                return Err(self.failure("the clients never come to rest"));
            }
        }
    }

    fn choices(&self, begin: bool) -> Vec<Choice> {
        let state = self.simulation.world.state();
        let mut choices = Vec::new();
        for (id, call) in &state.calls {
            match call.stage {
                Stage::Sent if call.not_before_ms <= state.now_ms => {
                    choices.push(Choice::Land(*id));
                }
                Stage::Landed(_) => choices.push(Choice::Deliver(*id)),
                Stage::Sent | Stage::Delivered(_) => {}
            }
        }
        let due = state
            .timers
            .iter()
            .filter(|(_, timer)| timer.at_ms <= state.now_ms);
        choices.extend(due.map(|(id, _)| Choice::Fire(*id)));
        if begin {
            let idle = |client: &usize| self.simulation.clients[*client].running.is_none();
            choices.extend(
                (0..self.simulation.clients.len())
                    .filter(idle)
                    .map(Choice::Begin),
            );
        }
        choices
    }

    fn take(&mut self, choices: &[Choice]) -> Result<(), Failure> {
        self.step += 1;
        if choices.is_empty() {
            self.wait_for_something();
            return self.check();
        }
        let wait = if self.random.chance(20) {
            self.random.between(0, 3000)
        } else {
            self.random.between(0, 8)
        };
        self.pass(wait);
        let index = self.random.index(choices.len());
        match choices[index] {
            Choice::Begin(client) => {
                let plan = plan::next(&mut self.simulation, client, &mut self.random);
                self.begin(client, plan)?;
            }
            Choice::Land(id) => self.land(id),
            Choice::Deliver(id) => {
                let scenario = self.simulation.world.state().scenario.clone();
                let lost = self.random.chance(scenario.lost_answer);
                if lost {
                    self.hit("answer lost");
                }
                let done = self.simulation.deliver(id, lost);
                self.finish(done);
            }
            Choice::Fire(id) => {
                let done = self.simulation.fire(id);
                self.finish(done);
            }
        }
        self.check()
    }

    fn begin(&mut self, client: usize, plan: Plan) -> Result<(), Failure> {
        let done = match plan {
            Plan::Store(op) => self.simulation.start_store(client, op),
            Plan::Load(call) => self.simulation.start_load(client, call),
        };
        self.finish(done);
        self.check()
    }

    fn finish(&mut self, done: Option<Done>) {
        if let Some(done) = done {
            judge(&mut self.simulation, done, self.mood);
        }
    }

    pub(crate) fn pass(&mut self, ms: i64) {
        self.simulation.world.state().now_ms += ms;
    }

    /// Goes on to the next timer or late request, if there is one.
    fn wait_for_something(&mut self) -> bool {
        let mut state = self.simulation.world.state();
        let timers = state.timers.values().map(|timer| timer.at_ms);
        let late = state
            .calls
            .values()
            .filter(|call| matches!(call.stage, Stage::Sent))
            .map(|call| call.not_before_ms);
        match timers.chain(late).min() {
            Some(at) => {
                state.now_ms = state.now_ms.max(at);
                true
            }
            None => false,
        }
    }

    pub(crate) fn hit(&mut self, name: &'static str) {
        self.simulation.world.state().ledger.coverage.hit(name);
    }

    fn check(&mut self) -> Result<(), Failure> {
        let what = self
            .simulation
            .world
            .state()
            .ledger
            .violated()
            .map(str::to_owned);
        match what {
            Some(what) => Err(self.failure(&what)),
            None => Ok(()),
        }
    }

    fn failure(&mut self, what: &str) -> Failure {
        let trace = self.simulation.trace.take().unwrap_or_default();
        Failure {
            seed: self.seed,
            step: self.step,
            what: what.to_owned(),
            trace,
        }
    }
}
