//! Calls of functions that run already.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::lambda::{Function, Trigger, Wanted, assistant, user};

use crate::report::{Figure, Report, median, millis};
use crate::services::{Services, Watched};

const CALLS: u32 = 300;
/// Neighbours of a virtual machine make it slow for seconds at a time. That says nothing about a function, so its calls are
/// made in rounds, and the bar is for the round that was disturbed least.
const ROUNDS: usize = 10;
const CALL_MS: f64 = 2.0;

/// What calls of one kind took.
struct Taken {
    /// Each from outside.
    times: Vec<Duration>,
    /// Processor time of the function, of all of them.
    processor: Duration,
    /// The part of the time, in percent, in which the hypervisor let something else run.
    stolen: f64,
}

pub(crate) async fn measure(report: &mut Report, services: &Services) {
    let load = services.run("load").await;
    let store = services.run("store").await;
    let loads = loads(&load, &store).await;
    let stores = of(&store, stores(&load, "four").await).await;
    let first = of(&store, first_stores("first")).await;
    let figures = |of: fn(&Taken) -> f64| [("load", of(&loads)), ("store", of(&stores))];
    report.bounded(
        &format!(
            "a call, median of the quietest of {ROUNDS} rounds: load of 40 messages, store of 4 with the head a load gave"
        ),
        "ms",
        CALL_MS,
        &figures(Taken::quietest),
    );
    report.noted(
        &format!("the same, median of all {CALLS}"),
        "ms",
        &figures(Taken::median),
    );
    report.noted(
        "processor time of the function in it, mean",
        "ms",
        &figures(Taken::processor),
    );
    report.noted(
        "time the hypervisor took away meanwhile",
        "%",
        &figures(|taken| taken.stolen),
    );
    report.noted(
        "a call less what the services took, median",
        "ms",
        &own(services).await,
    );
    report.noted(
        "a store of 4 without a head, the first of its conversation",
        "ms",
        &[("store", first.median())],
    );
    report.noted(
        "processor time of the function in it, mean",
        "ms",
        &[("store", first.processor())],
    );
}

/// What is left of the median when the time in which a service had a request of the call is taken away. It is
/// measured with a proxy before each service, so the way through the proxy counts as the function's.
async fn own(services: &Services) -> [Figure; 2] {
    let watched = services.watched().await;
    let load = watched.run("load").await;
    let store = watched.run("store").await;
    let read = forty(&load, &store, "watched-forty").await;
    let loads = vec![read; events().len()];
    let stores = stores(&load, "watched-four").await;
    [
        ("load", least_own(&watched, &load, loads).await),
        ("store", least_own(&watched, &store, stores).await),
    ]
}

async fn least_own(watched: &Watched, function: &Function, events: Vec<Value>) -> f64 {
    let mut times = Vec::new();
    for event in warmed(function, events).await {
        watched.forget();
        let time = call(function, &event).await;
        times.push(time.saturating_sub(watched.busy()));
    }
    median(times)
}

async fn loads(load: &Function, store: &Function) -> Taken {
    let event = forty(load, store, "forty").await;
    of(load, vec![event; events().len()]).await
}

/// The event that loads a conversation of 40 messages, which is stored first.
async fn forty(load: &Function, store: &Function, session: &str) -> Value {
    let turn = json!({"messages": [user("what a user says"), assistant("what a model answers")]});
    for _ in 0..20 {
        let event = Wanted::store("alice", session, turn.clone()).by(Trigger::Direct);
        assert_eq!(store.invoke(event).await.body()["stored"], 2);
    }
    let event = Wanted::load("alice", session, json!({"window": "none"})).by(Trigger::HttpApi);
    let whole = load.invoke(&event).await.response().body;
    assert_eq!(whole["report"]["returned"], 40, "{whole}");
    event
}

/// Stores as an agent makes them: it has loaded the conversation, and hands the head back. A conversation each, since
/// the service takes five writes a second of one.
async fn stores(load: &Function, sessions: &str) -> Vec<Value> {
    let mut stores = Vec::new();
    for number in events() {
        let session = format!("{sessions}-{number}");
        let event = Wanted::load("alice", &session, json!({})).by(Trigger::HttpApi);
        let loaded = load.invoke(&event).await.response().body;
        let body = json!({"messages": turn(), "head": loaded["head"]});
        stores.push(Wanted::store("alice", &session, body).by(Trigger::HttpApi));
    }
    stores
}

/// Stores that have to find out what there is: they read the head, and list the events since there is none.
fn first_stores(sessions: &str) -> Vec<Value> {
    let store = |number| {
        let session = format!("{sessions}-{number}");
        Wanted::store("alice", &session, json!({"messages": turn()})).by(Trigger::HttpApi)
    };
    events().map(store).collect()
}

fn turn() -> [Value; 4] {
    [user("1"), assistant("2"), user("3"), assistant("4")]
}

/// The numbers of the events of one measurement. The first ones do not count.
fn events() -> std::ops::Range<u32> {
    0..CALLS + CALLS / 10
}

async fn of(function: &Function, events: Vec<Value>) -> Taken {
    let events = warmed(function, events).await;
    let (before, ticks) = (function.processor_time(), Ticks::now());
    let mut times = Vec::new();
    for event in events {
        times.push(call(function, &event).await);
    }
    Taken {
        times,
        processor: function.processor_time().saturating_sub(before),
        stolen: Ticks::now().stolen_since(&ticks),
    }
}

/// The events that count, after those that do not were sent.
async fn warmed(function: &Function, mut events: Vec<Value>) -> Vec<Value> {
    let counted = events.split_off(events.len() / 11);
    for event in &events {
        call(function, event).await;
    }
    counted
}

async fn call(function: &Function, event: &Value) -> Duration {
    let payload = event.to_string();
    let start = Instant::now();
    let outcome = function.invoke(payload).await;
    let time = start.elapsed();
    assert_eq!(outcome.response().status, 200, "{}", outcome.text());
    time
}

/// What became of the time of all processors.
struct Ticks {
    all: f64,
    stolen: f64,
}

impl Ticks {
    fn now() -> Self {
        let stat = std::fs::read_to_string("/proc/stat").expect("it runs on Linux");
        let line = stat.lines().next().unwrap_or_default();
        // Guests' time, behind the first eight numbers, is in the first two already.
        let numbers = line.split_whitespace().skip(1).take(8);
        let ticks: Vec<f64> = numbers.filter_map(|number| number.parse().ok()).collect();
        Self {
            all: ticks.iter().sum(),
            stolen: ticks[7],
        }
    }

    fn stolen_since(&self, before: &Self) -> f64 {
        100.0 * (self.stolen - before.stolen) / (self.all - before.all)
    }
}

impl Taken {
    fn quietest(&self) -> f64 {
        let rounds = self.times.chunks(self.times.len().div_ceil(ROUNDS));
        let medians = rounds.map(|round| median(round.to_vec()));
        medians.fold(f64::INFINITY, f64::min)
    }

    fn median(&self) -> f64 {
        median(self.times.clone())
    }

    fn processor(&self) -> f64 {
        millis(self.processor / CALLS)
    }
}
