//! What a function does while Lambda starts it is not left to its first call.

// A failed expectation is how a test speaks; that also goes for its helpers.
#![allow(clippy::indexing_slicing)]

use emulator::Options;
use serde_json::json;
use tests::World;
use tests::lambda::{Deployment, Relay, Trigger, Wanted, user};

#[tokio::test(flavor = "multi_thread")]
async fn the_first_call_needs_no_new_connection() {
    let world = World::with(Options::default()).await;
    let events = Relay::start(&world.events.url()).await;
    let context = Relay::start(&world.context.url()).await;
    for function in ["load", "store"] {
        let (events_url, context_url) = (events.url(), context.url());
        let variables = [
            ("AWS_ENDPOINT_URL_BEDROCK_AGENTCORE", events_url.as_str()),
            ("AWS_ENDPOINT_URL_DYNAMODB", context_url.as_str()),
        ];
        let process = Deployment::function(function, &world, &variables).await;
        let warm = (events.connections(), context.connections());
        assert!(
            warm.0 > 0 && warm.1 > 0,
            "nothing was connected while {function} started"
        );
        let wanted = match function {
            "load" => Wanted::load("alice", "s", json!({})),
            _ => Wanted::store("alice", "s", json!({"messages": [user("hello")]})),
        };
        let body = process.invoke(wanted.by(Trigger::Direct)).await.body();
        assert_eq!(body["context"]["actorId"], "alice");
        assert_eq!(
            (events.connections(), context.connections()),
            warm,
            "{function}"
        );
    }
}
