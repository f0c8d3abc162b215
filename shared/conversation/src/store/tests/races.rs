//! Writers that meet.

use std::time::Duration;

use super::{calls, conflict, state, texts, with_head};
use crate::error::{Cause, ConflictKind, Error};
use crate::store::StoreRequest;
use crate::testing::{Call, World, append, user};

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
        crate::store::store(&world.ports, &world.settings, append(&world, &messages))
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
        crate::store::store(
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
        deadline: Duration::from_mins(5),
        ..append(&world, &slow)
    };
    let slow = crate::store::store(&world.ports, &world.settings, request);
    let quick = async {
        for turn in 0..400 {
            let request = append(&world, &[user(&format!("quick {turn}"))]);
            crate::store::store(&world.ports, &world.settings, request)
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
