//! The system message and agent states.

use std::time::Duration;

use codec::model::Message;
use serde_json::json;

use super::{calls, conflict, state, texts, with_head};
use crate::error::ConflictKind;
use crate::ports::SystemWrite;
use crate::store::StoreRequest;
use crate::testing::{Call, Fault, World, append, system, user};

#[test]
fn the_last_system_message_is_context_and_no_message() {
    let world = World::new();
    let messages = [
        Message::System(system("one")),
        user("a"),
        Message::System(system("two")),
    ];
    let stored = world.say(&messages);
    assert_eq!((stored.stored, stored.context.stored_message_count), (1, 1));
    assert_eq!(stored.context.system, Some(system("two")));
    let loaded = world.all();
    assert_eq!(loaded.context.system, Some(system("two")));
    assert_eq!(texts(&loaded.messages), ["a"]);
}

#[test]
fn a_system_message_is_written_only_when_it_changed() {
    let world = World::new();
    world.say(&[user("a"), Message::System(system("one"))]);
    let again = append(&world, &[Message::System(system("one"))]);
    let (_, made, _) = world.observe(|| world.store(again.clone()).unwrap());
    assert_eq!(made, calls(&[(Call::Head, 1)]));
    let removed = StoreRequest {
        system: Some(SystemWrite::Remove),
        ..again.clone()
    };
    world.store(removed).unwrap();
    assert_eq!(world.all().context.system, None);
    world.store(again).unwrap();
    assert_eq!(world.all().context.system, Some(system("one")));
}

#[test]
fn context_can_come_before_the_first_message() {
    let world = World::new();
    let first = world.say(&[Message::System(system("one"))]);
    assert_eq!((first.stored, first.context.stored_message_count), (0, 0));
    assert_eq!(world.all().context.system, Some(system("one")));
    world
        .store(with_head(append(&world, &[user("a")]), &first.head))
        .unwrap();
    assert_eq!(texts(&world.all().messages), ["a"]);
}

#[test]
fn states_are_compared_and_swapped() {
    let world = World::new();
    let write = |value, version| StoreRequest {
        states: vec![state(value, version)],
        ..append(&world, &[])
    };
    world.store(write(1, Some(0))).unwrap();
    let stored = world.store(write(2, Some(1))).unwrap();
    assert_eq!(stored.context.states["planner"].version, 2);
    let error = world.store(write(3, Some(1))).unwrap_err();
    let agent = "planner".to_owned();
    assert_eq!(conflict(error), ConflictKind::State { agent, version: 2 });
    world.store(write(4, None)).unwrap();
    let kept = &world.all().context.states["planner"];
    assert_eq!((kept.value["n"].clone(), kept.version), (json!(4), 3));
}

#[test]
fn a_refused_state_stores_no_message_and_leaves_no_event() {
    let world = World::new();
    world.say(&[user("a")]);
    let request = StoreRequest {
        states: vec![state(1, Some(9))],
        ..append(&world, &[user("b")])
    };
    let error = world.store(request).unwrap_err();
    assert!(matches!(conflict(error), ConflictKind::State { .. }));
    assert_eq!(texts(&world.all().messages), ["a"]);
    assert_eq!(world.log().events(&world.conversation).len(), 1);
}

#[test]
fn a_lost_answer_to_a_state_write_is_found_out() {
    let world = World::new();
    let write = StoreRequest {
        states: vec![state(1, Some(0))],
        ..append(&world, &[])
    };
    world.fail(Call::Commit, [Some(Fault::Lost)]);
    world.store(write).unwrap();
    assert_eq!(world.all().context.states["planner"].version, 1);
}

#[test]
fn the_context_is_renewed_once_a_day() {
    let world = World::new();
    let request = StoreRequest {
        states: vec![state(1, None)],
        ..append(&world, &[user("a"), Message::System(system("one"))])
    };
    let head = world.store(request).unwrap().head;
    world.clock.advance(Duration::from_hours(24));
    let request = with_head(append(&world, &[user("b")]), &head);
    let (stored, made, ticks) = world.observe(|| world.store(request).unwrap());
    assert_eq!(
        made,
        calls(&[(Call::Items, 1), (Call::Create, 1), (Call::Commit, 1)])
    );
    assert_eq!(ticks, 2, "the read takes no time of its own");
    let request = with_head(append(&world, &[user("c")]), &stored.head);
    let (_, made, _) = world.observe(|| world.store(request).unwrap());
    assert_eq!(made, calls(&[(Call::Create, 1), (Call::Commit, 1)]));
}
