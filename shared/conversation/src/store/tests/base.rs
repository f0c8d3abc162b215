//! Where a turn begins.

use super::{calls, texts, with_head};
use crate::store::StoreRequest;
use crate::testing::{Call, World, append, user};

#[test]
fn the_first_store_lists_the_session_once() {
    let world = World::new();
    let (_, made, _) = world.observe(|| world.say(&[user("a")]));
    assert_eq!(
        made,
        calls(&[
            (Call::Head, 1),
            (Call::Page, 1),
            (Call::Create, 1),
            (Call::Commit, 1)
        ])
    );
}

#[test]
fn a_genesis_token_saves_even_that() {
    let world = World::new();
    let head = world.all().head.unwrap();
    let request = with_head(append(&world, &[user("a")]), &head);
    let (_, made, ticks) = world.observe(|| world.store(request).unwrap());
    assert_eq!(made, calls(&[(Call::Create, 1), (Call::Commit, 1)]));
    assert_eq!(ticks, 2);
}

#[test]
fn timestamps_rise_strictly_whatever_the_clock_says() {
    let mut world = World::new();
    world.say(&[user("a"), user("b")]);
    world.ports.clock = world.clock.skewed_by(-300_000);
    world.say(&[user("c")]);
    let events = world.log().events(&world.conversation);
    let times: Vec<_> = events.iter().map(|event| event.timestamp_ms).collect();
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
    assert_eq!(texts(&world.all().messages), ["a", "b", "c"]);
}

#[test]
fn nothing_new_writes_nothing() {
    let world = World::new();
    let first = world.say(&[user("a")]);
    let request = with_head(append(&world, &[]), &first.head);
    let (stored, made, _) = world.observe(|| world.store(request).unwrap());
    assert_eq!(made, calls(&[]));
    assert_eq!((stored.stored, stored.head), (0, first.head.clone()));
    let on_branch = StoreRequest {
        branch: Some("b".to_owned()),
        ..with_head(append(&world, &[]), &first.head)
    };
    assert_eq!(
        world.store(on_branch).unwrap().head,
        first.head,
        "no branch was made"
    );
}
