//! What the adapters make of each way the services fail.

mod agentcore_errors;
mod dynamodb_errors;

use std::collections::BTreeMap;
use std::time::Duration;

use agentcore::EventLog;
use aws::{Connection, credentials, sdk_config};
use codec::{Payload, Role};
use conversation::ports::{
    Clock as _, ContextError, ContextReader as _, EventLogError, EventReader as _,
    EventWriter as _, NewEvent,
};
use dynamodb::ContextTable;
use emulator::{FaultAction, FaultPlan, FaultRule};
use serde_json::json;
use system::SystemClock;
use tests::{Fault, World};

use agentcore_errors::event_error;

#[tokio::test(flavor = "multi_thread")]
async fn each_call_is_sent_once() {
    let world = World::start().await;
    let here = world.conversation("once");
    world.emulator.set_faults(FaultPlan {
        seed: 0,
        rules: vec![FaultRule::always("*", FaultAction::Throttle)],
    });
    world
        .event_log()
        .create(&here, &said("hello"))
        .await
        .expect_err("refused");
    assert_eq!(world.emulator.calls().count("CreateEvent"), 1);
    let throttled = dynamo_error(400, "ThrottlingException");
    world
        .context
        .fail_each((0..10).map(|index| (index, throttled.clone())));
    let refused = world.context_table().items(&here).await;
    assert_eq!(refused, Err(ContextError::Throttled));
    assert_eq!(world.context.operations(), ["Query"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_ends_with_the_attempts_time() {
    let world = World::start().await;
    let here = world.conversation("silence");
    world.emulator.set_faults(FaultPlan {
        seed: 0,
        rules: vec![FaultRule::always("*", FaultAction::NoAnswerMs(5_000))],
    });
    let hurried = |endpoint: String| {
        sdk_config(&Connection {
            endpoint: Some(endpoint),
            attempt_timeout: Duration::from_millis(150),
            ..Connection::new("us-east-1", credentials("id", "secret", None))
        })
    };
    let timed_out = |detail: &str| assert_eq!(detail, "timed out");
    let log = EventLog::new(&hurried(world.emulator.url()));
    match log.create(&here, &said("hello")).await {
        Err(EventLogError::Unavailable { detail }) => timed_out(&detail),
        other => panic!("{other:?}"),
    }
    world.context.delay(Duration::from_secs(5));
    let table = ContextTable::new(&hurried(world.context.url()), "context");
    match table.items(&here).await {
        Err(ContextError::Unavailable { detail }) => timed_out(&detail),
        other => panic!("{other:?}"),
    }
    // Nobody listens on a port that was just given back.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("bound");
    drop(listener);
    let log = EventLog::new(&hurried(format!("http://{address}")));
    let refused = log.page(&here, None, None).await.err();
    assert_eq!(refused.as_ref().map(event_error), Some("unavailable"));
}

fn said(text: &str) -> NewEvent {
    NewEvent {
        timestamp_ms: SystemClock::new().now_ms(),
        payload: vec![Payload::Conversational {
            role: Role::User,
            text: text.to_owned(),
        }],
        metadata: BTreeMap::new(),
        branch: None,
        client_token: format!("{}", text.len()),
    }
}

fn dynamo_error(status: u16, name: &str) -> Fault {
    let kind = format!("com.amazonaws.dynamodb.v20120810#{name}");
    Fault::Answer {
        status,
        body: json!({"__type": kind, "message": "no"}).to_string(),
    }
}
