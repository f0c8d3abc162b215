//! What a long conversation costs on its way to a model: window, repair, and the JSON of the answer.
//!
//! The bars: 10 000 messages in 5 ms, and no more than 12 times the cost of 1 000. Each round times both lengths one
//! right after the other, so that a busy machine does not blur the ratio, and the medians are told. The windows are
//! wide enough to keep everything but the oldest messages: what is left out costs nothing. Beside each figure stands what
//! `serde_json` takes to write the same JSON from values that are all there: what the answer would cost at the least if
//! messages were kept that way.

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
use std::process::ExitCode;
use std::time::{Duration, Instant};

use codec::converse::{JsonList, Reader, outgoing};
use codec::model::Message;
use conversation::{camunda, chat, strands};
use serde_json::Value;
use window::repair::repair_into;
use window::{History, Policy, SlidingRule, select};

const ROUNDS: usize = 200;
const SHORT: usize = 1_000;
const LONG: usize = 10_000;
const MOST_TIME: Duration = Duration::from_millis(5);
const MOST_GROWTH: f64 = 12.0;

fn main() -> ExitCode {
    // `cargo bench -- --rounds 1 --only "for a model"` is of use where instructions are counted.
    let option = |name: &str| std::env::args().skip_while(move |word| word != name).nth(1);
    let rounds = option("--rounds").map_or(ROUNDS, |rounds| rounds.parse().unwrap());
    let only = option("--only").unwrap_or_default();
    println!("window + repair + JSON of {LONG} messages, {rounds} rounds each");
    let [strands, camunda, chat] = [Pair::new(strands), Pair::new(camunda), Pair::new(chat)];
    let cases = [
        ("chat, for a caller", &chat, Reader::Caller),
        ("chat, for a model", &chat, Reader::Model),
        ("stored by Strands, for a caller", &strands, Reader::Caller),
        ("stored by Strands, for a model", &strands, Reader::Model),
        ("stored by Camunda, for a caller", &camunda, Reader::Caller),
        ("stored by Camunda, for a model", &camunda, Reader::Model),
    ];
    let asked = cases.into_iter().filter(|(what, ..)| what.contains(&only));
    let missed = asked.filter(|(what, pair, reader)| !report(what, rounds, pair, *reader));
    match missed.count() {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// One conversation in two lengths.
struct Pair {
    short: Vec<Message>,
    long: Vec<Message>,
}

impl Pair {
    fn new(message: fn(usize) -> Message) -> Self {
        Self {
            short: conversation::loaded(SHORT, message),
            long: conversation::loaded(LONG, message),
        }
    }
}

fn report(what: &str, rounds: usize, pair: &Pair, reader: Reader) -> bool {
    let mut times = Vec::with_capacity(rounds);
    let mut ratios = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let short = seconds(&pair.short, reader);
        let long = seconds(&pair.long, reader);
        times.push(long);
        ratios.push(long / short);
    }
    let [fastest, time, _] = spread(times).map(|seconds| seconds * 1e3);
    let [_, growth, _] = spread(ratios);
    let answer = answer(&pair.long, reader);
    let [_, values, _] = written_by_serde_json(&answer, rounds).map(|seconds| seconds * 1e3);
    let held = time <= MOST_TIME.as_secs_f64() * 1e3 && growth <= MOST_GROWTH;
    println!(
        "{what}: {time:.2} ms (fastest {fastest:.2}, bar 5) for {:.1} MB, {growth:.1} times the cost of {SHORT} (bar 12): {}; \
         serde_json writes it in {values:.1} ms",
        answer.len() as f64 / 1e6,
        if held { "held" } else { "MISSED" }
    );
    held
}

/// How long `serde_json` takes to write an answer whose values are all there.
fn written_by_serde_json(answer: &str, rounds: usize) -> [f64; 3] {
    let values: Vec<Value> = serde_json::from_str(answer).unwrap();
    let seconds = |_| {
        let start = Instant::now();
        black_box(serde_json::to_string(black_box(&values)).unwrap());
        start.elapsed().as_secs_f64()
    };
    spread((0..rounds.div_ceil(10)).map(seconds).collect())
}

/// The smallest, the middle and the largest.
fn spread(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    [0, values.len() / 2, values.len() - 1].map(|at| values[at])
}

fn seconds(messages: &[Message], reader: Reader) -> f64 {
    let start = Instant::now();
    black_box(answer(black_box(messages), reader));
    start.elapsed().as_secs_f64()
}

/// The windows keep all but the first of `messages`' rounds. Not inlined, so that a profile can be taken of it alone.
#[inline(never)]
fn answer(messages: &[Message], reader: Reader) -> String {
    let kept = messages.len() - 4;
    let policies = [
        Policy::Tokens { budget: u64::MAX },
        Policy::Turns { count: kept },
        Policy::Sliding {
            size: kept,
            rule: SlidingRule::Strands,
        },
    ];
    let selection = select(&policies, &History::whole(messages)).unwrap();
    let seen = selection.messages(messages);
    let mut list = JsonList::for_messages(messages.len(), reader);
    let mendings = repair_into(outgoing(seen), |message| list.push(&message));
    assert_eq!(mendings, []);
    list.finish()
}
