//! The functions as deployed: how long they take to start, how much memory they need then, and how long a call
//! takes once they run. Prints a table; docs/benchmarks.md keeps one.

// A measurement that cannot be taken has nothing to say, and this program nothing to do but print.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::print_stdout)]

use std::path::Path;
use std::time::{Duration, Instant};

use emulator::{DEFAULT_MEMORY_ID, Emulator, Options};
use serde_json::{Value, json};
use tests::lambda::{Function, Trigger, Wanted, assistant, deployed, user};
use tests::{Table, ports};

const STARTS: usize = 50;
const CALLS: usize = 300;

#[tokio::main]
async fn main() {
    let emulator = Emulator::start(Options::default())
        .await
        .expect("the emulator starts");
    let table = Table::start().await;
    let (events, context) = (emulator.url(), format!("http://{}", table.address()));
    ports(&events, &context)
        .context
        .create()
        .await
        .expect("the table is created");
    let variables = [
        ("MEMORY_ID", DEFAULT_MEMORY_ID),
        ("CONTEXT_TABLE", "context"),
        ("AWS_REGION", "us-east-1"),
        ("AWS_ACCESS_KEY_ID", "emulator"),
        ("AWS_SECRET_ACCESS_KEY", "emulator-secret"),
        ("ALLOW_ENDPOINT_OVERRIDE", "1"),
        ("AWS_ENDPOINT_URL_BEDROCK_AGENTCORE", events.as_str()),
        ("AWS_ENDPOINT_URL_DYNAMODB", context.as_str()),
    ];
    println!("| measure | load | store |\n|---|---|---|");
    let binaries = ["load", "store"].map(deployed);
    let sizes = binaries.each_ref().map(|binary| {
        let size = std::fs::metadata(binary).expect("it was built").len();
        format!("{:.1} MB", megabytes(size))
    });
    row("binary", &sizes);

    let mut starts = Vec::new();
    let mut resident = Vec::new();
    for (name, binary) in ["load", "store"].iter().zip(&binaries) {
        let (start, memory) = started(binary, name, &variables).await;
        starts.push(start);
        resident.push(memory);
    }
    row(&format!("exec to first /next, median of {STARTS}"), &starts);
    row("resident memory then", &resident);

    let load = Function::start_program(&binaries[0], "load", &variables).await;
    let store = Function::start_program(&binaries[1], "store", &variables).await;
    let (loads, load_cpu) = loads(&load, &store).await;
    let (stores, store_cpu) = stores(&store).await;
    row(
        &format!("a call, median of {CALLS}: load of 40, store of 4"),
        &[loads, stores],
    );
    row(
        "processor time of the function in it",
        &[load_cpu, store_cpu],
    );
}

async fn started(binary: &Path, name: &str, variables: &[(&str, &str)]) -> (String, String) {
    let mut times = Vec::new();
    let mut resident = 0;
    for _ in 0..STARTS {
        let function = Function::start_program(binary, name, variables).await;
        times.push(function.api.first_poll().await - function.started);
        resident = resident.max(memory(&function, "VmRSS:"));
    }
    (
        millis(median(times)),
        format!("{:.1} MB", megabytes(resident * 1_024)),
    )
}

async fn loads(load: &Function, store: &Function) -> (String, String) {
    let turn = json!({"messages": [user("what a user says"), assistant("what a model answers")]});
    for _ in 0..20 {
        let event = Wanted::store("alice", "forty", turn.clone()).by(Trigger::Direct);
        assert_eq!(store.invoke(event).await.body()["stored"], 2);
    }
    let wanted = Wanted::load("alice", "forty", json!({"window": "none"}));
    measured(load, || wanted.by(Trigger::HttpApi)).await
}

async fn stores(store: &Function) -> (String, String) {
    let turn = [user("1"), assistant("2"), user("3"), assistant("4")];
    let mut number = 0;
    // A conversation each: the service takes five writes a second of one.
    measured(store, || {
        number += 1;
        let session = format!("four-{number}");
        Wanted::store("alice", &session, json!({"messages": turn})).by(Trigger::HttpApi)
    })
    .await
}

async fn measured(function: &Function, mut event: impl FnMut() -> Value) -> (String, String) {
    let mut times = Vec::new();
    let before = processor(function);
    for _ in 0..CALLS {
        let payload = event().to_string();
        let start = Instant::now();
        let outcome = function.invoke(payload).await;
        times.push(start.elapsed());
        assert_eq!(outcome.response().status, 200, "{}", outcome.text());
    }
    let calls = u32::try_from(CALLS).expect("few");
    let used = processor(function).saturating_sub(before);
    (millis(median(times)), millis(used / calls))
}

/// Processor time of the process, which the system counts in hundredths of a second.
fn processor(function: &Function) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", function.id())).expect("it runs");
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .expect("a name")
        .split_whitespace()
        .collect();
    let ticks = |index: usize| fields[index].parse::<u64>().expect("a number");
    Duration::from_millis(10 * (ticks(11) + ticks(12)))
}

fn memory(function: &Function, field: &str) -> u64 {
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", function.id())).expect("it runs");
    let line = status
        .lines()
        .find(|line| line.starts_with(field))
        .expect("a field of Linux");
    line.split_whitespace()
        .nth(1)
        .and_then(|number| number.parse().ok())
        .expect("a number")
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn millis(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1_000.0)
}

fn megabytes(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes / 1_024).expect("a sensible size")) / 1_024.0
}

fn row(name: &str, values: &[String]) {
    println!("| {name} | {} |", values.join(" | "));
}
