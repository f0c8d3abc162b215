//! Requests at a steady rate, whether or not earlier ones were answered: what real callers do.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use crate::client::Client;

/// So many requests a second for some time.
#[derive(Clone, Copy)]
pub(crate) struct Phase {
    pub(crate) per_second: u32,
    pub(crate) time: Duration,
}

/// What became of the requests of a phase.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) served: u64,
    pub(crate) turned_away: u64,
    pub(crate) other: u64,
    times: Vec<Duration>,
}

/// Requests under way.
pub(crate) type Open = JoinSet<(Option<u16>, Duration)>;

/// Sends the requests of a phase and waits for all answers.
pub(crate) async fn drive(client: &Client, phase: Phase) -> Outcome {
    finish(begin(client, phase).await).await
}

/// Sends the requests of a phase, and leaves them under way.
pub(crate) async fn begin(client: &Client, phase: Phase) -> Open {
    let mut ticks = interval(Duration::from_secs(1) / phase.per_second);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let start = Instant::now();
    let mut requests = JoinSet::new();
    let mut number = 0;
    while start.elapsed() < phase.time {
        ticks.tick().await;
        requests.spawn(timed(client.clone(), number));
        number += 1;
    }
    requests
}

/// Waits for all answers.
pub(crate) async fn finish(mut requests: Open) -> Outcome {
    let mut outcome = Outcome::default();
    while let Some(answer) = requests.join_next().await {
        outcome.add(answer.expect("no request panics"));
    }
    outcome.times.sort();
    outcome
}

/// How many requests a second are served to callers that wait for one answer before they ask again.
pub(crate) async fn capacity(client: &Client, time: Duration) -> u32 {
    const CALLERS: usize = 32;
    let start = Instant::now();
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS as u64 {
        let client = client.clone();
        callers.spawn(async move {
            let mut served = 0_u32;
            for number in (caller..).step_by(CALLERS) {
                if start.elapsed() >= time {
                    break;
                }
                served += u32::from(client.send(number).await == Some(200));
            }
            served
        });
    }
    let mut served = 0;
    while let Some(caller) = callers.join_next().await {
        served += caller.expect("no caller panics");
    }
    served / u32::try_from(time.as_secs()).expect("some seconds")
}

async fn timed(client: Client, number: u64) -> (Option<u16>, Duration) {
    let start = Instant::now();
    (client.send(number).await, start.elapsed())
}

impl Outcome {
    /// Requests that were not served.
    pub(crate) fn failed(&self) -> u64 {
        self.turned_away + self.other
    }

    fn add(&mut self, (status, time): (Option<u16>, Duration)) {
        match status {
            Some(200) => {
                self.served += 1;
                self.times.push(time);
            }
            Some(429 | 503) => self.turned_away += 1,
            _ => self.other += 1,
        }
    }

    /// Prints the phase as a row of the table.
    pub(crate) fn row(&self, name: &str, resident_kb: u64) {
        let sent = self.served + self.turned_away + self.other;
        println!(
            "| {name} | {sent} | {} | {} | {} | {} | {} | {} MB |",
            self.served,
            self.turned_away,
            self.other,
            self.at(50),
            self.at(99),
            resident_kb / 1_024
        );
    }

    fn at(&self, percent: usize) -> String {
        let index = self.times.len().saturating_sub(1) * percent / 100;
        self.times.get(index).map_or_else(
            || "-".to_owned(),
            |time| format!("{:.1} ms", time.as_secs_f64() * 1_000.0),
        )
    }
}
