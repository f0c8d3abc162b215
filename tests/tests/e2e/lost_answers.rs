//! Answers that never arrive, at every call there is.

use std::time::Duration;

use conversation::{
    Conversation, Error, Layout, LoadRequest, Settings, StoreRequest, Stored, load, store,
};
use emulator::{Options, Switches, TokenRepeat, TokenScope};
use tests::messages::{turn, whole_turns};
use tests::{Fault, Proxy, TestPorts, World};

const PATIENCE: Duration = Duration::from_secs(20);

/// How a store knows what it follows and whether it was done before.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Token,
    Key,
    TokenAndKey,
    Neither,
}

const WAYS: [Way; 4] = [Way::Token, Way::Key, Way::TokenAndKey, Way::Neither];

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_at_any_call_neither_loses_nor_doubles_the_turn() {
    for way in WAYS {
        for layout in [Layout::Message, Layout::Turn] {
            each_call(way, layout, &Fault::LoseAnswer, Switches::default()).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_does_not_matter_what_the_service_makes_of_a_repeated_token() {
    let readings = [
        Switches {
            token_scope: TokenScope::Ignored,
            ..Switches::default()
        },
        Switches {
            token_repeat: TokenRepeat::FreshId,
            ..Switches::default()
        },
    ];
    for switches in readings {
        for way in [Way::Token, Way::Key] {
            each_call(way, Layout::Message, &Fault::LoseAnswer, switches.clone()).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_connection_at_any_call_neither_loses_nor_doubles_the_turn() {
    for way in WAYS {
        each_call(way, Layout::Message, &Fault::Refuse, Switches::default()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_error_at_any_call_neither_loses_nor_doubles_the_turn() {
    let fault = Fault::Answer {
        status: 500,
        body: r#"{"__type":"InternalServerError","message":"try again"}"#.to_owned(),
    };
    for way in WAYS {
        each_call(way, Layout::Message, &fault, Switches::default()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_lost_answers_in_one_store_neither_lose_nor_double_the_turn() {
    let world = World::start().await;
    let ports = world.ports();
    let mut number = 0;
    for way in WAYS {
        for (events, context) in [(0, 0), (1, 0), (2, 1), (0, 1), (1, 1)] {
            number += 1;
            let here = world.conversation(&format!("two-{number}"));
            let request = prepared(&ports, &here, way).await;
            world.events.fail(events, Fault::LoseAnswer);
            world.context.fail(context, Fault::LoseAnswer);
            let stored = persistently(&ports, Settings::default(), request.clone(), way).await;
            // With a token the context may be called but once, so the second call may not be there.
            let struck = [take_struck(&world.events), take_struck(&world.context)];
            assert!(struck.contains(&true), "{way:?}");
            is_there_once(&ports, Settings::default(), request, &stored, way).await;
        }
        // A commit and both of the reads that should settle it.
        number += 1;
        let here = world.conversation(&format!("two-{number}"));
        let request = prepared(&ports, &here, way).await;
        let lost = (0..3).map(|index| (index, Fault::LoseAnswer));
        world.context.fail_each(lost);
        let stored = persistently(&ports, Settings::default(), request.clone(), way).await;
        assert!(take_struck(&world.context), "{way:?}");
        is_there_once(&ports, Settings::default(), request, &stored, way).await;
    }
}

/// Runs a store for each call it makes, with that call going wrong.
async fn each_call(way: Way, layout: Layout, fault: &Fault, switches: Switches) {
    let world = World::with(Options {
        switches,
        ..Options::default()
    })
    .await;
    let ports = world.ports();
    let settings = Settings {
        layout,
        ..Settings::default()
    };
    for proxy in [&world.events, &world.context] {
        let mut index = 0;
        loop {
            let name = format!(
                "lost-{index}-{}",
                std::ptr::eq(proxy, &raw const world.events)
            );
            let here = world.conversation(&name);
            let request = prepared(&ports, &here, way).await;
            proxy.fail(index, fault.clone());
            let stored = persistently(&ports, settings, request.clone(), way).await;
            let struck = take_struck(proxy);
            is_there_once(&ports, settings, request, &stored, way).await;
            if !struck {
                break;
            }
            index += 1;
        }
        // Not a single call to strike would prove nothing.
        assert!(index > 0, "{way:?} {layout:?}");
    }
}

/// Whether the plan found a call to strike; it ends here. When it did not, each call has had its turn.
fn take_struck(proxy: &Proxy) -> bool {
    let struck = proxy.faults_left() == 0;
    proxy.fail_each([]);
    struck
}

/// A conversation of one turn, and the request for the next.
async fn prepared(ports: &TestPorts, here: &Conversation, way: Way) -> StoreRequest {
    let first = StoreRequest::append(here.clone(), turn("first", 2), PATIENCE);
    let first = store(ports, &Settings::default(), first)
        .await
        .expect("stored");
    let (token, key) = match way {
        Way::Token => (true, false),
        Way::Key => (false, true),
        Way::TokenAndKey => (true, true),
        Way::Neither => (false, false),
    };
    StoreRequest {
        head: token.then_some(first.head),
        key: key.then(|| "key".to_owned()),
        ..StoreRequest::append(here.clone(), turn("second", 3), PATIENCE)
    }
}

/// The turn is there once, is recognised when it comes again, and can be built upon.
async fn is_there_once(
    ports: &TestPorts,
    settings: Settings,
    request: StoreRequest,
    stored: &Stored,
    way: Way,
) {
    let here = request.conversation.clone();
    assert_eq!(stored.stored, 3);
    assert_eq!(stored.context.stored_message_count, 5);
    assert_eq!(turns(ports, &here).await, ["first", "second"], "{way:?}");
    if way != Way::Neither {
        // The caller, too, may have missed the answer and ask again.
        let again = store(ports, &settings, request).await.expect("replayed");
        assert!(again.replayed, "{way:?}");
        assert_eq!(again.head, stored.head, "{way:?}");
    }
    let next = StoreRequest {
        head: Some(stored.head.clone()),
        ..StoreRequest::append(here.clone(), turn("third", 1), PATIENCE)
    };
    store(ports, &settings, next).await.expect("stored");
    assert_eq!(
        turns(ports, &here).await,
        ["first", "second", "third"],
        "{way:?}"
    );
}

/// Stores as a careful caller does, who asks again where that is safe.
async fn persistently(
    ports: &TestPorts,
    settings: Settings,
    request: StoreRequest,
    way: Way,
) -> Stored {
    for _ in 0..5 {
        match store(ports, &settings, request.clone()).await {
            Ok(stored) => return stored,
            // Only a caller that can be recognised may ask again.
            Err(Error::Unavailable(_) | Error::Throttled(_)) if way != Way::Neither => {}
            Err(error) => panic!("{way:?}: {error}"),
        }
    }
    panic!("{way:?}: never stored")
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
    whole_turns(&loaded.messages)
}
