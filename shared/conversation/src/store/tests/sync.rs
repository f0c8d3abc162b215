//! Sync mode.

use codec::model::Message;

use super::{calls, conflict, texts};
use crate::error::ConflictKind;
use crate::store::{StoreMode, StoreRequest};
use crate::testing::{Call, World, append, assistant, system, user};

#[test]
fn sync_stores_what_is_new() {
    let world = World::new();
    let sync = |messages: &[Message]| StoreRequest {
        mode: StoreMode::Sync,
        ..append(&world, messages)
    };
    let (a, b, c) = (user("a"), assistant("b"), user("c"));
    assert_eq!(
        world.store(sync(&[a.clone(), b.clone()])).unwrap().stored,
        2
    );
    let whole = [Message::System(system("s")), a.clone(), b.clone(), c];
    assert_eq!(world.store(sync(&whole)).unwrap().stored, 1);
    let (again, made, _) = world.observe(|| world.store(sync(&whole)).unwrap());
    assert_eq!((again.stored, made), (0, calls(&[(Call::Head, 1)])));
    assert_eq!(texts(&world.all().messages), ["a", "b", "c"]);

    let short = world.store(sync(&[a.clone(), b.clone()])).unwrap_err();
    assert_eq!(
        conflict(short),
        ConflictKind::PrefixTooShort {
            stored: 3,
            given: 2
        }
    );
    let other = world
        .store(sync(&[a, b, user("x"), user("y")]))
        .unwrap_err();
    assert_eq!(conflict(other), ConflictKind::PrefixMismatch { stored: 3 });
}
