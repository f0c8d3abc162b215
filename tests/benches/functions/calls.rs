//! Calls of functions that run already.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::lambda::{Function, Trigger, Wanted, assistant, user};

use crate::report::{Report, median, millis};
use crate::services::Services;

const CALLS: u32 = 300;
const CALL_MS: f64 = 2.0;

pub(crate) async fn measure(report: &mut Report, services: &Services) {
    let load = services.run("load").await;
    let store = services.run("store").await;
    let (load_ms, load_cpu) = loads(&load, &store).await;
    let (store_ms, store_cpu) = stores(&store).await;
    report.bounded(
        &format!("a call, median of {CALLS}: load of 40 messages, store of 4"),
        "ms",
        CALL_MS,
        &[("load", load_ms), ("store", store_ms)],
    );
    report.noted(
        "processor time of the function in it, mean",
        "ms",
        &[("load", load_cpu), ("store", store_cpu)],
    );
}

async fn loads(load: &Function, store: &Function) -> (f64, f64) {
    let turn = json!({"messages": [user("what a user says"), assistant("what a model answers")]});
    for _ in 0..20 {
        let event = Wanted::store("alice", "forty", turn.clone()).by(Trigger::Direct);
        assert_eq!(store.invoke(event).await.body()["stored"], 2);
    }
    let wanted = Wanted::load("alice", "forty", json!({"window": "none"}));
    let event = wanted.by(Trigger::HttpApi);
    let whole = load.invoke(&event).await.response().body;
    assert_eq!(whole["report"]["returned"], 40, "{whole}");
    measured(load, |_| event.clone()).await
}

async fn stores(store: &Function) -> (f64, f64) {
    let turn = [user("1"), assistant("2"), user("3"), assistant("4")];
    // A conversation each: the service takes five writes a second of one.
    measured(store, |number| {
        let session = format!("four-{number}");
        Wanted::store("alice", &session, json!({"messages": turn})).by(Trigger::HttpApi)
    })
    .await
}

/// The median of how long calls take, and the mean of the processor time they take. The first calls do not count.
async fn measured(function: &Function, event: impl Fn(u32) -> Value) -> (f64, f64) {
    for number in 0..CALLS / 10 {
        call(function, &event(number)).await;
    }
    let before = function.processor_time();
    let mut times = Vec::new();
    for number in CALLS..2 * CALLS {
        times.push(call(function, &event(number)).await);
    }
    let used = function.processor_time().saturating_sub(before);
    (median(times), millis(used / CALLS))
}

async fn call(function: &Function, event: &Value) -> Duration {
    let payload = event.to_string();
    let start = Instant::now();
    let outcome = function.invoke(payload).await;
    let time = start.elapsed();
    assert_eq!(outcome.response().status, 200, "{}", outcome.text());
    time
}
