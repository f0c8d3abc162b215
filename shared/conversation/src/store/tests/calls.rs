//! The exact calls of a store.

use super::{calls, texts, with_head, with_key};
use crate::memory::ClientTokens;
use crate::settings::Layout;
use crate::testing::{Call, World, append, user};

#[test]
fn with_a_token_a_store_is_its_events_and_one_commit() {
    let world = World::new();
    let head = world.say(&[user("first")]).head;
    let messages: Vec<_> = (0..5).map(|i| user(&i.to_string())).collect();
    let request = with_head(append(&world, &messages), &head);
    let (stored, made, ticks) = world.observe(|| world.store(request).unwrap());
    assert_eq!(made, calls(&[(Call::Create, 5), (Call::Commit, 1)]));
    assert_eq!(ticks, 2);
    assert_eq!((stored.stored, stored.replayed), (5, false));
    assert_eq!(stored.context, world.answer_context(6));
}

#[test]
fn turn_layout_writes_one_event() {
    let mut world = World::new();
    let head = world.say(&[user("first")]).head;
    world.settings.layout = Layout::Turn;
    let messages: Vec<_> = (0..40).map(|i| user(&i.to_string())).collect();
    let request = with_head(append(&world, &messages), &head);
    let (_, made, ticks) = world.observe(|| world.store(request).unwrap());
    assert_eq!(made, calls(&[(Call::Create, 1), (Call::Commit, 1)]));
    assert_eq!(ticks, 2);
    assert_eq!(world.all().messages.len(), 41);
}

#[test]
fn without_a_token_there_is_one_read_more() {
    let world = World::new();
    world.say(&[user("first")]);
    let (_, made, ticks) = world.observe(|| world.say(&[user("second")]));
    assert_eq!(
        made,
        calls(&[(Call::Head, 1), (Call::Create, 1), (Call::Commit, 1)])
    );
    assert_eq!(ticks, 3);
}

#[test]
fn an_idempotency_key_costs_no_call() {
    let world = World::new();
    let head = world.say(&[user("first")]).head;
    let request = with_key(with_head(append(&world, &[user("second")]), &head), "k");
    let (_, made, ticks) = world.observe(|| world.store(request).unwrap());
    assert_eq!(made, calls(&[(Call::Create, 1), (Call::Commit, 1)]));
    assert_eq!(ticks, 2);
}

#[test]
fn a_replay_the_key_shows_writes_nothing() {
    let world = World::new();
    let request = with_key(append(&world, &[user("a")]), "k");
    let first = world.store(request.clone()).unwrap();
    let (second, made, ticks) = world.observe(|| world.store(request).unwrap());
    assert_eq!(made, calls(&[(Call::Head, 1)]));
    assert_eq!(ticks, 1);
    assert!(second.replayed);
    assert_eq!((second.head, second.stored), (first.head, first.stored));
    assert_eq!(second.context.stored_message_count, 1);
}

#[test]
fn a_replay_with_a_token_is_found_by_the_commit() {
    for tokens in [ClientTokens::Honoured, ClientTokens::Ignored] {
        let world = World::with(tokens);
        let head = world.say(&[user("a")]).head;
        let request = with_head(append(&world, &[user("b")]), &head);
        let first = world.store(request.clone()).unwrap();
        let (second, made, ticks) = world.observe(|| world.store(request).unwrap());
        assert_eq!(made, calls(&[(Call::Create, 1), (Call::Commit, 1)]));
        assert_eq!(ticks, 2);
        assert!(second.replayed);
        assert_eq!(second.head, first.head);
        let loaded = world.all();
        assert_eq!(texts(&loaded.messages), ["a", "b"]);
        assert_eq!(loaded.report.duplicates, 1);
    }
}
