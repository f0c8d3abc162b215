//! The rules of a store, one test each.

use super::{StoreMode, StoreRequest};
use crate::error::{Cause, ConflictKind, Error, InvalidReason, Service};
use crate::memory::ClientTokens;
use crate::ports::{ContextReader, EventWriter, NewEvent, StateWrite, SystemWrite};
use crate::settings::Layout;
use crate::testing::{
    Call, Fault, START_MS, World, append, assistant, everything, system, text, user,
};
use codec::model::{Message, Object};
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;

fn texts(messages: &[Message]) -> Vec<&str> {
    messages.iter().map(text).collect()
}

fn with_head(request: StoreRequest, head: &str) -> StoreRequest {
    StoreRequest {
        head: Some(head.to_owned()),
        ..request
    }
}

fn with_key(request: StoreRequest, key: &str) -> StoreRequest {
    StoreRequest {
        key: Some(key.to_owned()),
        ..request
    }
}

fn state(value: i32, expected_version: Option<u64>) -> StateWrite {
    StateWrite {
        agent: "planner".to_owned(),
        value: Object::from_iter([("n".to_owned(), json!(value))]),
        expected_version,
    }
}

fn calls(expected: &[(Call, u32)]) -> HashMap<Call, u32> {
    expected.iter().copied().collect()
}

fn conflict(error: Error) -> ConflictKind {
    match error {
        Error::Conflict { kind, .. } => kind,
        other => panic!("{other:?}"),
    }
}

// The call table.

#[test]
fn with_a_token_a_store_is_its_events_and_one_commit() {
    let world = World::new();
    let head = world.say(&[user("first")]).head;
    let messages: Vec<_> = (0..5).map(|i| user(&i.to_string())).collect();
    let request = with_head(append(&world, &messages), &head);
    let (stored, made, ticks) = world.observe(|| world.store(request).unwrap());
    assert_eq!(made, calls(&[(Call::Create, 5), (Call::Commit, 1)]));
    assert_eq!(ticks, 2);
    assert_eq!((stored.stored, stored.replayed), (5, false));
    assert_eq!(stored.context, world.answer_context(6));
}

#[test]
fn turn_layout_writes_one_event() {
    let mut world = World::new();
    let head = world.say(&[user("first")]).head;
    world.settings.layout = Layout::Turn;
    let messages: Vec<_> = (0..40).map(|i| user(&i.to_string())).collect();
    let request = with_head(append(&world, &messages), &head);
    let (_, made, ticks) = world.observe(|| world.store(request).unwrap());
    assert_eq!(made, calls(&[(Call::Create, 1), (Call::Commit, 1)]));
    assert_eq!(ticks, 2);
    assert_eq!(world.all().messages.len(), 41);
}

#[test]
fn without_a_token_there_is_one_read_more() {
    let world = World::new();
    world.say(&[user("first")]);
    let (_, made, ticks) = world.observe(|| world.say(&[user("second")]));
    assert_eq!(
        made,
        calls(&[(Call::Head, 1), (Call::Create, 1), (Call::Commit, 1)])
    );
    assert_eq!(ticks, 3);
}

#[test]
fn an_idempotency_key_costs_no_call() {
    let world = World::new();
    let head = world.say(&[user("first")]).head;
    let request = with_key(with_head(append(&world, &[user("second")]), &head), "k");
    let (_, made, ticks) = world.observe(|| world.store(request).unwrap());
    assert_eq!(made, calls(&[(Call::Create, 1), (Call::Commit, 1)]));
    assert_eq!(ticks, 2);
}

#[test]
fn a_replay_the_key_shows_writes_nothing() {
    let world = World::new();
    let request = with_key(append(&world, &[user("a")]), "k");
    let first = world.store(request.clone()).unwrap();
    let (second, made, ticks) = world.observe(|| world.store(request).unwrap());
    assert_eq!(made, calls(&[(Call::Head, 1)]));
    assert_eq!(ticks, 1);
    assert!(second.replayed);
    assert_eq!((second.head, second.stored), (first.head, first.stored));
    assert_eq!(second.context.stored_message_count, 1);
}

#[test]
fn a_replay_with_a_token_is_found_by_the_commit() {
    for tokens in [ClientTokens::Honoured, ClientTokens::Ignored] {
        let world = World::with(tokens);
        let head = world.say(&[user("a")]).head;
        let request = with_head(append(&world, &[user("b")]), &head);
        let first = world.store(request.clone()).unwrap();
        let (second, made, ticks) = world.observe(|| world.store(request).unwrap());
        assert_eq!(made, calls(&[(Call::Create, 1), (Call::Commit, 1)]));
        assert_eq!(ticks, 2);
        assert!(second.replayed);
        assert_eq!(second.head, first.head);
        let loaded = world.all();
        assert_eq!(texts(&loaded.messages), ["a", "b"]);
        assert_eq!(loaded.report.duplicates, 1);
    }
}

// Where a turn begins.

#[test]
fn the_first_store_lists_the_session_once() {
    let world = World::new();
    let (_, made, _) = world.observe(|| world.say(&[user("a")]));
    assert_eq!(
        made,
        calls(&[
            (Call::Head, 1),
            (Call::Page, 1),
            (Call::Create, 1),
            (Call::Commit, 1)
        ])
    );
}

#[test]
fn a_genesis_token_saves_even_that() {
    let world = World::new();
    let head = world.all().head.unwrap();
    let request = with_head(append(&world, &[user("a")]), &head);
    let (_, made, ticks) = world.observe(|| world.store(request).unwrap());
    assert_eq!(made, calls(&[(Call::Create, 1), (Call::Commit, 1)]));
    assert_eq!(ticks, 2);
}

#[test]
fn timestamps_rise_strictly_whatever_the_clock_says() {
    let mut world = World::new();
    world.say(&[user("a"), user("b")]);
    world.ports.clock = world.clock.skewed_by(-300_000);
    world.say(&[user("c")]);
    let events = world.log().events(&world.conversation);
    let times: Vec<_> = events.iter().map(|event| event.timestamp_ms).collect();
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
    assert_eq!(texts(&world.all().messages), ["a", "b", "c"]);
}

#[test]
fn nothing_new_writes_nothing() {
    let world = World::new();
    let first = world.say(&[user("a")]);
    let request = with_head(append(&world, &[]), &first.head);
    let (stored, made, _) = world.observe(|| world.store(request).unwrap());
    assert_eq!(made, calls(&[]));
    assert_eq!((stored.stored, stored.head), (0, first.head.clone()));
    let on_branch = StoreRequest {
        branch: Some("b".to_owned()),
        ..with_head(append(&world, &[]), &first.head)
    };
    assert_eq!(
        world.store(on_branch).unwrap().head,
        first.head,
        "no branch was made"
    );
}

// The system message and agent states.

#[test]
fn the_last_system_message_is_context_and_no_message() {
    let world = World::new();
    let messages = [
        Message::System(system("one")),
        user("a"),
        Message::System(system("two")),
    ];
    let stored = world.say(&messages);
    assert_eq!((stored.stored, stored.context.stored_message_count), (1, 1));
    assert_eq!(stored.context.system, Some(system("two")));
    let loaded = world.all();
    assert_eq!(loaded.context.system, Some(system("two")));
    assert_eq!(texts(&loaded.messages), ["a"]);
}

#[test]
fn a_system_message_is_written_only_when_it_changed() {
    let world = World::new();
    world.say(&[user("a"), Message::System(system("one"))]);
    let again = append(&world, &[Message::System(system("one"))]);
    let (_, made, _) = world.observe(|| world.store(again.clone()).unwrap());
    assert_eq!(made, calls(&[(Call::Head, 1)]));
    let removed = StoreRequest {
        system: Some(SystemWrite::Remove),
        ..again.clone()
    };
    world.store(removed).unwrap();
    assert_eq!(world.all().context.system, None);
    world.store(again).unwrap();
    assert_eq!(world.all().context.system, Some(system("one")));
}

#[test]
fn context_can_come_before_the_first_message() {
    let world = World::new();
    let first = world.say(&[Message::System(system("one"))]);
    assert_eq!((first.stored, first.context.stored_message_count), (0, 0));
    assert_eq!(world.all().context.system, Some(system("one")));
    world
        .store(with_head(append(&world, &[user("a")]), &first.head))
        .unwrap();
    assert_eq!(texts(&world.all().messages), ["a"]);
}

#[test]
fn states_are_compared_and_swapped() {
    let world = World::new();
    let write = |value, version| StoreRequest {
        states: vec![state(value, version)],
        ..append(&world, &[])
    };
    world.store(write(1, Some(0))).unwrap();
    let stored = world.store(write(2, Some(1))).unwrap();
    assert_eq!(stored.context.states["planner"].version, 2);
    let error = world.store(write(3, Some(1))).unwrap_err();
    let agent = "planner".to_owned();
    assert_eq!(conflict(error), ConflictKind::State { agent, version: 2 });
    world.store(write(4, None)).unwrap();
    let kept = &world.all().context.states["planner"];
    assert_eq!((kept.value["n"].clone(), kept.version), (json!(4), 3));
}

#[test]
fn a_refused_state_stores_no_message_and_leaves_no_event() {
    let world = World::new();
    world.say(&[user("a")]);
    let request = StoreRequest {
        states: vec![state(1, Some(9))],
        ..append(&world, &[user("b")])
    };
    let error = world.store(request).unwrap_err();
    assert!(matches!(conflict(error), ConflictKind::State { .. }));
    assert_eq!(texts(&world.all().messages), ["a"]);
    assert_eq!(world.log().events(&world.conversation).len(), 1);
}

#[test]
fn a_lost_answer_to_a_state_write_is_found_out() {
    let world = World::new();
    let write = StoreRequest {
        states: vec![state(1, Some(0))],
        ..append(&world, &[])
    };
    world.fail(Call::Commit, [Some(Fault::Lost)]);
    world.store(write).unwrap();
    assert_eq!(world.all().context.states["planner"].version, 1);
}

#[test]
fn the_context_is_renewed_once_a_day() {
    let world = World::new();
    let request = StoreRequest {
        states: vec![state(1, None)],
        ..append(&world, &[user("a"), Message::System(system("one"))])
    };
    let head = world.store(request).unwrap().head;
    world.clock.advance(Duration::from_hours(24));
    let request = with_head(append(&world, &[user("b")]), &head);
    let (stored, made, ticks) = world.observe(|| world.store(request).unwrap());
    assert_eq!(
        made,
        calls(&[(Call::Items, 1), (Call::Create, 1), (Call::Commit, 1)])
    );
    assert_eq!(ticks, 2, "the read takes no time of its own");
    let request = with_head(append(&world, &[user("c")]), &stored.head);
    let (_, made, _) = world.observe(|| world.store(request).unwrap());
    assert_eq!(made, calls(&[(Call::Create, 1), (Call::Commit, 1)]));
}

// Races.

#[test]
fn a_stale_token_is_a_conflict_that_names_the_head_and_leaves_nothing() {
    let world = World::new();
    let old = world.say(&[user("a")]).head;
    let new = world.say(&[user("b")]).head;
    let request = with_head(append(&world, &[user("c")]), &old);
    let error = world.store(request).unwrap_err();
    assert_eq!(
        error,
        Error::Conflict {
            kind: ConflictKind::HeadMoved,
            head: Some(new)
        }
    );
    assert_eq!(
        world.log().events(&world.conversation).len(),
        2,
        "the orphan is deleted"
    );
}

#[test]
fn a_forged_token_never_gets_past_the_condition() {
    use crate::token::Token;
    let world = World::new();
    let head = world.say(&[user("a")]).head;
    let mut token = Token::decode(&world.conversation, &head).unwrap();
    token.head.count = 100;
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
fn a_token_survives_a_change_of_the_context_alone() {
    let world = World::new();
    let head = world.say(&[user("a")]).head;
    let change = StoreRequest {
        states: vec![state(1, None)],
        ..append(&world, &[])
    };
    world.store(change).unwrap();
    let request = with_head(append(&world, &[user("b")]), &head);
    let (_, made, _) = world.observe(|| world.store(request).unwrap());
    assert_eq!(
        made,
        calls(&[(Call::Create, 1), (Call::Commit, 2)]),
        "the events are reused"
    );
    assert_eq!(texts(&world.all().messages), ["a", "b"]);
}

#[test]
fn without_a_token_concurrent_writers_all_append() {
    let world = World::new();
    world.say(&[user("start")]);
    let writers = (0..8).map(|writer| {
        let messages = [user(&format!("{writer}.1")), user(&format!("{writer}.2"))];
        super::store(&world.ports, &world.settings, append(&world, &messages))
    });
    let all = futures_util::future::join_all(writers);
    let results = crate::memory::run(&world.clock, all).unwrap();
    for result in results {
        assert_eq!(result.unwrap().stored, 2);
    }
    let loaded = world.all();
    let texts = texts(&loaded.messages);
    assert_eq!(texts.len(), 17);
    for pair in texts[1..].chunks(2) {
        assert_eq!(
            pair[0].strip_suffix(".1"),
            pair[1].strip_suffix(".2"),
            "{texts:?}"
        );
    }
    assert_eq!(loaded.context.stored_message_count, 17);
    assert_eq!(loaded.report.uncommitted, 0, "every orphan is deleted");
}

#[test]
fn two_callers_may_say_the_same_at_the_same_time() {
    let world = World::new();
    world.say(&[user("start")]);
    let say = || {
        super::store(
            &world.ports,
            &world.settings,
            append(&world, &[user("yes")]),
        )
    };
    let both = futures_util::future::join(say(), say());
    let (one, other) = crate::memory::run(&world.clock, both).unwrap();
    assert!(!one.unwrap().replayed && !other.unwrap().replayed);
    assert_eq!(texts(&world.all().messages), ["start", "yes", "yes"]);
}

#[test]
fn a_race_that_is_always_lost_is_given_up() {
    let world = World::new();
    world.say(&[user("start")]);
    // Six events take two waves of a second each, and meanwhile others are quicker.
    let slow: Vec<_> = (0..6).map(|i| user(&i.to_string())).collect();
    let request = StoreRequest {
        deadline: Duration::from_secs(300),
        ..append(&world, &slow)
    };
    let slow = super::store(&world.ports, &world.settings, request);
    let quick = async {
        for turn in 0..400 {
            let request = append(&world, &[user(&format!("quick {turn}"))]);
            super::store(&world.ports, &world.settings, request)
                .await
                .unwrap();
            crate::ports::Clock::sleep(&world.clock, Duration::from_millis(250)).await;
        }
    };
    let (slow, ()) =
        crate::memory::run(&world.clock, futures_util::future::join(slow, quick)).unwrap();
    assert_eq!(slow, Err(Error::Unavailable(Cause::Contended(32))));
    let loaded = world.all();
    assert_eq!(loaded.messages.len(), 401);
    assert_eq!(loaded.report.uncommitted, 0);
}

// Idempotency keys.

#[test]
fn a_key_with_another_body_is_a_conflict() {
    let world = World::new();
    world
        .store(with_key(append(&world, &[user("a")]), "k"))
        .unwrap();
    let other = with_key(append(&world, &[user("b")]), "k");
    assert_eq!(
        conflict(world.store(other.clone()).unwrap_err()),
        ConflictKind::KeyReused
    );
    let head = world.all().head.unwrap();
    let error = world.store(with_head(other, &head)).unwrap_err();
    assert_eq!(conflict(error), ConflictKind::KeyReused);
    assert_eq!(texts(&world.all().messages), ["a"]);
}

#[test]
fn a_key_is_forgotten_after_a_day() {
    let world = World::new();
    let request = with_key(append(&world, &[user("a")]), "k");
    world.store(request.clone()).unwrap();
    world.clock.advance(Duration::from_secs(24 * 60 * 60 - 1));
    assert!(world.store(request.clone()).unwrap().replayed);
    world.clock.advance(Duration::from_secs(2));
    assert!(!world.store(request).unwrap().replayed);
    assert_eq!(texts(&world.all().messages), ["a", "a"]);
}

#[test]
fn a_replay_by_key_with_a_newer_token_takes_its_events_back() {
    let world = World::new();
    world
        .store(with_key(append(&world, &[user("a")]), "k"))
        .unwrap();
    let head = world.say(&[user("b")]).head;
    let again = with_head(with_key(append(&world, &[user("a")]), "k"), &head);
    let stored = world.store(again).unwrap();
    assert!(stored.replayed);
    assert_eq!(stored.context.stored_message_count, 1, "the first answer");
    assert_eq!(world.log().events(&world.conversation).len(), 2);
}

// Unknown outcomes.

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

// Creating events.

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

// Sync mode.

#[test]
fn sync_stores_what_is_new() {
    let world = World::new();
    let sync = |messages: &[Message]| StoreRequest {
        mode: StoreMode::Sync,
        ..append(&world, messages)
    };
    let (a, b, c) = (user("a"), assistant("b"), user("c"));
    assert_eq!(
        world.store(sync(&[a.clone(), b.clone()])).unwrap().stored,
        2
    );
    let whole = [Message::System(system("s")), a.clone(), b.clone(), c];
    assert_eq!(world.store(sync(&whole)).unwrap().stored, 1);
    let (again, made, _) = world.observe(|| world.store(sync(&whole)).unwrap());
    assert_eq!((again.stored, made), (0, calls(&[(Call::Head, 1)])));
    assert_eq!(texts(&world.all().messages), ["a", "b", "c"]);

    let short = world.store(sync(&[a.clone(), b.clone()])).unwrap_err();
    assert_eq!(
        conflict(short),
        ConflictKind::PrefixTooShort {
            stored: 3,
            given: 2
        }
    );
    let other = world
        .store(sync(&[a, b, user("x"), user("y")]))
        .unwrap_err();
    assert_eq!(conflict(other), ConflictKind::PrefixMismatch { stored: 3 });
}

// Other software's events.

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

// Branches.

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

// Errors.

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
        document: json!("x".repeat(codec::limits::MAX_EVENT_BYTES)),
        metadata: Object::new(),
        extra: Object::new(),
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
    sent(&super::store(
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
