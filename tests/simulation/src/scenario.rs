//! What a run is like: how many take part, and what goes wrong how often.

use std::time::Duration;

use codec::Dialect;
use conversation::Layout;

use crate::random::Random;

/// One day of virtual time.
pub(crate) const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// How long events are kept.
pub(crate) const RETENTION_DAYS: i64 = 7;

/// Time enough to wait for any lag and for many retries.
pub(crate) const AMPLE_MS: u64 = 20_000;

/// A run's conditions, drawn from its seed. Rates are per thousand.
#[derive(Clone, Debug)]
// Each switch is a condition of its own; a type for each would say no more.
#[allow(clippy::struct_excessive_bools)]
pub(crate) struct Scenario {
    pub(crate) clients: usize,
    pub(crate) conversations: usize,
    pub(crate) branches: bool,
    /// Conversations begin with events of other software.
    pub(crate) foreign: bool,
    pub(crate) layout: Layout,
    pub(crate) dialect: Dialect,
    pub(crate) enforce: bool,
    pub(crate) page_size: usize,
    pub(crate) shuffled: bool,
    pub(crate) hollow_page: u64,
    pub(crate) honour_tokens: bool,
    pub(crate) skew_ms: i64,
    pub(crate) lag: u64,
    pub(crate) lag_ms: i64,
    pub(crate) retention_ms: i64,
    /// The time each call has.
    pub(crate) deadline_ms: u64,
    /// How eager a client is to retry a store of unknown outcome, when it has nothing else to do. A slow one
    /// comes back when others have long gone on.
    pub(crate) retry: u64,
    /// A request gets lost on its way.
    pub(crate) lost_request: u64,
    /// A request takes effect and its answer gets lost.
    pub(crate) lost_answer: u64,
    /// The caller gives up on a request that lands later.
    pub(crate) late: u64,
    /// A request takes effect twice.
    pub(crate) duplicate: u64,
    pub(crate) throttled: u64,
    pub(crate) denied: u64,
    pub(crate) crash: u64,
    pub(crate) tamper: u64,
    /// Days pass.
    pub(crate) jump: u64,
}

impl Scenario {
    /// The conditions a seed stands for. Each kind of trouble is on in about half of the runs, so that
    /// one kind cannot hide another.
    pub(crate) fn draw(random: &mut Random) -> Self {
        // In one run of eight trouble is the rule.
        let scale = if random.chance(125) { 5 } else { 1 };
        let mut rate = |often: u64| {
            if random.chance(500) {
                1 + random.below(often * scale)
            } else {
                0
            }
        };
        let (lost_request, lost_answer, late) = (rate(60), rate(60), rate(60));
        let (duplicate, throttled, denied) = (rate(60), rate(100), rate(15));
        let (crash, lag, hollow_page) = (rate(20), rate(400), rate(150));
        let jump = rate(4);
        // The seed dialect knows no turns in one event.
        let (layout, dialect) = match random.index(3) {
            0 => (Layout::Message, Dialect::Seed),
            1 => (Layout::Message, Dialect::Camunda),
            _ => (Layout::Turn, Dialect::Camunda),
        };
        let tamper = if random.chance(120) { 10 } else { 0 };
        let jump = if random.chance(300) { jump } else { 0 };
        Self {
            // Their expiry and whatever is done to them says nothing about the chain.
            foreign: tamper + jump == 0 && random.chance(300),
            clients: 1 + random.index(4),
            conversations: 1 + random.index(4),
            branches: random.chance(400),
            layout,
            dialect,
            enforce: random.chance(300),
            page_size: [1, 2, 3, 5, 10, 100][random.index(6)],
            shuffled: random.chance(500),
            hollow_page,
            honour_tokens: random.chance(500),
            skew_ms: if random.chance(500) { 299_000 } else { 0 },
            lag,
            lag_ms: 1 + random.between(0, 3000),
            retention_ms: RETENTION_DAYS * DAY_MS,
            deadline_ms: [300, 2_000, AMPLE_MS, AMPLE_MS][random.index(4)],
            retry: [800, 800, 60][random.index(3)],
            lost_request,
            lost_answer,
            late,
            duplicate,
            throttled,
            denied,
            crash,
            tamper,
            jump,
        }
    }

    /// The same world with nothing going wrong any more. What is late or lagging is over, too.
    pub(crate) fn calm(&mut self) {
        for rate in [
            &mut self.lost_request,
            &mut self.lost_answer,
            &mut self.late,
            &mut self.duplicate,
            &mut self.throttled,
            &mut self.denied,
            &mut self.crash,
            &mut self.tamper,
            &mut self.jump,
            &mut self.lag,
        ] {
            *rate = 0;
        }
        self.deadline_ms = AMPLE_MS;
    }

    pub(crate) fn deadline(&self) -> Duration {
        Duration::from_millis(self.deadline_ms)
    }

    /// A quiet world for two writers, as the exhaustive search wants it.
    pub(crate) fn quiet() -> Self {
        let mut scenario = Self::draw(&mut Random::new(0));
        scenario.calm();
        scenario.clients = 2;
        scenario.conversations = 1;
        scenario.branches = false;
        scenario.foreign = false;
        scenario.layout = Layout::Message;
        scenario.dialect = Dialect::Camunda;
        scenario.enforce = true;
        scenario.page_size = 100;
        scenario.shuffled = false;
        scenario.hollow_page = 0;
        scenario.honour_tokens = false;
        scenario.skew_ms = 0;
        scenario
    }
}
