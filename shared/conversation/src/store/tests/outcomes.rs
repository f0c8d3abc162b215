//! Outcomes that are not known at once.

use std::time::Duration;

use super::{conflict, texts, with_head};
use crate::error::{Cause, ConflictKind, Error};
use crate::store::StoreRequest;
use crate::testing::{Call, Fault, World, append, assistant, user};

#[test]
fn a_lost_answer_to_the_commit_is_found_out() {
    for fault in [Fault::Lost, Fault::Failed] {
        let world = World::new();
        let head = world.say(&[user("a")]).head;
        world.fail(Call::Commit, [Some(fault.clone())]);
        let request = with_head(append(&world, &[user("b")]), &head);
        let (stored, made, _) = world.observe(|| world.store(request).unwrap());
        assert!(!stored.replayed);
        assert_eq!(made[&Call::Head], 1);
        assert_eq!(
            made[&Call::Commit],
            if fault == Fault::Lost { 1 } else { 2 }
        );
        assert_eq!(texts(&world.all().messages), ["a", "b"]);
        assert_eq!(world.all().head, Some(stored.head));
    }
}

#[test]
fn a_first_turn_that_lost_its_answer_is_recognised() {
    let world = World::new();
    let genesis = world.all().head.unwrap();
    let request = with_head(append(&world, &[user("a")]), &genesis);
    world.store(request.clone()).unwrap();
    assert!(world.store(request).unwrap().replayed);
    assert_eq!(texts(&world.all().messages), ["a"]);
}

#[test]
fn an_outcome_that_stays_unknown_deletes_nothing() {
    let world = World::new();
    let head = world.say(&[user("a")]).head;
    world.fail(Call::Commit, [Some(Fault::Lost)]);
    world.fail(Call::Head, vec![Some(Fault::Failed); 100]);
    let request = with_head(append(&world, &[user("b")]), &head);
    assert_eq!(
        world.store(request.clone()),
        Err(Error::Unavailable(Cause::UnknownOutcome))
    );
    world.fail(Call::Head, []);
    assert_eq!(texts(&world.all().messages), ["a", "b"]);
    assert!(world.store(request).unwrap().replayed);
    assert_eq!(texts(&world.all().messages), ["a", "b"]);
}

#[test]
fn a_commit_that_hangs_is_an_unknown_outcome() {
    let world = World::new();
    let head = world.say(&[user("a")]).head;
    world.fail(Call::Commit, [Some(Fault::Hangs)]);
    let request = with_head(append(&world, &[user("b")]), &head);
    assert_eq!(
        world.store(request),
        Err(Error::Unavailable(Cause::UnknownOutcome))
    );
    assert_eq!(world.log().events(&world.conversation).len(), 2);
}

#[test]
fn a_commit_there_is_no_time_for_is_not_begun() {
    let world = World::new();
    let head = world.say(&[user("a")]).head;
    let request = StoreRequest {
        deadline: Duration::from_millis(1001),
        ..with_head(append(&world, &[user("b")]), &head)
    };
    // The event is written in the last millisecond.
    world.fail(Call::Create, [Some(Fault::Slow(1000))]);
    let (result, made, _) = world.observe(|| world.store(request));
    assert_eq!(result, Err(Error::DeadlineExceeded));
    assert!(!made.contains_key(&Call::Commit));
    assert_eq!(texts(&world.all().messages), ["a"]);
}

#[test]
fn a_refusal_after_a_lost_answer_is_no_definite_error() {
    let world = World::new();
    let head = world.say(&[user("a")]).head;
    world.fail(Call::Commit, [Some(Fault::Failed), Some(Fault::Denied)]);
    let request = with_head(append(&world, &[user("b")]), &head);
    assert_eq!(
        world.store(request),
        Err(Error::Unavailable(Cause::UnknownOutcome))
    );
}

#[test]
fn a_retry_is_recognised_after_others_have_appended() {
    // 10 turns later the head remembers it; 40 turns later the chain has to be walked.
    for later in [10, 40] {
        let world = World::new();
        let head = world.say(&[user("a")]).head;
        let request = with_head(append(&world, &[user("mine")]), &head);
        let first = world.store(request.clone()).unwrap();
        for turn in 0..later {
            world.say(&[assistant(&turn.to_string())]);
            world.clock.advance(Duration::from_secs(1));
        }
        let (second, made, _) = world.observe(|| world.store(request).unwrap());
        assert!(second.replayed);
        assert_eq!(made.contains_key(&Call::Page), later == 40);
        assert_eq!(
            second.context.stored_message_count,
            first.context.stored_message_count
        );
        assert_eq!(world.all().messages.len(), later + 2);
        // Its token is its own head, not that of turns it has not seen.
        let next = with_head(append(&world, &[user("next")]), &second.head);
        assert_eq!(
            conflict(world.store(next).unwrap_err()),
            ConflictKind::HeadMoved
        );
    }
}

#[test]
fn a_turn_long_ago_that_is_not_mine_is_a_conflict() {
    let world = World::new();
    let head = world.say(&[user("a")]).head;
    for turn in 0..40 {
        world.say(&[assistant(&turn.to_string())]);
    }
    let request = with_head(append(&world, &[user("mine")]), &head);
    let (result, made, _) = world.observe(|| world.store(request));
    assert_eq!(conflict(result.unwrap_err()), ConflictKind::HeadMoved);
    assert_eq!(made[&Call::Delete], 1);
}
