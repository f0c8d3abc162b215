//! A conversation that was damaged where it is kept is never given out as whole, and never continued.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_sdk_dynamodb::primitives::Blob;
use aws_sdk_dynamodb::types::AttributeValue;
use conversation::ports::EventReader as _;
use emulator::Options;
use serde_json::json;
use tests::World;
use tests::lambda::{Deployment, Trigger, Wanted, fails, texts, turn, user};

/// A deployment in which a turn of two messages is stored in each of the sessions.
async fn stored(sessions: &[&str]) -> Deployment {
    let deployment = Deployment::with(Options::default(), &[("INTEGRITY", "enforce")]).await;
    for session in sessions {
        let wanted = Wanted::store("alice", session, turn("1", "2"));
        assert_eq!(
            deployment.ask(Trigger::Direct, &wanted).await.body()["stored"],
            2
        );
    }
    deployment
}

/// The first event of a session.
async fn event(world: &World, session: &str) -> String {
    let here = world.conversation(session);
    world.settle().await;
    let page = world.event_log().page(&here, None, None).await.unwrap();
    page.events[0].id.0.clone()
}

/// The head of a session gets another value in one of its attributes.
async fn overwrite(deployment: &Deployment, session: &str, attribute: &str, value: AttributeValue) {
    let head = format!("{session}#h#");
    let items = deployment.world.items();
    let changed = items.overwrite(&head, attribute, value).await;
    assert_eq!(changed, 1, "{session} has one head");
}

/// What was not touched is still there.
async fn others_are_whole(deployment: &Deployment) {
    for trigger in Trigger::ALL {
        let wanted = Wanted::load("alice", "whole", json!({}));
        let loaded = deployment.ask(trigger, &wanted).await.success(trigger);
        assert_eq!(texts(&loaded), ["1", "2"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_was_altered() {
    let deployment = stored(&["altered", "whole"]).await;
    let here = deployment.world.conversation("altered");
    let id = event(&deployment.world, "altered").await;
    let other = json!([{"conversational": {"content": {"text": "forged"}, "role": "USER"}}]);
    assert!(deployment.world.emulator.tamper_event(
        &here.memory,
        &here.actor,
        "altered",
        &id,
        &other
    ));
    let load = Wanted::load("alice", "altered", json!({}));
    fails(&deployment, &load, (500, "event_altered", "Integrity")).await;
    others_are_whole(&deployment).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_is_missing() {
    let deployment = stored(&["missing", "whole"]).await;
    let here = deployment.world.conversation("missing");
    let id = event(&deployment.world, "missing").await;
    assert!(
        deployment
            .world
            .emulator
            .drop_event(&here.memory, &here.actor, "missing", &id)
    );
    // So soon after its commit it may just not be visible yet, so the caller is to come back.
    let load = Wanted::load("alice", "missing", json!({}));
    fails(&deployment, &load, (503, "unavailable", "Unavailable")).await;
    // An hour later there is no such hope.
    let earlier = SystemTime::now() - Duration::from_hours(1);
    let earlier = earlier.duration_since(UNIX_EPOCH).unwrap();
    let earlier = AttributeValue::N(earlier.as_millis().to_string());
    overwrite(&deployment, "missing", "l", earlier).await;
    fails(&deployment, &load, (500, "event_missing", "Integrity")).await;
    others_are_whole(&deployment).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_count_that_does_not_fit_the_events() {
    let deployment = stored(&["counted", "whole"]).await;
    overwrite(&deployment, "counted", "c", AttributeValue::N("0".into())).await;
    let load = Wanted::load("alice", "counted", json!({}));
    fails(&deployment, &load, (500, "sequence_broken", "Integrity")).await;
    others_are_whole(&deployment).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_context_nobody_can_read() {
    let deployment = stored(&["text", "short", "gone", "whole"]).await;
    let damages = [
        ("text", "c", AttributeValue::S("two".to_owned())),
        ("short", "t", AttributeValue::B(Blob::new(*b"half"))),
        ("gone", "f", AttributeValue::Null(true)),
    ];
    for (session, attribute, value) in damages {
        overwrite(&deployment, session, attribute, value).await;
        let failure = (500, "context_corrupt", "Integrity");
        let load = Wanted::load("alice", session, json!({}));
        fails(&deployment, &load, failure).await;
        let store = Wanted::store("alice", session, json!({"messages": [user("3")]}));
        fails(&deployment, &store, failure).await;
    }
    others_are_whole(&deployment).await;
}
