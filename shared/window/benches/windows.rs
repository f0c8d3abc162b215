//! What a long conversation costs on its way to a model: window, repair, and the JSON of the answer.
//!
//! The bars: 10 000 messages in 5 ms, and no more than 12 times the cost of 1 000. Each round times both lengths one
//! right after the other, so that a busy machine does not blur the ratio, and the medians are told. A round is a load: pages are
//! read newest first, which is not timed; the scan sees each turn as soon as it is read; the answer is written at the end. The windows are
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
use window::{Policy, Scan, SlidingRule};

const ROUNDS: usize = 60;
const SHORT: usize = 1_000;
const LONG: usize = 10_000;
/// More than a processor's own caches hold.
const CACHES: usize = 8 << 20;
/// How many messages one store appended.
const TURN: usize = 8;
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

/// One conversation in two lengths, as pages of a listing.
struct Pair {
    short: Vec<String>,
    long: Vec<String>,
}

impl Pair {
    fn new(message: fn(usize) -> Message) -> Self {
        Self {
            short: conversation::pages(SHORT, message),
            long: conversation::pages(LONG, message),
        }
    }
}

fn report(what: &str, rounds: usize, pair: &Pair, reader: Reader) -> bool {
    let mut times = Vec::with_capacity(rounds);
    let mut ratios = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let short = Load::new(SHORT).run(&pair.short, reader).0;
        let long = Load::new(LONG).run(&pair.long, reader).0;
        times.push(long);
        ratios.push(long / short);
    }
    let [fastest, time, _] = spread(times).map(|seconds| seconds * 1e3);
    let [_, growth, _] = spread(ratios);
    let answer = Load::new(LONG).run(&pair.long, reader).1;
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

/// A load at work, as far as it is measured: everything but listing and decoding the events. Its functions are not inlined, so
/// that a profile can be taken of them alone.
struct Load {
    count: usize,
    scan: Scan,
}

impl Load {
    /// The windows keep all but the first of the messages' rounds.
    fn new(count: usize) -> Self {
        let kept = count - 4;
        let policies = [
            Policy::Tokens { budget: u64::MAX },
            Policy::Turns { count: kept },
            Policy::Sliding {
                size: kept,
                rule: SlidingRule::Strands,
            },
        ];
        Self {
            count,
            scan: Scan::new(&policies, None),
        }
    }

    /// How many seconds it took, and the answer.
    fn run(mut self, pages: &[String], reader: Reader) -> (f64, String) {
        let mut seconds = 0.0;
        let mut newest_first = Vec::new();
        for page in pages.iter().rev() {
            let mut messages = conversation::read(page);
            while !messages.is_empty() {
                let turn = messages.split_off(messages.len().saturating_sub(TURN));
                let start = Instant::now();
                self.take(&turn);
                seconds += start.elapsed().as_secs_f64();
                newest_first.extend(turn.into_iter().rev());
            }
        }
        newest_first.reverse();
        // A short conversation was just read into the processor's own cache, where a long one has no room.
        black_box(
            vec![1_u8; CACHES]
                .iter()
                .map(|byte| u64::from(*byte))
                .sum::<u64>(),
        );
        let start = Instant::now();
        let answer = black_box(self.answer(&mut newest_first, reader));
        (seconds + start.elapsed().as_secs_f64(), answer)
    }

    /// Takes the next older turn, just decoded.
    #[inline(never)]
    fn take(&mut self, turn: &[Message]) {
        self.scan.is_done(true, 0);
        for message in turn.iter().rev() {
            self.scan.push(message);
        }
    }

    #[inline(never)]
    fn answer(&mut self, messages: &mut Vec<Message>, reader: Reader) -> String {
        self.scan.is_done(false, 0);
        let selection = self.scan.selection();
        selection.apply(messages);
        assert!(messages.len() > self.count - 16);
        black_box(self.scan.tokens(&selection));
        let mut list = JsonList::for_messages(messages.len(), reader);
        let mendings = repair_into(outgoing(&*messages), |message| list.push(&message));
        assert_eq!(mendings, []);
        list.finish()
    }
}
