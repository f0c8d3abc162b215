//! Events of other software.

use super::{calls, texts, with_head};
use crate::error::{Error, Service};
use crate::ports::{EventWriter, NewEvent};
use crate::store::{StoreMode, StoreRequest};
use crate::testing::{Call, Fault, START_MS, World, append, user};

fn foreign(
    world: &World,
    ms: i64,
    payload: codec::Payload,
    branch: Option<crate::ports::BranchRoot>,
) -> crate::ports::EventId {
    let event = NewEvent {
        timestamp_ms: START_MS + ms,
        payload: vec![payload],
        metadata: std::collections::BTreeMap::new(),
        branch,
        client_token: format!("foreign {ms}"),
    };
    crate::memory::run(
        &world.clock,
        world.log().create(&world.conversation, &event),
    )
    .unwrap()
    .unwrap()
}

fn prose(text: &str) -> codec::Payload {
    codec::Payload::Conversational {
        role: codec::Role::User,
        text: text.to_owned(),
    }
}

#[test]
fn the_first_store_adopts_what_other_software_wrote() {
    let world = World::new();
    foreign(&world, -20, prose("one"), None);
    foreign(&world, -10, prose("two"), None);
    let stored = world.say(&[user("three")]);
    assert_eq!((stored.stored, stored.context.stored_message_count), (1, 3));
    foreign(&world, 10_000, prose("late"), None);
    let loaded = world.all();
    assert_eq!(texts(&loaded.messages), ["one", "two", "three"]);
    assert_eq!((loaded.report.foreign, loaded.report.skipped), (2, 1));
}

#[test]
fn an_adopted_token_saves_the_listing() {
    let world = World::new();
    foreign(&world, -20, prose("one"), None);
    let head = world.all().head.unwrap();
    let request = with_head(append(&world, &[user("two")]), &head);
    let (_, made, _) = world.observe(|| world.store(request).unwrap());
    assert_eq!(made, calls(&[(Call::Create, 1), (Call::Commit, 1)]));
    assert_eq!(texts(&world.all().messages), ["one", "two"]);
}

#[test]
fn sync_compares_with_what_was_adopted() {
    let world = World::new();
    foreign(&world, -20, prose("one"), None);
    let request = StoreRequest {
        mode: StoreMode::Sync,
        ..append(&world, &[user("one"), user("two")])
    };
    assert_eq!(world.store(request).unwrap().stored, 1);
    assert_eq!(texts(&world.all().messages), ["one", "two"]);
}

#[test]
fn a_listing_that_fails_is_no_empty_session() {
    let world = World::new();
    foreign(&world, -20, prose("one"), None);
    world.fail(Call::Page, [Some(Fault::Denied)]);
    let result = world.store(append(&world, &[user("two")]));
    assert_eq!(result, Err(Error::AccessDenied(Service::EventLog)));
}
