//! What AgentCore Memory refuses, in the port's words.

use conversation::Conversation;
use conversation::ports::{EventLogError, EventReader as _, EventWriter as _};
use emulator::{FaultAction, FaultPlan, FaultRule, Options, Switches};
use tests::World;

use super::said;

#[tokio::test(flavor = "multi_thread")]
async fn each_refusal_of_agentcore_has_its_name() {
    let world = World::start().await;
    let here = world.conversation("refusals");
    let rows = [
        (FaultAction::Throttle, "throttled"),
        (FaultAction::Denied403, "denied"),
        (FaultAction::Quota402, "quota"),
        (FaultAction::Conflict409, "conflict"),
        (FaultAction::Error500, "unavailable"),
        (FaultAction::Error500After, "unavailable"),
        (FaultAction::LostAnswer, "unavailable"),
        (FaultAction::ResetBefore, "unavailable"),
        (FaultAction::ResetAfter, "unavailable"),
    ];
    for (action, wanted) in rows {
        world.emulator.set_faults(FaultPlan {
            seed: 0,
            rules: vec![FaultRule::always("*", action.clone())],
        });
        let log = world.event_log();
        let created = log
            .create(&here, &said("hello"))
            .await
            .expect_err("refused");
        assert_eq!(event_error(&created), wanted, "{action:?}");
        // Of all calls only CreateEvent knows this conflict.
        if action != FaultAction::Conflict409 {
            let listed = log.page(&here, None, None).await.expect_err("refused");
            assert_eq!(event_error(&listed), wanted, "{action:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_event_beyond_the_front_ends_limit_is_too_large() {
    let world = World::with(Options {
        switches: Switches {
            max_body_bytes: 10_000,
            ..Switches::default()
        },
        ..Options::default()
    })
    .await;
    let event = said(&"x".repeat(20_000));
    let refused = world
        .event_log()
        .create(&world.conversation("large"), &event)
        .await;
    assert_eq!(refused, Err(EventLogError::TooLarge));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_form_is_told_without_its_content() {
    let world = World::start().await;
    let secret = "the secret of Monkey Island";
    let here = world.conversation("form");
    let long = said(&secret.repeat(10_000));
    let mut strange = said("fine");
    strange
        .metadata
        .insert("key".to_owned(), format!("{{{secret}}}"));
    let elsewhere = Conversation {
        session: format!("{secret}!"),
        ..here.clone()
    };
    for (place, event) in [(&here, long), (&here, strange), (&elsewhere, said("fine"))] {
        let refused = world.event_log().create(place, &event).await;
        let Err(EventLogError::Invalid { detail }) = refused else {
            panic!("{refused:?}")
        };
        assert!(!detail.is_empty());
        assert!(!detail.contains("Monkey"), "{detail}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_memory_is_not_found() {
    let world = World::start().await;
    let nowhere = Conversation {
        memory: "nowhere-0123456789".to_owned(),
        ..world.conversation("any")
    };
    let log = world.event_log();
    assert_eq!(
        log.page(&nowhere, None, None).await.err(),
        Some(EventLogError::NotFound)
    );
    assert_eq!(
        log.create(&nowhere, &said("hello")).await,
        Err(EventLogError::NotFound)
    );
}

pub(crate) fn event_error(error: &EventLogError) -> &'static str {
    match error {
        EventLogError::NotFound => "not found",
        EventLogError::Throttled => "throttled",
        EventLogError::Conflict => "conflict",
        EventLogError::Unavailable { .. } => "unavailable",
        EventLogError::AccessDenied => "denied",
        EventLogError::QuotaExceeded => "quota",
        EventLogError::Invalid { .. } => "invalid",
        EventLogError::TooLarge => "too large",
    }
}
