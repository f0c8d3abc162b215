//! The fuzz targets of `fuzz/`, bounded and seeded, so that every test run does a little of what they do.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what these functions stop at is the failure of a test"
)]

mod invariants;

use codec::Event;

/// Xorshift: all that is needed of chance here is that it is the same every time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap()
    }
}

const SEEDS: [&str; 7] = [
    "Uhi\n{\"blobType\":\"camunda.messageMetadata\",\"version\":1,\"metadata\":{\"k\":null},\"properties\":{\"role\":\"USER\",\"userName\":\"Ann\"}}",
    "{\"blobType\":\"camunda.messageContent\",\"version\":1,\"content\":{\"type\":\"provider\",\"provider\":\"colloquy\",\"payload\":{\"type\":\"text\",\"text\":\" \"}}}",
    "Ahello\n{\"blobType\":\"camunda.toolCalls\",\"version\":1,\"toolCalls\":[{\"id\":\"1\",\"name\":\"f\",\"arguments\":{\"a\":1.50}}]}",
    "Tdone\n{\"blobType\":\"camunda.toolCallResults\",\"version\":\"1\",\"results\":[{\"id\":\"1\",\"content\":\"done\",\"p\":[1]}]}",
    "{\"blobType\":\"camunda.messageMetadata\",\"version\":2,\"metadata\":{},\"properties\":{\"role\":\"TOOL\",\"colloquy\":{\"results\":{\"0\":{\"nulls\":[\"k\"]}},\"part\":{\"index\":1,\"count\":2,\"continues\":2}}}}",
    "U{\"message\":{\"role\":\"user\",\"content\":[{\"text\":\"hi\"}]},\"message_id\":0,\"created_at\":\"2026-03-01T00:00:00Z\"}",
    "[\"{\\\"role\\\":\\\"user\\\",\\\"content\\\":\\\"hi\\\"}\",\"user\"]\n{\"session_id\":\"s\",\"session_type\":\"AGENT\"}",
];

const TOKENS: [&str; 20] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "null",
    "true",
    "1e9",
    "-0",
    "\"\"",
    "\n",
    "\\ud800",
    "\\u0000",
    "é",
    "U",
    "T",
    "\"colloquy\":{}",
];

#[test]
fn mutated_events_keep_the_invariants() {
    let mut chance = Chance(0x9E37_79B9_7F4A_7C15);
    for _ in 0..12_000 {
        let mut text = SEEDS[chance.below(SEEDS.len())].to_owned();
        for _ in 0..=chance.below(4) {
            mutate(&mut text, &mut chance);
        }
        let event = invariants::event_of_lines(&text);
        invariants::hold(&event);
        let json = serde_json::json!({ "payload": event.payload }).to_string();
        let mut broken = json.clone();
        mutate(&mut broken, &mut chance);
        for json in [json, broken] {
            if let Ok(event) = serde_json::from_str::<Event>(&json) {
                invariants::hold(&event);
            }
        }
    }
}

/// Cuts something out, puts something in, or repeats something.
fn mutate(text: &mut String, chance: &mut Chance) {
    let boundary = |at: usize, text: &str| {
        (0..=at)
            .rev()
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or(0)
    };
    let from = boundary(chance.below(text.len() + 1), text);
    let to = boundary((from + chance.below(12)).min(text.len()), text);
    let (from, to) = (from.min(to), from.max(to));
    match chance.below(4) {
        0 => text.replace_range(from..to, ""),
        1 => text.insert_str(from, TOKENS[chance.below(TOKENS.len())]),
        2 => text.replace_range(from..to, TOKENS[chance.below(TOKENS.len())]),
        _ => {
            let copy = text[from..to].to_owned();
            text.insert_str(from, &copy);
        }
    }
}
