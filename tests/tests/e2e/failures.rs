//! Failures are told as what they are, and never as an empty conversation.

use std::time::Duration;

use conversation::ports::EventReader as _;
use conversation::{
    Cause, Conversation, Error, IntegrityKind, IntegrityMode, LoadRequest, Loaded, Service,
    Settings, StoreRequest, load, store,
};
use emulator::{FaultAction, FaultPlan, FaultRule, Lag};
use serde_json::json;
use tests::messages::{texts, turn, whole_turns};
use tests::{Fault, TestPorts, World};

const PATIENCE: Duration = Duration::from_secs(3);
/// So much that the retries are used up first, and what failed is told rather than the time.
const AMPLE: Duration = Duration::from_hours(1);
/// Enough for a few attempts that are meant to fail.
const SHORT: Duration = Duration::from_millis(400);
const DAY: Duration = Duration::from_hours(24);

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_listing_is_an_error() {
    let (world, here) = talk("listing").await;
    let faults = [
        (FaultAction::Denied403, "access"),
        (FaultAction::Quota402, "quota"),
        (FaultAction::Error500, "unavailable"),
        (FaultAction::Throttle, "throttled"),
        (FaultAction::LostAnswer, "unavailable"),
        (FaultAction::ResetBefore, "unavailable"),
    ];
    for (action, wanted) in faults {
        strike(&world, "ListEvents", &action);
        for session in [&here, &world.conversation("nobody-wrote-here")] {
            let error = fail_to_read(&world.hasty_ports(), session, AMPLE).await;
            assert_eq!(kind(&error), wanted, "{action:?}");
        }
    }
    world.emulator.set_faults(FaultPlan::default());
    assert_eq!(
        read(&world.ports(), &here)
            .await
            .expect("loaded")
            .messages
            .len(),
        3
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listing_that_fails_on_a_later_page_is_an_error() {
    let (world, here) = talk("pages").await;
    let long = StoreRequest::append(here.clone(), turn("long", 150), Duration::from_hours(1));
    store(&world.hasty_ports(), &Settings::default(), long)
        .await
        .expect("stored");
    let second = FaultRule::nth("ListEvents", 2, FaultAction::Denied403);
    world.emulator.set_faults(FaultPlan {
        seed: 0,
        rules: vec![second],
    });
    let error = fail_to_read(&world.hasty_ports(), &here, AMPLE).await;
    assert_eq!(kind(&error), "access");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_context_is_an_error() {
    let (world, here) = talk("context").await;
    let answers = [
        (
            400,
            "com.amazonaws.dynamodb.v20120810#AccessDeniedException",
            "access",
        ),
        (
            400,
            "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException",
            "not found",
        ),
        (
            400,
            "com.amazonaws.dynamodb.v20120810#ThrottlingException",
            "throttled",
        ),
        (
            500,
            "com.amazonaws.dynamodb.v20120810#InternalServerError",
            "unavailable",
        ),
    ];
    for (status, name, wanted) in answers {
        let body = json!({"__type": name, "message": "no"}).to_string();
        let fault = Fault::Answer { status, body };
        world
            .context
            .fail_each((0..200).map(|index| (index, fault.clone())));
        for session in [&here, &world.conversation("nobody-wrote-here")] {
            let error = fail_to_read(&world.hasty_ports(), session, AMPLE).await;
            assert_eq!(kind(&error), wanted, "{name}");
            let request = StoreRequest::append(session.clone(), turn("lost", 1), AMPLE);
            let error = store(&world.hasty_ports(), &Settings::default(), request)
                .await
                .expect_err("not stored");
            assert_eq!(kind(&error), wanted, "{name}");
        }
        world.context.fail_each([]);
    }
    assert_eq!(turns(&world.ports(), &here).await, ["first"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_memory_is_not_found() {
    let world = World::start().await;
    let nowhere = Conversation {
        memory: "nowhere-0123456789".to_owned(),
        ..world.conversation("any")
    };
    let wanted = Error::NotFound(Service::EventLog);
    assert_eq!(
        read(&world.ports(), &nowhere).await.err(),
        Some(wanted.clone())
    );
    let request = StoreRequest::append(nowhere, turn("first", 1), PATIENCE);
    let refused = store(&world.ports(), &Settings::default(), request).await;
    assert_eq!(refused.err(), Some(wanted));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_write_leaves_nothing_to_be_seen() {
    for action in [FaultAction::Denied403, FaultAction::Quota402] {
        let (world, here) = talk("refused").await;
        // The third part of the turn is refused, the others are written.
        let third = FaultRule::nth("CreateEvent", 3, action.clone());
        world.emulator.set_faults(FaultPlan {
            seed: 0,
            rules: vec![third],
        });
        let request = StoreRequest::append(here.clone(), turn("second", 4), PATIENCE);
        store(&world.ports(), &Settings::default(), request)
            .await
            .expect_err("refused");
        world.emulator.set_faults(FaultPlan::default());
        assert_eq!(turns(&world.ports(), &here).await, ["first"], "{action:?}");
        let request = StoreRequest::append(here.clone(), turn("third", 2), PATIENCE);
        store(&world.ports(), &Settings::default(), request)
            .await
            .expect("stored");
        assert_eq!(
            turns(&world.ports(), &here).await,
            ["first", "third"],
            "{action:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tampering_is_reported_or_refused() {
    let (world, here) = talk("tampered").await;
    world.settle().await;
    let events = world
        .event_log()
        .page(&here, None, None)
        .await
        .expect("a page")
        .events;
    let event = events.last().expect("the first message");
    let forged = json!([{"conversational": {"content": {"text": "forged 1/3"}, "role": "USER"}}]);
    assert!(world.emulator.tamper_event(
        &here.memory,
        &here.actor,
        &here.session,
        &event.id.0,
        &forged
    ));
    let loaded = read(&world.ports(), &here)
        .await
        .expect("reported by default");
    assert_eq!(loaded.report.mismatches, 1);
    assert_eq!(texts(&loaded.messages)[0], "forged 1/3");

    let settings = Settings {
        integrity: IntegrityMode::Enforce,
        ..Settings::default()
    };
    let request = LoadRequest::all(here, PATIENCE);
    let refused = load(&world.ports(), &settings, request).await;
    let Err(Error::Integrity { turn, kind, .. }) = refused else {
        panic!("{refused:?}")
    };
    assert!(turn.is_some());
    assert_eq!(kind, IntegrityKind::Tampered);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_event_is_a_gap_and_is_named() {
    let (world, here) = talk("gap").await;
    // Turns are not young any more, so that the lost event cannot be one that is yet to show.
    let second = StoreRequest::append(here.clone(), turn("second", 2), PATIENCE);
    store(&world.ports(), &Settings::default(), second)
        .await
        .expect("stored");
    world.settle().await;
    let events = world
        .event_log()
        .page(&here, None, None)
        .await
        .expect("a page")
        .events;
    let event = &events[3];
    assert!(
        world
            .emulator
            .drop_event(&here.memory, &here.actor, &here.session, &event.id.0)
    );
    let ports = world.ports();
    ports.clock.advance(Duration::from_hours(1));
    let refused = load(
        &ports,
        &Settings::default(),
        LoadRequest::all(here, PATIENCE),
    )
    .await;
    let Err(Error::Integrity { turn, part, kind }) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(kind, IntegrityKind::Gap);
    assert_eq!(
        turn.map(|turn| turn.to_string()),
        event.metadata.get("colloquy.turn").cloned()
    );
    assert_eq!(part, Some(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listing_that_lags_is_waited_for_and_then_told() {
    let (world, here) = talk("lagging").await;
    let lag = |ms| FaultAction::LagUnfiltered(Lag { ms, events: 0 });
    strike(&world, "ListEvents", &lag(300));
    append(&world.ports(), &here, "second", 2).await;
    assert_eq!(turns(&world.ports(), &here).await, ["first", "second"]);

    strike(&world, "ListEvents", &lag(60_000));
    let error = fail_to_read(&world.ports(), &here, SHORT).await;
    assert!(
        matches!(error, Error::Unavailable(Cause::NotYetVisible(_))),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_messages_are_counted_and_the_conversation_goes_on() {
    let (world, here) = talk("expired").await;
    let ports = world.ports();
    let pass = |time: Duration| {
        world.emulator.advance_clock(time);
        ports.clock.advance(time);
    };
    pass(4 * DAY);
    append(&ports, &here, "second", 2).await;
    assert_eq!(turns(&ports, &here).await, ["first", "second"]);

    pass(4 * DAY);
    let loaded = read(&ports, &here).await.expect("loaded");
    assert_eq!(whole_turns(&loaded.messages), ["second"]);
    assert_eq!((loaded.report.stored, loaded.report.expired), (5, 3));
    append(&ports, &here, "third", 1).await;

    pass(8 * DAY);
    let loaded = read(&ports, &here).await.expect("loaded");
    assert_eq!(loaded.messages.len(), 0);
    assert_eq!((loaded.report.stored, loaded.report.expired), (6, 6));
    append(&ports, &here, "fourth", 2).await;
    let loaded = read(&ports, &here).await.expect("loaded");
    assert_eq!(whole_turns(&loaded.messages), ["fourth"]);
    assert_eq!(loaded.context.stored_message_count, 8);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_actor_sees_another_actors_message() {
    let (world, here) = talk("same").await;
    let other = Conversation {
        actor: "mallory".to_owned(),
        ..here.clone()
    };
    let ports = world.ports();
    let empty = read(&ports, &other).await.expect("loaded");
    assert_eq!((empty.messages.len(), empty.report.stored), (0, 0));
    append(&ports, &other, "other", 1).await;
    assert_eq!(turns(&ports, &other).await, ["other"]);
    assert_eq!(turns(&ports, &here).await, ["first"]);
    // A head token is of no use in another conversation.
    let head = read(&ports, &here).await.expect("loaded").head;
    let request = StoreRequest {
        head,
        ..StoreRequest::append(other, turn("stolen", 1), PATIENCE)
    };
    let refused = store(&ports, &Settings::default(), request).await;
    assert!(matches!(refused, Err(Error::Invalid { ref pointer, .. }) if pointer == "/head"));
}

/// A conversation of one turn of three messages.
async fn talk(session: &str) -> (World, Conversation) {
    let world = World::start().await;
    let here = world.conversation(session);
    append(&world.ports(), &here, "first", 3).await;
    (world, here)
}

async fn append(ports: &TestPorts, here: &Conversation, name: &str, size: usize) {
    let request = StoreRequest::append(here.clone(), turn(name, size), PATIENCE);
    store(ports, &Settings::default(), request)
        .await
        .expect("stored");
}

async fn fail_to_read(ports: &TestPorts, here: &Conversation, deadline: Duration) -> Error {
    let request = LoadRequest::all(here.clone(), deadline);
    let answer = load(ports, &Settings::default(), request).await;
    answer.expect_err("a failed call is no answer")
}

async fn read(ports: &TestPorts, here: &Conversation) -> Result<Loaded, Error> {
    load(
        ports,
        &Settings::default(),
        LoadRequest::all(here.clone(), PATIENCE),
    )
    .await
}

async fn turns(ports: &TestPorts, here: &Conversation) -> Vec<String> {
    whole_turns(&read(ports, here).await.expect("loaded").messages)
}

fn strike(world: &World, operation: &str, action: &FaultAction) {
    world.emulator.set_faults(FaultPlan {
        seed: 0,
        rules: vec![FaultRule::always(operation, action.clone())],
    });
}

fn kind(error: &Error) -> &'static str {
    match error {
        Error::AccessDenied(_) => "access",
        Error::QuotaExceeded => "quota",
        Error::Unavailable(_) => "unavailable",
        Error::Throttled(_) => "throttled",
        Error::NotFound(_) => "not found",
        _ => "something else",
    }
}
