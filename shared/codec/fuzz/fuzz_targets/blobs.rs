//! Any text as items, a line each: so that the fuzzer need not learn to write JSON inside JSON.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../tests/invariants/mod.rs"]
mod invariants;

fuzz_target!(|text: &str| invariants::hold(&invariants::event_of_lines(text)));
