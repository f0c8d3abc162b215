//! The local run under load: 200 mixed requests a second for a minute, then four times as many as it can take, then 200
//! again. Prints a table and fails where a bar is not met; docs/benchmarks.md keeps one.

// A measurement that cannot be taken has nothing to say, and this program nothing to do but print.
#![allow(clippy::expect_used, clippy::print_stdout)]

mod client;
mod phase;
mod service;
mod verdict;

use std::process::ExitCode;
use std::time::Duration;

use client::Client;
use phase::{Phase, begin, capacity, drive, finish};
use service::Service;
use verdict::Verdict;

const STEADY: u32 = 200;
const OVERLOAD: u32 = 4;

/// How much larger the process may be at the end of the minute than after its first third: caches fill, and the system
/// gives memory out in pieces.
const GROWTH_KB: u64 = 16 * 1_024;

#[tokio::main]
async fn main() -> ExitCode {
    let directory = tempfile::tempdir().expect("a place for the data");
    let service = Service::start(directory.path());
    let client = Client::new(service.address());
    let mut verdict = Verdict::default();
    let seconds = |per_second, time| Phase {
        per_second,
        time: Duration::from_secs(time),
    };
    println!("| phase | sent | 200 | turned away | other | median | 99 % | resident memory |");
    println!("|---|---|---|---|---|---|---|---|");
    drive(&client, seconds(STEADY, 10))
        .await
        .row("before it counts, 200/s", service.resident_kb());

    let mut memory = Vec::new();
    for third in 1..=3 {
        let outcome = drive(&client, seconds(STEADY, 20)).await;
        memory.push(service.resident_kb());
        outcome.row(
            &format!("20 seconds, 200/s, {third} of 3"),
            service.resident_kb(),
        );
        verdict.expect(outcome.failed() == 0, "no request of the minute fails");
    }
    let (first, last) = (memory.first(), memory.last());
    let flat = first
        .zip(last)
        .is_some_and(|(first, last)| *last <= first + GROWTH_KB);
    verdict.expect(flat, "memory stays flat over the minute");

    let taken = capacity(&client, Duration::from_secs(5)).await.max(STEADY);
    let rate = OVERLOAD * taken;
    let overload = begin(&client, seconds(rate, 10)).await;
    // From the moment nobody sends too much any more, whatever is still under way.
    let mut recovered = None;
    let mut after = Vec::new();
    for second in 1..=5 {
        let outcome = drive(&client, seconds(STEADY, 1)).await;
        if outcome.failed() == 0 {
            recovered.get_or_insert(second);
        } else {
            recovered = None;
        }
        after.push(outcome);
    }
    let overload = finish(overload).await;
    overload.row(
        &format!("10 seconds, {rate}/s where {taken}/s can be taken"),
        service.resident_kb(),
    );
    for (second, outcome) in (1..).zip(after) {
        outcome.row(
            &format!("second {second} after it, 200/s"),
            service.resident_kb(),
        );
    }
    verdict.expect(overload.turned_away > 0, "overload is turned away");
    verdict.expect(overload.served > 0, "what can be taken is served meanwhile");
    verdict.expect(
        overload.other == 0,
        "every request of the overload is answered",
    );
    verdict.expect(recovered.is_some(), "all is served again within 5 seconds");
    verdict.tell()
}
