//! Every schedule of two writers. The larger searches are in the command: `--exhaustive`.

// A helper of tests may stop them, and says how much was searched.
#![allow(clippy::panic, clippy::print_stdout)]

use simulation::{Explored, Setup, explore};

fn search(tokens: bool, keys: bool, begun: bool) -> Explored {
    let setup = Setup {
        tokens,
        keys,
        begun,
        parts: 1,
        faults: 1,
    };
    let explored = explore(setup).unwrap_or_else(|failure| panic!("{failure}"));
    println!("{setup}: {explored}");
    assert!(explored.crashes > 0 && explored.lost > 0, "{explored}");
    explored
}

#[test]
fn two_appenders_with_a_fault_at_every_call() {
    for begun in [false, true] {
        let explored = search(false, false, begun);
        assert!(explored.both > 0 && explored.one > 0, "{explored}");
    }
}

#[test]
fn two_writers_with_one_token_and_a_fault_at_every_call() {
    for begun in [false, true] {
        let explored = search(true, false, begun);
        assert_eq!(
            explored.both, 0,
            "of two writers with one token only one can win: {explored}"
        );
        assert_eq!(
            explored.none, 0,
            "a crashed writer comes back and one of the two wins: {explored}"
        );
    }
}

#[test]
fn two_writers_with_keys_and_a_fault_at_every_call() {
    let explored = search(false, true, true);
    assert_eq!(
        explored.both, explored.schedules,
        "keyed stores are retried until they are in: {explored}"
    );
}
