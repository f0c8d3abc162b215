//! Conversations of other software.

use codec::{Payload, Role};

use super::{asked, request};
use crate::memory::run;
use crate::ports::{EventWriter, NewEvent};
use crate::testing::{Call, Fault, START_MS, World, user};
use crate::turn::TurnId;

/// A session in which other software said so many things.
fn foreign(messages: i64) -> World {
    let world = World::new();
    for number in 0..messages {
        let event = NewEvent {
            timestamp_ms: START_MS - 1000 + number,
            payload: vec![Payload::Conversational {
                role: Role::User,
                text: format!("said {number}"),
            }],
            metadata: [].into(),
            branch: None,
            client_token: format!("token {number}"),
        };
        let created = world.log().create(&world.conversation, &event);
        run(&world.clock, created).unwrap().unwrap();
    }
    world
}

#[test]
fn a_session_without_a_head_gets_one_for_its_summary() {
    let world = foreign(20);
    let answer = world.summarize(request(&world)).unwrap();
    let record = answer.context.summary.clone().unwrap();
    assert_eq!((answer.summarized, record.last_seq), (6, 5));
    let root = TurnId::adopted(&world.conversation, 20, START_MS - 1000 + 19);
    assert_eq!(record.ends_at, root);
    assert!(asked(&world)[0].contains("said 0"));
    let loaded = world.all();
    assert_eq!((loaded.messages.len(), &loaded.head), (20, &answer.head));
    world.say(&[user("ours")]);
    let next = world.summarize(request(&world)).unwrap();
    let next = next.context.summary.unwrap();
    assert_eq!((next.last_seq, next.previous), (9, Some(record.id)));
}

#[test]
fn little_is_left_as_it_is() {
    let world = foreign(5);
    let (answer, made, _) = world.observe(|| world.summarize(request(&world)).unwrap());
    assert_eq!((answer.summarized, answer.context.summary), (0, None));
    assert_eq!(answer.context.stored_message_count, 5);
    assert!(!made.contains_key(&Call::Commit), "nothing is written");
}

#[test]
fn a_lost_answer_to_taking_over_is_no_matter() {
    let world = foreign(20);
    world.fail(Call::Commit, [Some(Fault::Lost)]);
    assert_eq!(world.summarize(request(&world)).unwrap().summarized, 6);
    assert_eq!(world.all().messages.len(), 20);
}
