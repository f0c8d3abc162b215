//! The local run under load: 200 mixed requests a second for a minute, then four times as many as it takes, then
//! a few again. Prints a table; docs/benchmarks.md keeps one.

// A measurement that cannot be taken has nothing to say, and this program nothing to do but print.
#![allow(clippy::expect_used, clippy::print_stdout)]

mod client;
mod phase;
mod service;

use std::time::Duration;

use client::Client;
use phase::{Phase, drive};
use service::Service;

#[tokio::main]
async fn main() {
    let directory = tempfile::tempdir().expect("a place for the data");
    let service = Service::start(directory.path());
    let client = Client::new(service.address());
    println!("| phase | sent | 200 | turned away | other | median | 99 % | resident memory |");
    println!("|---|---|---|---|---|---|---|---|");
    let minute = Phase {
        per_second: 200,
        time: Duration::from_mins(1),
    };
    let mut memory = Vec::new();
    for name in ["first minute", "second minute", "third minute"] {
        let outcome = drive(&client, minute).await;
        memory.push(service.resident_kb());
        outcome.row(&format!("{name}, 200/s"), service.resident_kb());
        assert_eq!(outcome.other + outcome.turned_away, 0, "requests failed");
    }
    let overload = Phase {
        per_second: 800,
        time: Duration::from_secs(20),
    };
    drive(&client, overload)
        .await
        .row("overload, 800/s", service.resident_kb());
    let recovery = Phase {
        per_second: 50,
        time: Duration::from_secs(1),
    };
    for second in 1..=5 {
        let outcome = drive(&client, recovery).await;
        outcome.row(
            &format!("second {second} after it, 50/s"),
            service.resident_kb(),
        );
    }
}
