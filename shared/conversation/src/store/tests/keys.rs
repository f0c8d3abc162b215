//! Idempotency keys.

use std::time::Duration;

use super::{conflict, texts, with_head, with_key};
use crate::error::ConflictKind;
use crate::testing::{World, append, user};

#[test]
fn a_key_with_another_body_is_a_conflict() {
    let world = World::new();
    world
        .store(with_key(append(&world, &[user("a")]), "k"))
        .unwrap();
    let other = with_key(append(&world, &[user("b")]), "k");
    assert_eq!(
        conflict(world.store(other.clone()).unwrap_err()),
        ConflictKind::KeyReused
    );
    let head = world.all().head.unwrap();
    let error = world.store(with_head(other, &head)).unwrap_err();
    assert_eq!(conflict(error), ConflictKind::KeyReused);
    assert_eq!(texts(&world.all().messages), ["a"]);
}

#[test]
fn a_key_is_forgotten_after_a_day() {
    let world = World::new();
    let request = with_key(append(&world, &[user("a")]), "k");
    world.store(request.clone()).unwrap();
    world.clock.advance(Duration::from_secs(24 * 60 * 60 - 1));
    assert!(world.store(request.clone()).unwrap().replayed);
    world.clock.advance(Duration::from_secs(2));
    assert!(!world.store(request).unwrap().replayed);
    assert_eq!(texts(&world.all().messages), ["a", "a"]);
}

#[test]
fn a_replay_by_key_with_a_newer_token_takes_its_events_back() {
    let world = World::new();
    world
        .store(with_key(append(&world, &[user("a")]), "k"))
        .unwrap();
    let head = world.say(&[user("b")]).head;
    let again = with_head(with_key(append(&world, &[user("a")]), "k"), &head);
    let stored = world.store(again).unwrap();
    assert!(stored.replayed);
    assert_eq!(stored.context.stored_message_count, 1, "the first answer");
    assert_eq!(world.log().events(&world.conversation).len(), 2);
}
