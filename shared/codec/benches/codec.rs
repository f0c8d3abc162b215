//! What decoding and encoding cost beside `serde_json` reading and writing the same bytes.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    missing_docs,
    reason = "a benchmark stops at the first surprise, and has no readers of its docs"
)]

mod conversation;

use codec::{Dialect, Event, Mode, decode, encode, encode_json};
use conversation::{conversation, events};
use divan::{Bencher, black_box};
use serde_json::Value;

fn main() {
    divan::main();
}

#[divan::bench_group(sample_count = 200)]
mod reading {
    use super::{Bencher, Event, Mode, Value, black_box, decode, events};

    #[divan::bench]
    fn serde_json_to_value(bencher: Bencher) {
        let events = events();
        bencher.bench(|| {
            for bytes in &events {
                black_box(serde_json::from_slice::<Value>(bytes).unwrap());
            }
        });
    }

    #[divan::bench]
    fn codec_decode(bencher: Bencher) {
        let events = events();
        bencher.bench(|| {
            for bytes in &events {
                let event: Event = serde_json::from_slice(bytes).unwrap();
                black_box(decode(&event, Mode::Strict).unwrap());
            }
        });
    }
}

#[divan::bench_group(sample_count = 200)]
mod writing {
    use super::{Bencher, Dialect, Value, black_box, conversation, encode, encode_json};

    #[divan::bench]
    fn serde_json_from_value(bencher: Bencher) {
        let payloads: Vec<Value> = conversation()
            .iter()
            .map(|message| {
                serde_json::to_value(&encode(message, Dialect::Camunda).unwrap()[0]).unwrap()
            })
            .collect();
        bencher.bench(|| {
            for payload in &payloads {
                black_box(serde_json::to_vec(payload).unwrap());
            }
        });
    }

    #[divan::bench]
    fn codec_encode_to_payloads(bencher: Bencher) {
        let conversation = conversation();
        bencher.bench(|| {
            for message in &conversation {
                black_box(encode(message, Dialect::Camunda).unwrap());
            }
        });
    }

    #[divan::bench]
    fn codec_encode_to_bytes(bencher: Bencher) {
        let conversation = conversation();
        bencher.bench(|| {
            for message in &conversation {
                black_box(encode_json(message, Dialect::Camunda).unwrap());
            }
        });
    }
}
