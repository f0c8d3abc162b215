//! What is not committed.

use super::texts;
use crate::testing::{Call, Fault, World, append, user};

#[test]
fn uncommitted_events_are_counted_and_not_shown() {
    let world = World::new();
    world.fail(Call::Commit, [Some(Fault::Denied)]);
    world.fail(Call::Delete, vec![Some(Fault::Failed); 2]);
    world
        .store(append(&world, &[user("x"), user("y")]))
        .unwrap_err();
    let loaded = world.all();
    assert_eq!(loaded.messages, []);
    assert_eq!(loaded.report.uncommitted, 2);
    world.say(&[user("a")]);
    let loaded = world.all();
    assert_eq!(texts(&loaded.messages), ["a"]);
    assert_eq!(loaded.report.uncommitted, 2);
}
