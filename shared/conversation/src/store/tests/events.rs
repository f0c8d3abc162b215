//! Writing the events of a turn.

use std::time::Duration;

use super::{calls, texts, with_head};
use crate::error::{Cause, Error, Service};
use crate::memory::ClientTokens;
use crate::store::StoreRequest;
use crate::testing::{Call, Fault, World, append, user};

#[test]
fn throttled_and_lost_creates_are_repeated() {
    for (fault, tokens) in [
        (Fault::Throttled, ClientTokens::Honoured),
        (Fault::Lost, ClientTokens::Honoured),
        (Fault::Lost, ClientTokens::Ignored),
    ] {
        let world = World::with(tokens);
        world.fail(Call::Create, [Some(fault), None, None]);
        world.say(&[user("a"), user("b")]);
        let loaded = world.all();
        assert_eq!(texts(&loaded.messages), ["a", "b"]);
        assert_eq!(
            loaded.report.duplicates,
            u64::from(tokens == ClientTokens::Ignored)
        );
    }
}

#[test]
fn forty_messages_are_paced() {
    let world = World::new();
    let head = world.say(&[user("a")]).head;
    let messages: Vec<_> = (0..40).map(|i| user(&i.to_string())).collect();
    let request = with_head(append(&world, &messages), &head);
    let (_, made, ticks) = world.observe(|| world.store(request).unwrap());
    assert_eq!(made, calls(&[(Call::Create, 40), (Call::Commit, 1)]));
    assert_eq!(ticks, 7 * 1050 + 2);
    assert_eq!(world.all().messages.len(), 41);
}

#[test]
fn after_a_conflict_one_event_is_written_after_the_other() {
    let world = World::new();
    let head = world.say(&[user("a")]).head;
    world.one_create_at_a_time();
    let messages: Vec<_> = (0..100).map(|i| user(&i.to_string())).collect();
    let request = with_head(append(&world, &messages), &head);
    let (_, made, ticks) = world.observe(|| world.store(request).unwrap());
    // Of the first wave of five one comes through. The others are repeated, and meet nobody any more.
    assert_eq!(made, calls(&[(Call::Create, 100 + 4), (Call::Commit, 1)]));
    assert!(ticks < 21 * 1050, "{ticks}");
    let expected: Vec<_> = (0..100).map(|i| i.to_string()).collect();
    assert_eq!(texts(&world.all().messages)[1..], expected);
}

#[test]
fn a_writer_behind_others_waits_for_as_long_as_there_is_time() {
    let world = World::new();
    let head = world.say(&[user("a")]).head;
    world.fail(Call::Create, vec![Some(Fault::Crowded); 40]);
    let request = with_head(append(&world, &[user("b")]), &head);
    let (stored, made, _) = world.observe(|| world.store(request));
    assert!(stored.is_ok(), "{stored:?}");
    assert_eq!(made, calls(&[(Call::Create, 41), (Call::Commit, 1)]));

    let head = stored.unwrap().head;
    world.fail(Call::Create, vec![Some(Fault::Crowded); 10_000]);
    let error = world.store(with_head(append(&world, &[user("c")]), &head));
    assert!(
        matches!(error, Err(Error::Unavailable(Cause::EventLog(_)))),
        "{error:?}"
    );
}

#[test]
fn a_turn_there_is_no_time_for_is_not_begun() {
    let world = World::new();
    let head = world.say(&[user("a")]).head;
    let messages: Vec<_> = (0..40).map(|i| user(&i.to_string())).collect();
    let request = StoreRequest {
        deadline: Duration::from_secs(5),
        ..with_head(append(&world, &messages), &head)
    };
    let (result, made, _) = world.observe(|| world.store(request));
    assert_eq!(result, Err(Error::DeadlineExceeded));
    assert_eq!(made, calls(&[]));
}

#[test]
fn a_create_that_fails_for_good_takes_the_others_back() {
    let world = World::new();
    let head = world.say(&[user("a")]).head;
    world.fail(Call::Create, [None, Some(Fault::Denied)]);
    let request = with_head(append(&world, &[user("b"), user("c"), user("d")]), &head);
    assert_eq!(
        world.store(request),
        Err(Error::AccessDenied(Service::EventLog))
    );
    assert_eq!(world.log().events(&world.conversation).len(), 1);
    assert_eq!(texts(&world.all().messages), ["a"]);
}

#[test]
fn a_create_that_hangs_exceeds_the_deadline() {
    let world = World::new();
    world.fail(Call::Create, [Some(Fault::Hangs)]);
    let result = world.store(append(&world, &[user("a")]));
    assert_eq!(result, Err(Error::DeadlineExceeded));
    assert_eq!(texts(&world.all().messages), [""; 0]);
}
