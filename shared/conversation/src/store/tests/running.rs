//! What runs along with the count: the estimate of all messages, and how many of them are pinned.

use codec::{Dialect, Payload, Role};

use super::with_head;
use crate::ports::{ContextReader, EventWriter, NewEvent};
use crate::store::StoreRequest;
use crate::testing::{START_MS, World, append, pinned, user};

/// The estimate and the pins of a branch's head; the main line is the empty name.
fn running(world: &World, branch: &str) -> (u64, u64) {
    let items = world.ports.context.items(&world.conversation);
    let items = crate::memory::run(&world.clock, items).unwrap().unwrap();
    let head = &items.heads[branch];
    (head.tokens, head.pins)
}

#[test]
fn tokens_and_pins_run_along_with_and_without_a_token() {
    let world = World::new();
    let first = world.say(&[user("four chars count one"), pinned("12345678")]);
    assert_eq!(running(&world, ""), (7, 1));
    let next = with_head(append(&world, &[pinned("1234")]), &first.head);
    world.store(next).unwrap();
    assert_eq!(running(&world, ""), (8, 2));
}

#[test]
fn a_branch_starts_with_what_it_left() {
    let world = World::new();
    let first = world.say(&[pinned("12345678")]);
    world.say(&[user("12345678")]);
    let fork = StoreRequest {
        branch: Some("b".to_owned()),
        ..with_head(append(&world, &[user("1234")]), &first.head)
    };
    world.store(fork).unwrap();
    assert_eq!(running(&world, "b"), (3, 1));
    assert_eq!(running(&world, ""), (4, 1));
}

#[test]
fn what_is_taken_over_counts() {
    let world = World::new();
    let event = NewEvent {
        timestamp_ms: START_MS - 10,
        payload: vec![Payload::Conversational {
            role: Role::User,
            text: "12345678".to_owned(),
        }],
        metadata: std::collections::BTreeMap::new(),
        branch: None,
        client_token: "foreign".to_owned(),
    };
    let create = world.log().create(&world.conversation, &event);
    crate::memory::run(&world.clock, create).unwrap().unwrap();
    world.say(&[user("1234")]);
    assert_eq!(running(&world, ""), (3, 0));
}

#[test]
fn a_dialect_that_loses_the_mark_counts_no_pins() {
    let mut world = World::new();
    world.settings.dialect = Dialect::Seed;
    world.say(&[pinned("12345678")]);
    assert_eq!(running(&world, ""), (2, 0));
}
