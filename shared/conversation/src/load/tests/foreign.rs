//! Sessions of other software.

use std::collections::BTreeMap;
use std::time::Duration;

use codec::{Mode, Payload};

use super::{foreign, foreign_with, on_branch, prose, sliding, texts, window};
use crate::error::{Error, InvalidReason};
use crate::load::LoadRequest;
use crate::testing::{Call, World, append, everything, user};

#[test]
fn a_session_without_a_head_is_read_in_order() {
    let world = World::new();
    let number = |n: &str| BTreeMap::from([("seq".to_owned(), n.to_owned())]);
    foreign_with(&world, -10, prose("c"), None, number("10"));
    foreign_with(&world, -10, prose("b"), None, number("9"));
    foreign(&world, -10, prose("d"), None);
    let root = foreign(&world, -20, prose("a"), None);
    foreign(&world, -5, prose("elsewhere"), Some(("side", &root)));
    let loaded = world.all();
    assert_eq!(texts(&loaded.messages), ["a", "b", "c", "d"]);
    assert_eq!((loaded.report.foreign, loaded.report.skipped), (4, 1));
    assert_eq!(loaded.context.stored_message_count, 4);
}

#[test]
fn a_long_foreign_session_is_read_no_further_than_asked() {
    let world = World::new();
    for i in 0..250 {
        foreign(&world, i - 1000, prose(&i.to_string()), None);
    }
    let request = window(&world, &[sliding(5)]);
    let (loaded, made, _) = world.observe(|| world.load(request).unwrap());
    assert_eq!(texts(&loaded.messages), ["245", "246", "247", "248", "249"]);
    assert_eq!(made[&Call::Page], 1);
    assert_eq!(loaded.head, None, "not all was read");
    let (loaded, made, _) = world.observe(|| world.all());
    assert_eq!((loaded.messages.len(), made[&Call::Page]), (250, 3));
    assert!(loaded.head.is_some());
}

#[test]
fn an_uncommitted_turn_does_not_make_a_branch() {
    let world = World::new();
    let said = foreign(&world, 0, prose("before"), None);
    let hash = "ab".repeat(32);
    let ours = [
        ("colloquy.v", "1"),
        ("colloquy.turn", hash.as_str()),
        ("colloquy.parent", hash.as_str()),
        ("colloquy.part", "1/1"),
        ("colloquy.after", "0"),
        ("seq", "1"),
    ];
    let metadata = ours.map(|(key, value)| (key.to_owned(), value.to_owned()));
    foreign_with(
        &world,
        1,
        prose("draft"),
        Some(("side", &said)),
        metadata.into(),
    );
    let loaded = world.load(on_branch(&world, "side")).unwrap();
    assert_eq!(texts(&loaded.messages), [""; 0]);
    assert_eq!(loaded.report.foreign, 0);
    assert_eq!(loaded.report.uncommitted, 1);
}

#[test]
fn camunda_turns_on_branches_are_read_along_their_roots() {
    let world = World::new();
    let one = foreign(&world, -50, prose("1"), None);
    let two = foreign(&world, -40, prose("2"), Some(("t2", &one)));
    foreign(&world, -35, prose("failed"), Some(("x", &two)));
    // Written by a process whose clock is behind.
    foreign(&world, -60, prose("3"), Some(("t3", &two)));
    let loaded = world.load(on_branch(&world, "t3")).unwrap();
    assert_eq!(texts(&loaded.messages), ["1", "2", "3"]);
    let request = crate::store::StoreRequest {
        branch: Some("t3".to_owned()),
        ..append(&world, &[user("4")])
    };
    world.store(request.clone()).unwrap();
    world.store(request).unwrap();
    let loaded = world.load(on_branch(&world, "t3")).unwrap();
    assert_eq!(texts(&loaded.messages), ["1", "2", "3", "4", "4"]);
    assert_eq!(texts(&world.all().messages), ["1"]);
}

#[test]
fn adopted_events_that_expired_are_counted() {
    let world = World::new();
    foreign(&world, -20, prose("a"), None);
    world.clock.advance(Duration::from_hours(5 * 24));
    foreign(&world, 5 * 24 * 3_600_000 - 10, prose("b"), None);
    world.say(&[user("c")]);
    world.clock.advance(Duration::from_hours(3 * 24));
    let loaded = world.all();
    assert_eq!(texts(&loaded.messages), ["b", "c"]);
    assert_eq!((loaded.report.stored, loaded.report.expired), (3, 1));
}

#[test]
fn what_cannot_be_read_is_noted_or_refused() {
    let world = World::new();
    foreign(
        &world,
        -20,
        Payload::Blob(serde_json::json!({"x": 1})),
        None,
    );
    foreign(&world, -10, prose("a"), None);
    let loaded = world.all();
    assert_eq!(texts(&loaded.messages), ["a"]);
    assert_eq!(loaded.report.notes.values().sum::<u64>(), 1);
    let strict = LoadRequest {
        mode: Mode::Strict,
        ..everything(&world)
    };
    let error = world.load(strict).unwrap_err();
    assert!(matches!(
        error,
        Error::Invalid {
            reason: InvalidReason::Event(_),
            ..
        }
    ));
}
