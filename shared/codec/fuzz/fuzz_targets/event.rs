//! Any bytes as the JSON of an event.
#![no_main]

use codec::Event;
use libfuzzer_sys::fuzz_target;

#[path = "../../tests/invariants/mod.rs"]
mod invariants;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(event) = serde_json::from_slice::<Event>(bytes) {
        invariants::hold(&event);
    }
});
