//! Branches.

use codec::model::Message;

use super::{conflict, texts, with_head};
use crate::error::{ConflictKind, Error, InvalidReason};
use crate::store::StoreRequest;
use crate::testing::{World, append, everything, system, user};

#[test]
fn a_branch_starts_at_a_token_of_the_main_line() {
    let world = World::new();
    let fork = world.say(&[user("a")]).head;
    world.say(&[user("main")]);
    let on_branch = |messages: &[Message]| StoreRequest {
        branch: Some("b".to_owned()),
        ..append(&world, messages)
    };
    world
        .store(with_head(on_branch(&[user("b1")]), &fork))
        .unwrap();
    world.store(on_branch(&[user("b2")])).unwrap();
    let branch = crate::load::LoadRequest {
        branch: Some("b".to_owned()),
        ..everything(&world)
    };
    let loaded = world.load(branch).unwrap();
    assert_eq!(texts(&loaded.messages), ["a", "b1", "b2"]);
    assert_eq!(loaded.report.uncommitted, 0);
    assert_eq!(texts(&world.all().messages), ["a", "main"]);
    let events = world.log().events(&world.conversation);
    let root = events
        .iter()
        .find_map(|event| event.branch.as_ref()?.root.clone());
    assert_eq!(root.as_ref(), Some(&events[0].id));

    // A second fork of that name finds the branch taken.
    let error = world
        .store(with_head(on_branch(&[user("x")]), &fork))
        .unwrap_err();
    assert_eq!(conflict(error), ConflictKind::HeadMoved);
    // And the main line cannot go on from the branch.
    let head = loaded.head.unwrap();
    let error = world
        .store(with_head(append(&world, &[user("x")]), &head))
        .unwrap_err();
    assert_eq!(error, Error::invalid("/head", InvalidReason::HeadOfBranch));
}

#[test]
fn a_branch_begins_with_a_message() {
    let world = World::new();
    let fork = world.say(&[user("a")]).head;
    let request = StoreRequest {
        branch: Some("b".to_owned()),
        ..append(&world, &[Message::System(system("s"))])
    };
    assert_eq!(
        world.store(with_head(request, &fork)),
        Err(Error::invalid("/branch", InvalidReason::UnknownBranch))
    );
}

#[test]
fn a_branch_out_of_nothing_is_refused() {
    let world = World::new();
    world.say(&[user("a")]);
    let request = StoreRequest {
        branch: Some("b".to_owned()),
        ..append(&world, &[user("b")])
    };
    let unknown = Error::invalid("/branch", InvalidReason::UnknownBranch);
    assert_eq!(world.store(request.clone()), Err(unknown.clone()));
    let branch = crate::load::LoadRequest {
        branch: Some("b".to_owned()),
        ..everything(&world)
    };
    let token = world.load(branch).unwrap().head.unwrap();
    assert_eq!(world.store(with_head(request, &token)), Err(unknown));
}

#[test]
fn a_system_message_given_on_a_branch_is_always_written() {
    let world = World::new();
    let fork = world.say(&[user("a"), Message::System(system("one"))]).head;
    let on_branch = |text: &str| StoreRequest {
        branch: Some("b".to_owned()),
        ..append(&world, &[user("b"), Message::System(system(text))])
    };
    world.store(with_head(on_branch("two"), &fork)).unwrap();
    world.say(&[Message::System(system("three"))]);
    world.store(on_branch("two")).unwrap();
    assert_eq!(world.all().context.system, Some(system("two")));
}

#[test]
fn the_main_line_may_be_called_main() {
    let world = World::new();
    world.say(&[user("a")]);
    let request = StoreRequest {
        branch: Some("main".to_owned()),
        ..append(&world, &[user("b")])
    };
    world.store(request).unwrap();
    assert_eq!(texts(&world.all().messages), ["a", "b"]);
}
