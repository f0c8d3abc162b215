//! Whatever fails, everything stays as it was.

use std::time::Duration;

use super::{asked, go_on, request, talk};
use crate::error::{Cause, Error, Service};
use crate::ports::SummarizerError;
use crate::summarize::{SummarizeRequest, Summarizers};
use crate::testing::{Call, Fault, World};

/// The error of a summarize, after which both messages and summary must be what they were.
fn failed(world: &World, request: SummarizeRequest) -> Error {
    let summary = current(world);
    let before = world.all();
    let error = world.summarize(request).unwrap_err();
    assert_eq!(current(world), summary);
    assert_eq!(world.all(), before);
    error
}

fn current(world: &World) -> Option<crate::summarize::SummaryRecord> {
    let nothing = SummarizeRequest {
        preserve_recent: Some(10_000),
        ..request(world)
    };
    world.summarize(nothing).unwrap().context.summary
}

#[test]
fn what_the_model_does_leaves_everything_as_it_was() {
    let world = talk(40);
    world.summarize(request(&world)).unwrap();
    go_on(&world, 40, 60);
    for (fault, expected, calls) in [
        (Fault::Refused, SummarizerError::Refused, 1),
        (Fault::Corrupt, SummarizerError::CutOff, 1),
        (Fault::Quota, SummarizerError::Empty, 1),
        (Fault::Denied, SummarizerError::AccessDenied, 1),
        (Fault::Missing, SummarizerError::NotFound, 1),
        (Fault::Throttled, SummarizerError::Throttled, 5),
        (Fault::Lost, SummarizerError::TimedOut, 5),
    ] {
        let before = asked(&world).len();
        world.fail(Call::Model, vec![Some(fault); 5]);
        assert_eq!(failed(&world, request(&world)), Error::Model(expected));
        assert_eq!(asked(&world).len() - before, calls);
        world.fail(Call::Model, []);
    }
}

#[test]
fn a_passing_fault_of_the_model_is_waited_out() {
    let world = talk(40);
    let faults = [Fault::Throttled, Fault::Lost, Fault::Failed];
    world.fail(Call::Model, faults.map(Some));
    assert_eq!(world.summarize(request(&world)).unwrap().summarized, 12);
    assert_eq!(asked(&world).len(), 4);
}

#[test]
fn a_model_that_hangs_ends_with_the_time() {
    let world = talk(40);
    world.fail(Call::Model, [Some(Fault::Hangs)]);
    let request = SummarizeRequest {
        deadline: Duration::from_secs(10),
        ..request(&world)
    };
    let (error, made, ticks) = world.observe(|| world.summarize(request).unwrap_err());
    assert_eq!(error, Error::DeadlineExceeded);
    assert!(!made.contains_key(&Call::PutSummary));
    assert!((7_000..10_000).contains(&ticks), "{ticks} ms");
}

#[test]
fn another_model_is_asked_where_one_fails_for_good() {
    for fault in [Fault::Refused, Fault::Denied, Fault::Hangs] {
        let world = talk(40);
        world.fail(Call::Model, [Some(fault)]);
        let summarizers = Summarizers::new(vec![&world.model, &world.model]);
        let (answer, made, _) =
            world.observe(|| world.summarize_with(&summarizers, request(&world)));
        assert_eq!(answer.unwrap().summarized, 12);
        assert_eq!(made[&Call::Model], 2);
    }
    let world = talk(40);
    world.fail(Call::Model, [Fault::Refused, Fault::Missing].map(Some));
    let summarizers = Summarizers::new(vec![&world.model, &world.model]);
    let error = world.summarize_with(&summarizers, request(&world));
    assert_eq!(error, Err(Error::Model(SummarizerError::NotFound)));
}

#[test]
fn a_model_that_failed_for_good_is_not_asked_for_the_next_step() {
    let world = talk(40);
    world.fail(Call::Model, [Some(Fault::Denied)]);
    let mut summarizers = Summarizers::new(vec![&world.model, &world.model]);
    summarizers.budget.step_tokens = 50;
    let (_, made, _) = world.observe(|| {
        let answer = world.summarize_with(&summarizers, request(&world));
        answer.unwrap()
    });
    let steps = asked(&world).len();
    assert_eq!(made[&Call::Model] as usize, steps);
    assert!(steps > 2);
}

#[test]
fn the_stores_fail_as_ever() {
    let world = talk(40);
    for (call, fault, expected) in [
        (
            Call::Items,
            Fault::Denied,
            Error::AccessDenied(Service::Context),
        ),
        (
            Call::Page,
            Fault::Missing,
            Error::NotFound(Service::EventLog),
        ),
        (
            Call::PutSummary,
            Fault::Denied,
            Error::AccessDenied(Service::Context),
        ),
        (
            Call::PutSummary,
            Fault::Missing,
            Error::NotFound(Service::Context),
        ),
    ] {
        let before = world.all();
        world.fail(call, [Some(fault)]);
        assert_eq!(world.summarize(request(&world)).unwrap_err(), expected);
        assert_eq!((world.all(), current(&world)), (before, None));
    }
}

#[test]
fn a_lost_answer_is_found_out() {
    for faults in [
        vec![Some(Fault::Lost)],
        vec![Some(Fault::Failed)],
        vec![
            Some(Fault::Throttled),
            Some(Fault::Lost),
            Some(Fault::Failed),
        ],
    ] {
        let world = talk(40);
        world.fail(Call::PutSummary, faults);
        let answer = world.summarize(request(&world)).unwrap();
        assert_eq!(answer.context.summary, current(&world));
        assert_eq!(answer.summarized, 12);
    }
}

#[test]
fn an_outcome_that_stays_unknown_is_said_to_be() {
    let world = talk(40);
    world.fail(Call::PutSummary, vec![Some(Fault::Failed); 100]);
    let error = world.summarize(request(&world)).unwrap_err();
    assert_eq!(error, Error::Unavailable(Cause::UnknownOutcome));
    world.fail(Call::PutSummary, vec![Some(Fault::Throttled); 100]);
    let error = world.summarize(request(&world)).unwrap_err();
    assert_eq!(error, Error::Throttled(Service::Context));
    world.fail(Call::PutSummary, [Some(Fault::Hangs)]);
    let error = world.summarize(request(&world)).unwrap_err();
    assert_eq!(error, Error::Unavailable(Cause::UnknownOutcome));
    assert_eq!(current(&world), None);
}
