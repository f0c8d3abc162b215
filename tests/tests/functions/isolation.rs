//! No caller reads or writes the conversations of another, whatever the ids look like.

use serde_json::{Value, json};
use tests::lambda::{Caller, Deployment, Trigger, Wanted, texts, turn};

/// Tenants and users whose names differ in ways that joining, splitting, folding or cutting might lose.
fn names() -> Vec<String> {
    let mut names: Vec<String> = [
        "alice",
        "Alice",
        "ALICE",
        "bob",
        "acme:alice",
        "acme/alice",
        "acme|alice",
        "acme@alice",
        "acme.alice",
        "acme:bob",
        "acme",
        "acme:",
        ":alice",
        "acme::alice",
        "acme//alice",
        "acme%2Falice",
        "acme%252Falice",
        "acme alice",
        "acme+alice",
        "acme#alice",
        "local-0000000000#alice",
        "x-alice",
        "xh-alice",
        "..",
        "a/../b",
        "é",
        "e\u{301}",
        "ß",
        "ss",
        "ı",
        "i",
        "𝔘",
        "0",
        "00",
        "null",
        "me\u{0}",
        "sessions/s",
    ]
    .map(str::to_owned)
    .to_vec();
    let long = "n".repeat(254);
    names.extend([
        format!("{long}a"),
        format!("{long}ab"),
        format!("{long}ac"),
        format!("{long}a:"),
    ]);
    names
}

const HTTP: [Trigger; 2] = [Trigger::HttpApi, Trigger::RestApi];

#[tokio::test(flavor = "multi_thread")]
async fn actors_meet_their_own_conversations_alone() {
    let deployment = Deployment::start().await;
    let names = names();
    for (number, name) in names.iter().enumerate() {
        // Both gateways by turns: what one stored, the other must find under the same name.
        let trigger = HTTP[number % 2];
        let said = turn(&format!("secret of {number}"), "kept");
        let stored = deployment
            .ask(trigger, &Wanted::store(name, "s", said))
            .await;
        assert_eq!(
            stored.success(trigger)["context"]["storedMessageCount"],
            2,
            "{name:?}"
        );
    }
    for (number, name) in names.iter().enumerate() {
        for trigger in Trigger::ALL {
            let loaded = deployment
                .ask(trigger, &Wanted::load(name, "s", json!({})))
                .await;
            let loaded = loaded.success(trigger);
            assert_eq!(
                texts(&loaded),
                [format!("secret of {number}"), "kept".to_owned()],
                "{name:?}"
            );
            assert_eq!(loaded["context"]["actorId"], name.as_str());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_actors_path_is_forbidden_on_every_route() {
    let deployment = Deployment::start().await;
    let names = names();
    deployment.world.take_calls();
    for caller in &names {
        for actor in names.iter().filter(|actor| *actor != caller) {
            let attempts = [
                Wanted::load(actor, "s", json!({})),
                Wanted::store(actor, "s", turn("let me in", "no")),
            ];
            for attempt in attempts {
                for trigger in HTTP {
                    let event = attempt.by_caller(trigger, Caller::Subject(caller));
                    refused(&deployment, attempt.function, event, 403, "other_actor").await;
                }
            }
        }
    }
    // Nobody's conversation was even looked at.
    let calls = deployment.world.take_calls();
    assert!(
        calls.events.is_empty() && calls.context.is_empty(),
        "{calls:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn another_actor_in_the_body_or_query_is_forbidden() {
    let deployment = Deployment::start().await;
    for field in ["actorId", "actor_id", "userId", "user_id"] {
        for trigger in HTTP {
            let mut fields = turn("let me in", "no");
            fields[field] = "bob".into();
            let store = Wanted::store("alice", "s", fields).by(trigger);
            refused(&deployment, "store", store, 403, "other_actor").await;
            let load = Wanted::load("alice", "s", json!({field: "bob"})).by(trigger);
            refused(&deployment, "load", load, 403, "other_actor").await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_of_one_actor_stay_apart() {
    let deployment = Deployment::start().await;
    let names = names();
    for (number, name) in names.iter().enumerate() {
        let trigger = HTTP[number % 2];
        let said = turn(&format!("session {number}"), "kept");
        let stored = deployment
            .ask(trigger, &Wanted::store("alice", name, said))
            .await;
        assert_eq!(
            stored.success(trigger)["context"]["storedMessageCount"],
            2,
            "{name:?}"
        );
    }
    for (number, name) in names.iter().enumerate() {
        let trigger = HTTP[(number + 1) % 2];
        let loaded = deployment
            .ask(trigger, &Wanted::load("alice", name, json!({})))
            .await;
        assert_eq!(
            texts(&loaded.success(trigger))[0],
            format!("session {number}"),
            "{name:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_caller_says_of_itself_does_not_count() {
    let deployment = Deployment::start().await;
    let load = Wanted::load("alice", "s", json!({}));
    for trigger in HTTP {
        let mut event = load.by_caller(trigger, Caller::Nobody);
        // The identity of a local run, which a deployed function must not know.
        event["headers"]["x-actor-id"] = "alice".into();
        event["headers"]["authorization"] =
            "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.".into();
        refused(&deployment, "load", event, 401, "unauthenticated").await;
    }
    for claims in [
        json!({}),
        json!({"sub": ""}),
        json!({"sub": ["alice"]}),
        json!({"username": "alice"}),
    ] {
        let mut event = load.by(Trigger::HttpApi);
        event["requestContext"]["authorizer"]["jwt"]["claims"] = claims.clone();
        refused(&deployment, "load", event, 403, "no_actor").await;
        let mut event = load.by(Trigger::RestApi);
        event["requestContext"]["authorizer"]["claims"] = claims;
        refused(&deployment, "load", event, 403, "no_actor").await;
    }
}

async fn refused(deployment: &Deployment, function: &str, event: Value, status: u64, code: &str) {
    let shown = event.to_string();
    let response = deployment.send(function, event).await.response();
    assert_eq!(
        (response.status, &response.body["code"]),
        (status, &json!(code)),
        "{shown}"
    );
}
