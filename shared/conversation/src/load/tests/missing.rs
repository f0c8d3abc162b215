//! Events that are not there.

use std::time::Duration;

use super::{delete, sliding, stored, texts, window};
use crate::error::{Cause, Error, IntegrityKind};
use crate::memory::run;
use crate::ports::{EventWriter, NewEvent};
use crate::testing::{Call, World, everything, user};

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
    let newest = world.load(window(&world, &[sliding(1)])).unwrap();
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
    let load = crate::load::load(&world.ports, &world.settings, everything(&world));
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
