//! Branches.

use super::{calls, on_branch, texts};
use crate::testing::{Call, World, append, user};

#[test]
fn a_chain_runs_on_into_the_branch_it_left() {
    let world = World::new();
    let fork = world.say(&[user("a")]).head;
    world.say(&[user("b")]);
    let request = crate::store::StoreRequest {
        branch: Some("side".to_owned()),
        head: Some(fork),
        ..append(&world, &[user("x")])
    };
    world.store(request).unwrap();
    let (loaded, made, _) = world.observe(|| world.load(on_branch(&world, "side")).unwrap());
    assert_eq!(texts(&loaded.messages), ["a", "x"]);
    assert_eq!(made, calls(&[(Call::Page, 1), (Call::Items, 1)]));
}
