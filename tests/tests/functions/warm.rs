//! What a function does while Lambda starts it is not left to its first call.

use std::time::Duration;

use emulator::Options;
use serde_json::json;
use tests::World;
use tests::lambda::{Authority, Deployment, Relay, Trigger, Wanted, turn, user};

/// Every connection to the services is a TLS handshake, and there are none but those made before the first call.
#[tokio::test(flavor = "multi_thread")]
async fn the_first_call_needs_no_new_handshake() {
    let world = World::with(Options::default()).await;
    let authority = Authority::beside_the_systems();
    let events = Relay::with_tls(&world.events.url(), &authority).await;
    let context = Relay::with_tls(&world.context.url(), &authority).await;
    for function in ["load", "store"] {
        let (events_url, context_url) = (events.url(), context.url());
        let trusted = authority.file();
        let variables = [
            ("AWS_ENDPOINT_URL_BEDROCK_AGENTCORE", events_url.as_str()),
            ("AWS_ENDPOINT_URL_DYNAMODB", context_url.as_str()),
            ("SSL_CERT_FILE", trusted.as_str()),
        ];
        let process = Deployment::function(function, &world, &variables).await;
        let warm = (events.connections(), context.connections());
        assert!(
            warm.0 > 0 && warm.1 > 0,
            "nothing was connected while {function} started"
        );
        let wanted = match function {
            "load" => Wanted::load("alice", "s", json!({})),
            _ => Wanted::store("alice", "s", turn("hello", "good morning")),
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

#[tokio::test(flavor = "multi_thread")]
async fn the_first_summary_needs_no_new_connection_either() {
    let world = World::with(Options::default()).await;
    let relays = [
        Relay::start(&world.events.url()).await,
        Relay::start(&world.context.url()).await,
        Relay::start(&world.emulator.url()).await,
    ];
    let urls = [relays[0].url(), relays[1].url(), relays[2].url()];
    let variables = [
        ("AWS_ENDPOINT_URL_BEDROCK_AGENTCORE", urls[0].as_str()),
        ("AWS_ENDPOINT_URL_DYNAMODB", urls[1].as_str()),
        ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", urls[2].as_str()),
        ("MODEL_ID", "stand-in"),
    ];
    let store = Deployment::function("store", &world, &[]).await;
    let talk = json!({"messages": vec![user("hello"); 20]});
    let talk = Wanted::store("alice", "s", talk).by(Trigger::Direct);
    assert_eq!(store.invoke(talk).await.body()["stored"], 20);
    let summarize = Deployment::function("summarize", &world, &variables).await;
    let connections = || relays.iter().map(Relay::connections).collect::<Vec<_>>();
    let warm = connections();
    assert!(warm.iter().all(|count| *count > 0), "{warm:?}");
    assert_eq!(world.emulator.model_requests().len(), 0, "no model ran");
    let wanted = Wanted::summarize("alice", "s", json!({})).by(Trigger::Direct);
    assert_eq!(summarize.invoke(wanted).await.body()["summarized"], 6);
    assert_eq!(connections(), warm);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_nobody_vouches_for_is_not_talked_to() {
    let world = World::with(Options::default()).await;
    let authority = Authority::beside_the_systems();
    let events = Relay::with_tls(&world.events.url(), &authority).await;
    let url = events.url();
    let variables = [("AWS_ENDPOINT_URL_BEDROCK_AGENTCORE", url.as_str())];
    let load = Deployment::function("load", &world, &variables).await;
    world.events.clear();
    let wanted = Wanted::load("alice", "s", json!({})).by(Trigger::Direct);
    let outcome = load.invoke_within(wanted, Duration::from_secs(2)).await;
    assert_eq!(outcome.problem().0, "Unavailable", "{}", outcome.text());
    assert!(events.connections() > 0, "it tried");
    assert_eq!(world.events.operations(), [""; 0], "and sent nothing");
}
