//! Many writers at once, on services that keep their limits.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use conversation::{
    ConflictKind, Conversation, Error, LoadRequest, Settings, StoreRequest, Stored, load, store,
};
use emulator::{FaultAction, FaultPlan, FaultRule, Options};
use futures_util::future::join_all;
use tests::messages::{turn, whole_turns};
use tests::{TestPorts, World};

const PATIENCE: Duration = Duration::from_mins(1);

#[tokio::test(flavor = "multi_thread")]
async fn eight_writers_append_all_their_turns_in_their_own_order() {
    const WRITERS: usize = 8;
    const TURNS: usize = 6;
    let world = World::start().await;
    let here = world.conversation("writers");
    let writers = (0..WRITERS).map(|writer| {
        let ports = world.ports();
        let here = here.clone();
        tokio::spawn(async move {
            for number in 0..TURNS {
                let messages = turn(&format!("w{writer}.{number}"), 1 + number % 3);
                let request = StoreRequest::append(here.clone(), messages, PATIENCE);
                let stored = store(&ports, &Settings::default(), request)
                    .await
                    .expect("stored");
                assert!(!stored.replayed);
            }
        })
    });
    for writer in join_all(writers).await {
        writer.expect("no writer fails");
    }
    let found = turns(&world.ports(), &here).await;
    assert_eq!(found.len(), WRITERS * TURNS);
    for writer in 0..WRITERS {
        let own = found
            .iter()
            .filter(|name| name.starts_with(&format!("w{writer}.")));
        let wanted: Vec<String> = (0..TURNS)
            .map(|number| format!("w{writer}.{number}"))
            .collect();
        assert_eq!(own.cloned().collect::<Vec<_>>(), wanted);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_writers_with_the_same_head_one_wins_and_the_others_are_told() {
    let world = World::start().await;
    let here = world.conversation("same-head");
    let first = StoreRequest::append(here.clone(), turn("first", 2), PATIENCE);
    let first = store(&world.ports(), &Settings::default(), first)
        .await
        .expect("stored");
    let writers = (0..8).map(|writer| {
        let ports = world.ports();
        let request = StoreRequest {
            head: Some(first.head.clone()),
            ..StoreRequest::append(here.clone(), turn(&format!("w{writer}"), 2), PATIENCE)
        };
        async move { store(&ports, &Settings::default(), request).await }
    });
    let (mut heads, mut winners) = (BTreeSet::new(), 0);
    for outcome in join_all(writers).await {
        match outcome {
            Ok(stored) => {
                winners += 1;
                heads.insert(stored.head);
            }
            Err(Error::Conflict {
                kind: ConflictKind::HeadMoved,
                head,
            }) => {
                heads.insert(head.expect("the head there is"));
            }
            Err(error) => panic!("{error}"),
        }
    }
    // One moved it, and everybody was told the same new head.
    assert_eq!((winners, heads.len()), (1, 1));
    assert_eq!(turns(&world.ports(), &here).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idempotency_key_stores_once_however_often_it_is_used() {
    let world = World::start().await;
    let here = world.conversation("key");
    let request = StoreRequest {
        key: Some("order 66".to_owned()),
        ..StoreRequest::append(here.clone(), turn("keyed", 3), PATIENCE)
    };
    let mut answers: Vec<Stored> = Vec::new();
    for _ in 0..5 {
        let calls = (0..20).map(|_| {
            let (ports, request) = (world.ports(), request.clone());
            async move { store(&ports, &Settings::default(), request).await }
        });
        for answer in join_all(calls).await {
            answers.push(answer.expect("stored"));
        }
        // In between others write too.
        let other = StoreRequest::append(
            here.clone(),
            turn(&format!("other-{}", answers.len()), 1),
            PATIENCE,
        );
        store(&world.ports(), &Settings::default(), other)
            .await
            .expect("stored");
    }
    assert_eq!(answers.len(), 100);
    assert_eq!(answers.iter().filter(|answer| !answer.replayed).count(), 1);
    assert!(answers.iter().all(|answer| answer.stored == 3));
    let heads: BTreeSet<&str> = answers.iter().map(|answer| answer.head.as_str()).collect();
    assert_eq!(heads.len(), 1);
    let found = turns(&world.ports(), &here).await;
    assert_eq!(
        found,
        [
            "keyed",
            "other-20",
            "other-40",
            "other-60",
            "other-80",
            "other-100"
        ]
    );

    let other_body = StoreRequest {
        messages: turn("something else", 1),
        ..request
    };
    let refused = store(&world.ports(), &Settings::default(), other_body).await;
    assert!(matches!(
        refused,
        Err(Error::Conflict {
            kind: ConflictKind::KeyReused,
            ..
        })
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_turn_gets_through_a_throttle_storm() {
    let storm = FaultPlan {
        seed: 7,
        rules: vec![
            FaultRule::share("CreateEvent", 0.25, FaultAction::Throttle),
            FaultRule::share("CreateEvent", 0.05, FaultAction::Conflict409),
            FaultRule::share("CreateEvent", 0.05, FaultAction::LostAnswer),
        ],
    };
    let world = World::with(Options {
        rate_limits: true,
        faults: storm,
        ..Options::default()
    })
    .await;
    let here = world.conversation("storm");
    let request = StoreRequest::append(here.clone(), turn("long", 40), PATIENCE);
    let begun = Instant::now();
    store(&world.ports(), &Settings::default(), request)
        .await
        .expect("stored");
    // The service takes five a second, so it cannot have been quicker; and it should not be idle.
    let took = begun.elapsed();
    assert!(took >= Duration::from_secs(7), "{took:?}");
    assert!(took < Duration::from_secs(40), "{took:?}");
    world.emulator.set_faults(FaultPlan::default());
    assert_eq!(turns(&world.ports(), &here).await, ["long"]);
    // Our own pacing keeps within the limits; nearly all refusals are the storm's.
    let calls = world.emulator.calls();
    let refused = calls.log.iter().filter(|call| call.status == 429).count();
    assert!(
        refused < 40,
        "{refused} of {} calls were throttled",
        calls.log.len()
    );
}

async fn turns(ports: &TestPorts, here: &Conversation) -> Vec<String> {
    let request = LoadRequest::all(here.clone(), PATIENCE);
    let loaded = load(ports, &Settings::default(), request)
        .await
        .expect("loaded");
    assert_eq!(
        loaded.context.stored_message_count,
        loaded.messages.len() as u64
    );
    assert_eq!(loaded.report.mismatches, 0);
    whole_turns(&loaded.messages)
}
