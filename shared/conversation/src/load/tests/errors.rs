//! Errors, and never an empty conversation.

use super::texts;
use crate::error::{Cause, Error, IntegrityKind, Service};
use crate::memory::run;
use crate::ports::{Commit, ContextReader, ContextWriter, HeadExpectation};
use crate::testing::{Call, Fault, World, everything, user};

#[test]
fn a_failed_listing_is_an_error() {
    for (fault, error) in [
        (Fault::Denied, Error::AccessDenied(Service::EventLog)),
        (Fault::Missing, Error::NotFound(Service::EventLog)),
        (Fault::Throttled, Error::Throttled(Service::EventLog)),
        (
            Fault::Failed,
            Error::Unavailable(Cause::EventLog("on order".to_owned())),
        ),
        (Fault::Hangs, Error::DeadlineExceeded),
    ] {
        let world = World::new();
        world.fail(Call::Page, vec![Some(fault); 100]);
        assert_eq!(world.load(everything(&world)), Err(error));
    }
}

#[test]
fn a_failed_read_of_the_context_is_an_error() {
    for (fault, error) in [
        (Fault::Denied, Error::AccessDenied(Service::Context)),
        (Fault::Missing, Error::NotFound(Service::Context)),
        (Fault::Throttled, Error::Throttled(Service::Context)),
        (
            Fault::Failed,
            Error::Unavailable(Cause::Context("on order".to_owned())),
        ),
        (
            Fault::Corrupt,
            Error::Integrity {
                turn: None,
                part: None,
                kind: IntegrityKind::Context {
                    item: "head".to_owned(),
                    detail: "on order".to_owned(),
                },
            },
        ),
    ] {
        let world = World::new();
        world.fail(Call::Items, vec![Some(fault); 100]);
        assert_eq!(world.load(everything(&world)), Err(error));
    }
}

#[test]
fn a_long_listing_may_be_throttled_now_and_then() {
    let world = super::long(3_000);
    let every_other = [Some(Fault::Throttled), None];
    world.fail(Call::Page, every_other.into_iter().cycle().take(100));
    assert_eq!(world.all().messages.len(), 3_000);
}

#[test]
fn a_passing_fault_is_retried() {
    let world = World::new();
    world.say(&[user("a")]);
    world.fail(Call::Page, [Some(Fault::Throttled), Some(Fault::Failed)]);
    world.fail(Call::Items, [Some(Fault::Failed)]);
    assert_eq!(texts(&world.all().messages), ["a"]);
}

#[test]
fn a_head_that_counts_messages_its_chain_has_not_is_noted() {
    let world = World::new();
    world.say(&[user("a")]);
    let context = &world.ports.context;
    let head = run(
        &world.clock,
        context.head(&world.conversation, None, None, 0),
    );
    let head = head.unwrap().unwrap().head.unwrap();
    let forged = Commit {
        expected: HeadExpectation::Is(Box::new(head.clone())),
        head: crate::head::Head { count: 5, ..head },
        system: None,
        states: Vec::new(),
        renew: Vec::new(),
        key: None,
        expires_at: i64::MAX,
        now_s: 0,
        request_token: String::new(),
    };
    run(
        &world.clock,
        context.commit(&world.conversation, None, &forged),
    )
    .unwrap()
    .unwrap();
    assert_eq!(world.all().report.notes["message_count"], 1);
}
