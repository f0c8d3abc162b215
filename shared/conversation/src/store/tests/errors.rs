//! Errors, one a kind.

use codec::model::{Fields, Message};
use serde_json::json;

use super::{conflict, state, with_head};
use crate::error::{Cause, ConflictKind, Error, InvalidReason, Service};
use crate::ports::ContextReader;
use crate::store::StoreRequest;
use crate::testing::{Call, Fault, World, append, everything, system, user};

#[test]
fn a_forged_token_with_huge_numbers_overflows_nothing() {
    use crate::token::Token;
    let world = World::new();
    let head = world.say(&[user("a")]).head;
    let mut token = Token::decode(&world.conversation, &head).unwrap();
    (token.head.revision, token.head.turns, token.head.count) = (u64::MAX, u64::MAX, u64::MAX);
    token.head.last_ms = i64::MAX;
    let request = with_head(
        append(&world, &[user("b")]),
        &token.encode(&world.conversation),
    );
    assert_eq!(
        conflict(world.store(request).unwrap_err()),
        ConflictKind::HeadMoved
    );
}

#[test]
fn a_message_too_large_for_an_event_is_named() {
    let world = World::new();
    let document = codec::model::Content::Document {
        document: json!("x".repeat(codec::limits::MAX_EVENT_BYTES)).into(),
        metadata: Fields::new(),
        extra: Fields::new(),
    };
    let message = Message::User(codec::model::UserMessage {
        content: vec![document],
        ..codec::model::UserMessage::default()
    });
    let messages = [Message::System(system("s")), user("a"), message];
    match world.store(append(&world, &messages)) {
        Err(Error::TooLarge { what, .. }) => assert_eq!(what, "/messages/2"),
        other => panic!("{other:?}"),
    }
    assert_eq!(world.log().events(&world.conversation), []);
}

#[test]
fn a_state_given_twice_is_invalid() {
    let world = World::new();
    let request = StoreRequest {
        states: vec![state(1, None), state(2, None)],
        ..append(&world, &[])
    };
    assert_eq!(
        world.store(request),
        Err(Error::invalid("/states/1", InvalidReason::DuplicateAgent))
    );
}

#[test]
fn a_damaged_token_is_invalid() {
    let world = World::new();
    let result = world.store(with_head(append(&world, &[user("a")]), "nonsense"));
    assert_eq!(
        result,
        Err(Error::invalid("/head", InvalidReason::HeadToken))
    );
}

#[test]
fn errors_of_the_commit_are_told_apart() {
    for (fault, error) in [
        (Fault::Denied, Error::AccessDenied(Service::Context)),
        (Fault::Missing, Error::NotFound(Service::Context)),
        (
            Fault::TooLarge,
            Error::TooLarge {
                what: "head".to_owned(),
                size_bytes: 2,
                limit_bytes: 1,
            },
        ),
    ] {
        let world = World::new();
        world.fail(Call::Commit, [Some(fault)]);
        assert_eq!(world.store(append(&world, &[user("a")])), Err(error));
        assert_eq!(world.log().events(&world.conversation), [], "taken back");
    }
    let world = World::new();
    world.fail(Call::Commit, vec![Some(Fault::Throttled); 1000]);
    assert_eq!(
        world.store(append(&world, &[user("a")])),
        Err(Error::Throttled(Service::Context))
    );
}

#[test]
fn errors_of_creating_are_told_apart() {
    for (fault, error) in [
        (Fault::Denied, Error::AccessDenied(Service::EventLog)),
        (Fault::Missing, Error::NotFound(Service::EventLog)),
        (Fault::Quota, Error::QuotaExceeded),
        (
            Fault::Refused,
            Error::invalid("", InvalidReason::Refused("on order".to_owned())),
        ),
        (
            Fault::TooLarge,
            Error::TooLarge {
                what: "/messages".to_owned(),
                size_bytes: 0,
                limit_bytes: codec::limits::MAX_EVENT_BYTES,
            },
        ),
    ] {
        let world = World::new();
        world.fail(Call::Create, [Some(fault)]);
        assert_eq!(world.store(append(&world, &[user("a")])), Err(error));
    }
    let world = World::new();
    world.fail(Call::Create, vec![Some(Fault::Failed); 1000]);
    assert_eq!(
        world.store(append(&world, &[user("a")])),
        Err(Error::Unavailable(Cause::EventLog("on order".to_owned())))
    );
}

#[test]
fn the_head_is_read_back_as_it_was_committed() {
    let world = World::new();
    world.say(&[user("a")]);
    world.say(&[user("b")]);
    let look = world.ports.context.head(&world.conversation, None, None, 0);
    let head = crate::memory::run(&world.clock, look)
        .unwrap()
        .unwrap()
        .head
        .unwrap();
    assert_eq!(
        (head.revision, head.turns, head.count, head.recent.len()),
        (2, 2, 2, 1)
    );
}

#[test]
fn store_and_load_can_be_sent_to_other_threads() {
    fn sent<T: Send>(_: &T) {}
    let world = World::new();
    sent(&crate::store::store(
        &world.ports,
        &world.settings,
        append(&world, &[]),
    ));
    sent(&crate::load::load(
        &world.ports,
        &world.settings,
        everything(&world),
    ));
}
