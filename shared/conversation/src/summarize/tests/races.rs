//! Summarize beside other writers.

use futures_util::future::join;

use super::{go_on, request, summary_of, talk};
use crate::error::{ConflictKind, Error};
use crate::memory::run;
use crate::ports::{ContextReader, SummaryOutcome, SummaryWrite, SummaryWriter};
use crate::store::store;
use crate::summarize::{SummarizeRequest, Summarizers, SummaryId, summarize};
use crate::testing::{Call, Fault, append, user};

#[test]
fn of_two_at_once_one_is_kept() {
    let world = talk(40);
    let summarizers = Summarizers::new(vec![&world.model]);
    let call = || summarize(&world.ports, &world.settings, &summarizers, request(&world));
    let (one, other) = run(&world.clock, join(call(), call())).unwrap();
    let (kept, refused) = if one.is_ok() {
        (one, other)
    } else {
        (other, one)
    };
    let moved = ConflictKind::SummaryMoved;
    assert!(matches!(&refused, Err(Error::Conflict { kind, .. }) if *kind == moved));
    let items = run(&world.clock, world.ports.context.items(&world.conversation));
    let items = items.unwrap().unwrap();
    assert_eq!(items.summary(None), kept.unwrap().context.summary.as_ref());
}

#[test]
fn a_store_meanwhile_disturbs_neither() {
    let world = talk(40);
    let head = world.all().head;
    world.fail(Call::Model, [Some(Fault::Slow(1_000))]);
    let summarizers = Summarizers::new(vec![&world.model]);
    let summary = summarize(&world.ports, &world.settings, &summarizers, request(&world));
    let mut turn = append(&world, &[user("meanwhile")]);
    turn.head = head;
    let store = store(&world.ports, &world.settings, turn);
    let (summary, stored) = run(&world.clock, join(summary, store)).unwrap();
    assert_eq!(summary.unwrap().summarized, 12);
    assert_eq!(stored.unwrap().context.stored_message_count, 41);
    assert_eq!(world.all().messages.len(), 41);
}

#[test]
fn a_summary_that_others_went_on_from_is_not_lost() {
    let world = talk(40);
    let first = summary_of(&world);
    go_on(&world, 40, 60);
    let second = summary_of(&world);
    let write = SummaryWrite {
        record: first.clone(),
        replaces: None,
        expires_at: 0,
        request_token: String::new(),
    };
    let again = world
        .ports
        .context
        .put_summary(&world.conversation, None, &write);
    let outcome = run(&world.clock, again).unwrap().unwrap();
    let current = Some(Box::new(second.clone()));
    assert_eq!(outcome, SummaryOutcome::Refused { current });
    assert_eq!(second.previous, Some(first.id));
}

#[test]
fn a_branch_has_a_summary_of_its_own() {
    let world = talk(40);
    let main = world.summarize(request(&world)).unwrap();
    let mut turn = append(&world, &[user("another way")]);
    turn.branch = Some("draft".to_owned());
    turn.head = main.head;
    world.store(turn).unwrap();
    let draft = SummarizeRequest {
        branch: Some("draft".to_owned()),
        ..request(&world)
    };
    let answer = world.summarize(draft).unwrap();
    let record = answer.context.summary.unwrap();
    assert_eq!((record.previous, record.last_seq), (None, 11));
    assert_eq!(answer.context.stored_message_count, 41);
    let main = main.context.summary.unwrap();
    assert_ne!(record.id, main.id);
    assert_ne!(main.id, SummaryId([0; 32]));
    let items = run(&world.clock, world.ports.context.items(&world.conversation));
    assert_eq!(items.unwrap().unwrap().summary(None), Some(&main));
}
