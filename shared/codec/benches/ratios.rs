//! The two ratios this crate is held to, measured so that a busy machine does not blur them: each round times
//! the baseline and the codec one right after the other, and the median of the rounds' ratios is told.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    missing_docs,
    reason = "a benchmark stops at the first surprise, and has no readers of its docs"
)]

mod conversation;

use std::hint::black_box;
use std::time::Instant;

use codec::{Dialect, Event, Mode, decode, encode, encode_json};
use conversation::{conversation, events};
use serde_json::Value;

const ROUNDS: usize = 500;

fn main() {
    let events = events();
    let messages = conversation();
    let payloads: Vec<Value> = messages
        .iter()
        .map(|message| {
            serde_json::to_value(&encode(message, Dialect::Camunda).unwrap()[0]).unwrap()
        })
        .collect();

    println!("codec / serde_json, {ROUNDS} rounds each");
    report(
        "reading",
        || {
            for bytes in &events {
                black_box(serde_json::from_slice::<Value>(bytes).unwrap());
            }
        },
        || {
            for bytes in &events {
                let event: Event = serde_json::from_slice(bytes).unwrap();
                black_box(decode(&event, Mode::Strict).unwrap());
            }
        },
    );
    report(
        "writing",
        || {
            for payload in &payloads {
                black_box(serde_json::to_vec(payload).unwrap());
            }
        },
        || {
            for message in &messages {
                black_box(encode_json(message, Dialect::Camunda).unwrap());
            }
        },
    );
}

fn report(what: &str, baseline: impl Fn(), codec: impl Fn()) {
    let mut ratios: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let baseline = seconds(&baseline);
            seconds(&codec) / baseline
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    let [quarter, median, three] = [ROUNDS / 4, ROUNDS / 2, ROUNDS * 3 / 4].map(|at| ratios[at]);
    println!("{what}: median {median:.2} (half of the rounds between {quarter:.2} and {three:.2})");
}

fn seconds(run: impl Fn()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}
