//! What each operation costs: its calls, and how many of them wait for another.

use std::time::Duration;

use conversation::{
    Conversation, Layout, LoadRequest, Policy, Settings, SlidingRule, StoreMode, StoreRequest,
    Stored, load, store,
};
use emulator::{Options, Switches};
use tests::messages::{texts, turn};
use tests::{Calls, TestPorts, World};

const PATIENCE: Duration = Duration::from_hours(1);

#[tokio::test(flavor = "multi_thread")]
async fn a_window_within_the_newest_events_is_one_round_trip() {
    let (world, ports, here) = talk_of(20).await;
    let loaded = load(&ports, &Settings::default(), window(&here, 10))
        .await
        .expect("loaded");
    assert_eq!(loaded.messages.len(), 10);
    assert_eq!(world.take_calls(), cost(&["ListEvents"], &["Query"], 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_of_ten_thousand_messages_is_one_round_trip() {
    let (world, ports, here) = talk_of(10_000).await;
    let loaded = load(&ports, &Settings::default(), window(&here, 40))
        .await
        .expect("loaded");
    assert_eq!(loaded.messages.len(), 40);
    assert_eq!(
        (loaded.report.stored, loaded.report.evicted),
        (10_000, 9_960)
    );
    assert_eq!(world.take_calls(), cost(&["ListEvents"], &["Query"], 1));
    let windows = [
        vec![Policy::Turns { count: 5 }],
        vec![Policy::Tokens { budget: 100 }],
        vec![Policy::None, Policy::Turns { count: 1 }],
        vec![Policy::Sliding {
            size: 40,
            rule: SlidingRule::Camunda { system: false },
        }],
    ];
    for window in windows {
        let request = LoadRequest {
            window,
            ..LoadRequest::all(here.clone(), PATIENCE)
        };
        let window = request.window.clone();
        let loaded = load(&ports, &Settings::default(), request)
            .await
            .expect("loaded");
        assert!((1..=60).contains(&loaded.messages.len()), "{window:?}");
        let calls = world.take_calls();
        assert_eq!(calls, cost(&["ListEvents"], &["Query"], 1), "{window:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_load_of_all_messages_reads_each_page_once() {
    let (world, ports, here) = talk_of(250).await;
    let all = LoadRequest::all(here, PATIENCE);
    let loaded = load(&ports, &Settings::default(), all)
        .await
        .expect("loaded");
    assert_eq!(loaded.messages.len(), 250);
    assert_eq!(world.take_calls(), cost(&["ListEvents"; 3], &["Query"], 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_with_a_head_token_reads_nothing() {
    let (world, ports, here) = talk_of(2).await;
    let mut head = head_of(&ports, &here).await;
    world.take_calls();
    for size in 1..=5 {
        let request = StoreRequest {
            head: Some(head),
            ..append(&here, &format!("turn-{size}"), size)
        };
        head = stored(&ports, &Settings::default(), request).await.head;
        let events = vec!["CreateEvent"; size];
        assert_eq!(
            world.take_calls(),
            cost(&events, &["UpdateItem"], 2),
            "{size} messages"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_in_turn_layout_is_one_event() {
    let (world, ports, here) = talk_of(2).await;
    let settings = Settings {
        layout: Layout::Turn,
        ..Settings::default()
    };
    let request = StoreRequest {
        head: Some(head_of(&ports, &here).await),
        ..append(&here, "packed", 12)
    };
    world.take_calls();
    stored(&ports, &settings, request).await;
    assert_eq!(
        world.take_calls(),
        cost(&["CreateEvent"], &["UpdateItem"], 2)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_token_a_store_reads_the_head_once() {
    let (world, ports, here) = talk_of(2).await;
    stored(&ports, &Settings::default(), append(&here, "turn", 3)).await;
    assert_eq!(
        world.take_calls(),
        cost(&["CreateEvent"; 3], &["GetItem", "UpdateItem"], 3)
    );
    let request = StoreRequest {
        key: Some("key".to_owned()),
        ..append(&here, "keyed", 3)
    };
    stored(&ports, &Settings::default(), request).await;
    let with_key = cost(
        &["CreateEvent"; 3],
        &["BatchGetItem", "TransactWriteItems"],
        3,
    );
    assert_eq!(world.take_calls(), with_key);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idempotency_key_makes_the_update_a_transaction() {
    let (world, ports, here) = talk_of(2).await;
    let request = StoreRequest {
        head: Some(head_of(&ports, &here).await),
        key: Some("key".to_owned()),
        ..append(&here, "keyed", 4)
    };
    world.take_calls();
    stored(&ports, &Settings::default(), request).await;
    assert_eq!(
        world.take_calls(),
        cost(&["CreateEvent"; 4], &["TransactWriteItems"], 2)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_that_the_key_shows_writes_nothing() {
    let (world, ports, here) = talk_of(2).await;
    let request = StoreRequest {
        key: Some("key".to_owned()),
        ..append(&here, "keyed", 3)
    };
    let first = stored(&ports, &Settings::default(), request.clone()).await;
    world.take_calls();
    let again = stored(&ports, &Settings::default(), request).await;
    assert_eq!(world.take_calls(), cost(&[], &["BatchGetItem"], 1));
    assert_eq!(
        again,
        Stored {
            replayed: true,
            ..first
        }
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sync_that_brings_nothing_new_writes_nothing() {
    let (world, ports, here) = talk_of(6).await;
    let all = LoadRequest::all(here.clone(), PATIENCE);
    let loaded = load(&ports, &Settings::default(), all)
        .await
        .expect("loaded");
    world.take_calls();
    let request = StoreRequest {
        mode: StoreMode::Sync,
        ..StoreRequest::append(here, loaded.messages, PATIENCE)
    };
    assert_eq!(
        stored(&ports, &Settings::default(), request).await.stored,
        0
    );
    assert_eq!(world.take_calls(), cost(&[], &["GetItem"], 1));
}

/// A conversation of `count` messages and the services that hold it. Its newest 100 events are a message
/// each, in turns of ten; what is older is packed.
async fn talk_of(count: usize) -> (World, TestPorts, Conversation) {
    // These are the calls of a service that shows what was written and takes writes side by side; each look again
    // and each repetition would count.
    let world = World::with(Options {
        switches: Switches::reported(),
        ..Options::default()
    })
    .await;
    let ports = world.hasty_ports();
    let here = world.conversation("calls");
    let mut head = None;
    for (number, (layout, size)) in turns(count).into_iter().enumerate() {
        let settings = Settings {
            layout,
            ..Settings::default()
        };
        let request = StoreRequest {
            head,
            ..append(&here, &format!("talk-{number}"), size)
        };
        head = Some(stored(&ports, &settings, request).await.head);
    }
    // From here on calls take long enough for those at the same time to overlap.
    for proxy in [&world.events, &world.context] {
        proxy.delay(Duration::from_millis(100));
    }
    world.take_calls();
    (world, ports, here)
}

fn turns(count: usize) -> Vec<(Layout, usize)> {
    let packed = if count > 1_000 { count - 100 } else { 0 };
    let mut turns = vec![(Layout::Turn, 450); packed / 450];
    let mut rest = count - turns.len() * 450;
    while rest > 0 {
        turns.push((Layout::Message, rest.min(10)));
        rest -= rest.min(10);
    }
    turns
}

fn append(conversation: &Conversation, name: &str, size: usize) -> StoreRequest {
    StoreRequest::append(conversation.clone(), turn(name, size), PATIENCE)
}

fn window(conversation: &Conversation, most: usize) -> LoadRequest {
    LoadRequest {
        window: vec![Policy::Sliding {
            size: most,
            rule: SlidingRule::Strands,
        }],
        ..LoadRequest::all(conversation.clone(), PATIENCE)
    }
}

async fn stored(ports: &TestPorts, settings: &Settings, request: StoreRequest) -> Stored {
    store(ports, settings, request).await.expect("stored")
}

async fn head_of(ports: &TestPorts, here: &Conversation) -> String {
    let loaded = load(ports, &Settings::default(), window(here, 2))
        .await
        .expect("loaded");
    assert_eq!(texts(&loaded.messages).len(), 2);
    loaded.head.expect("a head")
}

fn cost(events: &[&str], context: &[&str], round_trips: usize) -> Calls {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Calls {
        events: names(events),
        context: names(context),
        round_trips,
    }
}
