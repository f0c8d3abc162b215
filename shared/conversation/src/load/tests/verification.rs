//! Duplicates and tampering.

use super::{prose, stored, texts};
use crate::error::{Error, IntegrityKind};
use crate::memory::ClientTokens;
use crate::ports::StoredEvent;
use crate::settings::IntegrityMode;
use crate::testing::{Call, Fault, World, everything, user};

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
