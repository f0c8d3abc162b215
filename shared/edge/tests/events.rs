//! Every file in `events/` is a payload its function understands, and all of a function's ask for the same.

// A file-level allow, since helpers outside test functions are not covered by the test settings of the lints.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use edge::{ActorClaim, Call, Identity, LoadCall, Operation, Source, StoreCall, SummarizeCall};

/// The triggers each function has an event of, and how they are told apart.
const TRIGGERS: [(&str, Source); 4] = [
    ("direct", Source::Direct),
    ("http-v2", Source::HttpApi),
    ("rest", Source::RestApi),
    ("step-functions", Source::Direct),
];

/// The events of one function, by trigger.
fn events(operation: Operation) -> BTreeMap<String, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../events");
    let prefix = format!("{}-", operation.name());
    let files = fs::read_dir(folder).expect("events/ is there");
    files
        .map(|file| file.expect("a readable folder").path())
        .filter_map(|path| {
            let name = path
                .file_stem()?
                .to_str()?
                .strip_prefix(&prefix)?
                .to_owned();
            Some((name, fs::read_to_string(&path).expect("a readable file")))
        })
        .collect()
}

fn identity() -> Identity {
    Identity::Verified(ActorClaim::default())
}

fn check_triggers(operation: Operation) {
    let events = events(operation);
    let found: Vec<&str> = events.keys().map(String::as_str).collect();
    assert_eq!(
        found,
        TRIGGERS.map(|(name, _)| name),
        "{}",
        operation.name()
    );
    for (name, source) in TRIGGERS {
        let call = Call::read(operation, &events[name]).expect(name);
        assert_eq!(call.source(), source, "{name}");
    }
}

#[test]
fn the_events_of_load_all_ask_for_the_same() {
    check_triggers(Operation::Load);
    let asked: Vec<LoadCall> = events(Operation::Load)
        .values()
        .map(|text| {
            LoadCall::read(&Call::read(Operation::Load, text).unwrap(), &identity()).unwrap()
        })
        .collect();
    assert_eq!(asked[0].subject.actor, "alice");
    assert!(asked.windows(2).all(|pair| pair[0] == pair[1]), "{asked:?}");
}

#[test]
fn the_events_of_store_all_ask_for_the_same() {
    check_triggers(Operation::Store);
    let asked: Vec<StoreCall> = events(Operation::Store)
        .values()
        .map(|text| {
            StoreCall::read(&Call::read(Operation::Store, text).unwrap(), &identity()).unwrap()
        })
        .collect();
    assert_eq!(asked[0].messages.len(), 2);
    assert_eq!(asked[0].key.as_deref(), Some("7d1e4f0a-turn-1"));
    assert!(asked.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn the_events_of_summarize_all_ask_for_the_same() {
    check_triggers(Operation::Summarize);
    let asked: Vec<SummarizeCall> = events(Operation::Summarize)
        .values()
        .map(|text| {
            let call = Call::read(Operation::Summarize, text).unwrap();
            SummarizeCall::read(&call, &identity()).unwrap()
        })
        .collect();
    assert_eq!(asked[0].target_tokens, Some(20_000));
    assert!(asked.windows(2).all(|pair| pair[0] == pair[1]), "{asked:?}");
}

#[test]
fn no_event_is_left_untested() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../events");
    for file in fs::read_dir(folder).expect("events/ is there") {
        let name = file
            .expect("a readable folder")
            .file_name()
            .into_string()
            .expect("a name in UTF-8");
        let known = Operation::ALL
            .iter()
            .any(|operation| name.starts_with(&format!("{}-", operation.name())));
        assert!(known, "{name} belongs to no function");
    }
}
