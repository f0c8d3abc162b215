//! The rules of a load, one test each.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use codec::model::Message;
use codec::{Mode, Payload, Role};

use super::LoadRequest;
use crate::error::{Cause, Error, IntegrityKind, InvalidReason, Service};
use crate::memory::{ClientTokens, run};
use crate::ports::{
    BranchRoot, Commit, ContextReader, ContextWriter, EventId, EventWriter, HeadExpectation,
    NewEvent, StoredEvent,
};
use crate::settings::{IntegrityMode, Layout};
use crate::testing::{Call, Fault, START_MS, World, append, everything, text, user};
use crate::window::Window;

fn texts(messages: &[Message]) -> Vec<&str> {
    messages.iter().map(text).collect()
}

fn calls(expected: &[(Call, u32)]) -> HashMap<Call, u32> {
    expected.iter().copied().collect()
}

/// A conversation of so many messages, in turns of up to 500.
fn long(messages: usize) -> World {
    let mut world = World::new();
    let all: Vec<_> = (0..messages).map(|i| user(&i.to_string())).collect();
    world.settings.layout = Layout::Message;
    for turn in all.chunks(500) {
        let request = crate::store::StoreRequest {
            deadline: Duration::from_secs(600),
            ..append(&world, turn)
        };
        world.store(request).unwrap();
    }
    world
}

fn window(world: &World, window: Window) -> LoadRequest {
    LoadRequest {
        window,
        ..everything(world)
    }
}

fn on_branch(world: &World, branch: &str) -> LoadRequest {
    LoadRequest {
        branch: Some(branch.to_owned()),
        ..everything(world)
    }
}

fn foreign(world: &World, ms: i64, payload: Payload, branch: Option<(&str, &EventId)>) -> EventId {
    foreign_with(world, ms, payload, branch, BTreeMap::new())
}

fn foreign_with(
    world: &World,
    ms: i64,
    payload: Payload,
    branch: Option<(&str, &EventId)>,
    metadata: BTreeMap<String, String>,
) -> EventId {
    let event = NewEvent {
        timestamp_ms: START_MS + ms,
        client_token: format!("foreign {ms} {payload:?}"),
        payload: vec![payload],
        metadata,
        branch: branch.map(|(name, root)| BranchRoot {
            name: name.to_owned(),
            root: Some(root.clone()),
        }),
    };
    run(
        &world.clock,
        world.log().create(&world.conversation, &event),
    )
    .unwrap()
    .unwrap()
}

fn prose(text: &str) -> Payload {
    Payload::Conversational {
        role: Role::User,
        text: text.to_owned(),
    }
}

fn stored(world: &World) -> Vec<StoredEvent> {
    world.log().events(&world.conversation)
}

fn delete(world: &World, event: &StoredEvent) {
    run(
        &world.clock,
        world.log().delete(&world.conversation, &event.id),
    )
    .unwrap()
    .unwrap();
}

// The call table.

#[test]
fn a_window_on_the_first_page_is_one_round_trip() {
    let world = long(60);
    let (loaded, made, ticks) = world.observe(|| world.all());
    assert_eq!(made, calls(&[(Call::Page, 1), (Call::Items, 1)]));
    assert_eq!(ticks, 1);
    assert_eq!(loaded.messages.len(), 60);
}

#[test]
fn a_small_window_of_a_long_conversation_is_one_round_trip() {
    let world = long(10_000);
    // Short turns at the end, as conversations have them.
    for turn in 0..20 {
        world.say(&[user(&format!("q{turn}")), crate::testing::assistant("a")]);
    }
    let request = window(&world, Window::Messages(40));
    let (loaded, made, ticks) = world.observe(|| world.load(request).unwrap());
    assert_eq!(made, calls(&[(Call::Page, 1), (Call::Items, 1)]));
    assert_eq!(ticks, 1);
    assert_eq!(loaded.messages.len(), 40);
    assert_eq!(loaded.report.stored, 10_040);
    assert_eq!(loaded.report.evicted, 10_000);
    assert_eq!(loaded.report.uncommitted, 0);

    let (loaded, made, ticks) = world.observe(|| world.all());
    assert_eq!(made, calls(&[(Call::Page, 101), (Call::Items, 1)]));
    assert_eq!(ticks, 101);
    assert_eq!(loaded.messages.len(), 10_040);
    assert_eq!(text(&loaded.messages[9_999]), "9999");
}

// Windows.

#[test]
fn a_window_never_parts_a_result_from_its_call() {
    use crate::testing::{call, result};
    let world = World::new();
    world.say(&[user("a"), call("c")]);
    world.say(&[result("c")]);
    world.say(&[crate::testing::assistant("b")]);
    let two = world.load(window(&world, Window::Messages(2))).unwrap();
    assert_eq!(texts(&two.messages), ["b"]);
    assert_eq!(two.report.evicted, 3);
    let one = world.load(window(&world, Window::Turns(1))).unwrap();
    assert_eq!(one.messages.len(), 4);
}

#[test]
fn an_empty_conversation_is_empty() {
    let world = World::new();
    let loaded = world.all();
    assert_eq!(loaded.messages, []);
    assert_eq!(loaded.context, world.answer_context(0));
    assert!(loaded.head.is_some());
}

// What is not committed.

#[test]
fn uncommitted_events_are_counted_and_not_shown() {
    let world = World::new();
    world.fail(Call::Commit, [Some(Fault::Denied)]);
    world.fail(Call::Delete, vec![Some(Fault::Failed); 2]);
    world
        .store(append(&world, &[user("x"), user("y")]))
        .unwrap_err();
    let loaded = world.all();
    assert_eq!(loaded.messages, []);
    assert_eq!(loaded.report.uncommitted, 2);
    world.say(&[user("a")]);
    let loaded = world.all();
    assert_eq!(texts(&loaded.messages), ["a"]);
    assert_eq!(loaded.report.uncommitted, 2);
}

// Duplicates and tampering.

#[test]
fn copies_of_an_event_are_one() {
    let world = World::with(ClientTokens::Ignored);
    world.fail(Call::Create, [Some(Fault::Lost), Some(Fault::Lost)]);
    world.say(&[user("a"), user("b")]);
    let loaded = world.all();
    assert_eq!(texts(&loaded.messages), ["a", "b"]);
    assert_eq!((loaded.report.duplicates, loaded.report.mismatches), (2, 0));
}

#[test]
fn of_differing_copies_the_true_one_is_taken() {
    let world = World::with(ClientTokens::Ignored);
    world.fail(Call::Create, [Some(Fault::Lost), Some(Fault::Lost)]);
    world.say(&[user("a"), user("b")]);
    for event in stored(&world)
        .iter()
        .filter(|event| event.metadata["colloquy.part"] == "2/2")
        .take(1)
    {
        let payload = vec![prose("forged")];
        world.log().tamper(
            &world.conversation,
            StoredEvent {
                payload,
                ..event.clone()
            },
        );
    }
    let loaded = world.all();
    assert_eq!(texts(&loaded.messages), ["a", "b"]);
    assert_eq!(loaded.report.mismatches, 0);
}

#[test]
fn altered_content_is_reported_or_refused() {
    let mut world = World::new();
    world.say(&[user("a")]);
    let event = stored(&world).remove(0);
    let payload = vec![prose("forged")];
    world
        .log()
        .tamper(&world.conversation, StoredEvent { payload, ..event });
    let loaded = world.all();
    assert_eq!(texts(&loaded.messages), ["forged"]);
    assert_eq!(loaded.report.mismatches, 1);
    world.settings.integrity = IntegrityMode::Enforce;
    let error = world.load(everything(&world)).unwrap_err();
    assert!(matches!(
        error,
        Error::Integrity {
            kind: IntegrityKind::Tampered,
            turn: Some(_),
            part: None
        }
    ));
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    let world = World::new();
    world.say(&[user("a")]);
    world.say(&[user("b")]);
    let mut event = stored(&world).remove(1);
    event.metadata.insert("seq".to_owned(), "7".to_owned());
    world.log().tamper(&world.conversation, event);
    let error = world.load(everything(&world)).unwrap_err();
    assert!(matches!(
        error,
        Error::Integrity {
            kind: IntegrityKind::Sequence { expected: 2, .. },
            ..
        }
    ));
}

// Missing events.

#[test]
fn a_missing_event_that_is_not_expired_is_a_gap() {
    let world = World::new();
    world.say(&[user("a"), user("b"), user("c")]);
    world.say(&[user("d")]);
    delete(&world, &stored(&world)[1]);
    world.clock.advance(Duration::from_hours(1));
    let error = world.load(everything(&world)).unwrap_err();
    let Error::Integrity { turn, part, kind } = error else {
        panic!("{error:?}");
    };
    assert_eq!((part, kind), (Some(2), IntegrityKind::Gap));
    assert_eq!(
        turn.unwrap().to_string(),
        stored(&world)[0].metadata["colloquy.turn"]
    );
    let newest = world.load(window(&world, Window::Messages(1))).unwrap();
    assert_eq!(
        texts(&newest.messages),
        ["d"],
        "what the window does not need is not missed"
    );
}

#[test]
fn a_young_turn_that_is_not_visible_is_waited_for() {
    let world = World::new();
    world.say(&[user("a")]);
    delete(&world, &stored(&world)[0]);
    let (result, made, ticks) = world.observe(|| world.load(everything(&world)));
    assert!(matches!(
        result,
        Err(Error::Unavailable(Cause::NotYetVisible(_)))
    ));
    assert!(made[&Call::Page] > 10);
    assert!(ticks <= 60_000);
}

#[test]
fn a_page_read_before_the_head_is_read_again() {
    let world = World::new();
    world.say(&[user("a")]);
    let event = stored(&world).remove(0);
    delete(&world, &event);
    // It comes back while the load is under way, as a new event with the same content would.
    let load = super::load(&world.ports, &world.settings, everything(&world));
    let repair = async {
        crate::ports::Clock::sleep(&world.clock, Duration::from_millis(500)).await;
        let again = NewEvent {
            timestamp_ms: event.timestamp_ms,
            payload: event.payload.clone(),
            metadata: event.metadata.clone(),
            branch: None,
            client_token: "again".to_owned(),
        };
        world
            .log()
            .create(&world.conversation, &again)
            .await
            .unwrap();
    };
    let (loaded, ()) = run(&world.clock, futures_util::future::join(load, repair)).unwrap();
    assert_eq!(texts(&loaded.unwrap().messages), ["a"]);
}

#[test]
fn a_young_turn_over_two_pages_is_read() {
    let world = World::new();
    let messages: Vec<_> = (0..150).map(|i| user(&i.to_string())).collect();
    world.say(&messages);
    let (loaded, made, _) = world.observe(|| world.all());
    assert_eq!(loaded.messages.len(), 150);
    assert_eq!(made[&Call::Page], 2);
}

#[test]
fn expired_turns_are_reported() {
    let world = World::new();
    world.say(&[user("a"), user("b")]);
    world.clock.advance(Duration::from_hours(5 * 24));
    world.say(&[user("c")]);
    world.clock.advance(Duration::from_hours(3 * 24));
    let loaded = world.all();
    assert_eq!(texts(&loaded.messages), ["c"]);
    assert_eq!((loaded.report.stored, loaded.report.expired), (3, 2));
    assert_eq!(loaded.report.evicted, 0);
    assert_eq!(loaded.context.stored_message_count, 3);
    world.say(&[user("d")]);
    assert_eq!(texts(&world.all().messages), ["c", "d"]);
}

#[test]
fn a_turn_that_expired_in_part_is_expired_as_a_whole() {
    let world = World::new();
    world.say(&[user("a"), user("b")]);
    world
        .clock
        .advance(Duration::from_hours(7 * 24) - Duration::from_mins(5));
    delete(&world, &stored(&world)[0]);
    let loaded = world.all();
    assert_eq!((loaded.messages.len(), loaded.report.expired), (0, 2));
}

// Other software.

#[test]
fn a_session_without_a_head_is_read_in_order() {
    let world = World::new();
    let number = |n: &str| BTreeMap::from([("seq".to_owned(), n.to_owned())]);
    foreign_with(&world, -10, prose("c"), None, number("10"));
    foreign_with(&world, -10, prose("b"), None, number("9"));
    foreign(&world, -10, prose("d"), None);
    let root = foreign(&world, -20, prose("a"), None);
    foreign(&world, -5, prose("elsewhere"), Some(("side", &root)));
    let loaded = world.all();
    assert_eq!(texts(&loaded.messages), ["a", "b", "c", "d"]);
    assert_eq!((loaded.report.foreign, loaded.report.skipped), (4, 1));
    assert_eq!(loaded.context.stored_message_count, 4);
}

#[test]
fn a_long_foreign_session_is_read_no_further_than_asked() {
    let world = World::new();
    for i in 0..250 {
        foreign(&world, i - 1000, prose(&i.to_string()), None);
    }
    let request = window(&world, Window::Messages(5));
    let (loaded, made, _) = world.observe(|| world.load(request).unwrap());
    assert_eq!(texts(&loaded.messages), ["245", "246", "247", "248", "249"]);
    assert_eq!(made[&Call::Page], 1);
    assert_eq!(loaded.head, None, "not all was read");
    let (loaded, made, _) = world.observe(|| world.all());
    assert_eq!((loaded.messages.len(), made[&Call::Page]), (250, 3));
    assert!(loaded.head.is_some());
}

#[test]
fn camunda_turns_on_branches_are_read_along_their_roots() {
    let world = World::new();
    let one = foreign(&world, -50, prose("1"), None);
    let two = foreign(&world, -40, prose("2"), Some(("t2", &one)));
    foreign(&world, -35, prose("failed"), Some(("x", &two)));
    // Written by a process whose clock is behind.
    foreign(&world, -60, prose("3"), Some(("t3", &two)));
    let loaded = world.load(on_branch(&world, "t3")).unwrap();
    assert_eq!(texts(&loaded.messages), ["1", "2", "3"]);
    let request = crate::store::StoreRequest {
        branch: Some("t3".to_owned()),
        ..append(&world, &[user("4")])
    };
    world.store(request.clone()).unwrap();
    world.store(request).unwrap();
    let loaded = world.load(on_branch(&world, "t3")).unwrap();
    assert_eq!(texts(&loaded.messages), ["1", "2", "3", "4", "4"]);
    assert_eq!(texts(&world.all().messages), ["1"]);
}

#[test]
fn adopted_events_that_expired_are_counted() {
    let world = World::new();
    foreign(&world, -20, prose("a"), None);
    world.clock.advance(Duration::from_hours(5 * 24));
    foreign(&world, 5 * 24 * 3_600_000 - 10, prose("b"), None);
    world.say(&[user("c")]);
    world.clock.advance(Duration::from_hours(3 * 24));
    let loaded = world.all();
    assert_eq!(texts(&loaded.messages), ["b", "c"]);
    assert_eq!((loaded.report.stored, loaded.report.expired), (3, 1));
}

#[test]
fn what_cannot_be_read_is_noted_or_refused() {
    let world = World::new();
    foreign(
        &world,
        -20,
        Payload::Blob(serde_json::json!({"x": 1})),
        None,
    );
    foreign(&world, -10, prose("a"), None);
    let loaded = world.all();
    assert_eq!(texts(&loaded.messages), ["a"]);
    assert_eq!(loaded.report.notes.values().sum::<u64>(), 1);
    let strict = LoadRequest {
        mode: Mode::Strict,
        ..everything(&world)
    };
    let error = world.load(strict).unwrap_err();
    assert!(matches!(
        error,
        Error::Invalid {
            reason: InvalidReason::Event(_),
            ..
        }
    ));
}

// Branches.

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

// Errors: never an empty conversation.

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
