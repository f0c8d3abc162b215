//! How long a function is busy with what it should not have been sent.

use std::time::{Duration, Instant};

use serde_json::Value;
use tests::lambda::{Trigger, Wanted, hostile_bodies};

use crate::report::{Report, megabytes, millis};
use crate::services::Services;

const TRIES: usize = 5;
const REFUSAL_MS: f64 = 50.0;
const PEAK_MB: f64 = 96.0;

/// Only a store takes a body, so there is nothing to measure of the others.
pub(crate) async fn measure(report: &mut Report, services: &Services) {
    let store = services.run("store").await;
    let mut slowest = (Duration::ZERO, "");
    for (name, body) in hostile_bodies() {
        let payload = Wanted::store("alice", "s", Value::String(body))
            .by(Trigger::HttpApi)
            .to_string();
        let mut best = Duration::MAX;
        for _ in 0..TRIES {
            let start = Instant::now();
            let outcome = store.invoke(&payload).await;
            best = best.min(start.elapsed());
            let status = outcome.response().status;
            assert!((400..500).contains(&status), "{name}: {status}");
        }
        slowest = slowest.max((best, name));
    }
    let name = format!(
        "slowest refusal of a hostile body ({}), best of {TRIES}",
        slowest.1
    );
    report.bounded(&name, "ms", REFUSAL_MS, &[("store", millis(slowest.0))]);
    let most = megabytes(1_024 * store.peak_kb());
    report.bounded(
        "most memory in all of them",
        "MB",
        PEAK_MB,
        &[("store", most)],
    );
}
