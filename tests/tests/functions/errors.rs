//! Every way a call can fail, over HTTP and in a direct call: status, code and the name workflows match.

use std::time::Duration;

use emulator::{FaultAction, FaultPlan, FaultRule, Options};
use serde_json::{Value, json};
use tests::lambda::{Deployment, Trigger, Wanted, fails, is_failure, turn, user};

const CONFLICT: u64 = 409;

async fn store(deployment: &Deployment, session: &str, fields: Value) -> Value {
    let stored = deployment
        .ask(Trigger::Direct, &Wanted::store("alice", session, fields))
        .await;
    stored.body()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_request_is_told_what_is_wrong() {
    let deployment = Deployment::start().await;
    let invalid = (400, "invalid_request", "Invalid");
    for (fields, pointer) in [
        (json!({"mesages": []}), "/mesages"),
        (json!({}), "/messages"),
        (json!({"messages": 7}), "/messages"),
        (json!({"messages": [user("x")], "mode": "replace"}), "/mode"),
        (
            json!({"messages": [user("x")], "head": "nonsense"}),
            "/head",
        ),
        (
            json!({"messages": [{"role": "robot", "content": []}]}),
            "/messages/0/role",
        ),
    ] {
        let wanted = Wanted::store("alice", "s", fields);
        fails(&deployment, &wanted, invalid).await;
        let (_, document) = deployment.ask(Trigger::Direct, &wanted).await.problem();
        assert_eq!(document["pointer"], pointer, "{document}");
    }
    for fields in [
        json!({"window": "turns:0"}),
        json!({"format": "xml"}),
        json!({"maxBytes": 1}),
    ] {
        fails(&deployment, &Wanted::load("alice", "s", fields), invalid).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_path_or_method_is_told_so() {
    let deployment = Deployment::start().await;
    let load = Wanted::load("alice", "s", json!({}));
    let mut event = load.by(Trigger::HttpApi);
    event["routeKey"] = "$default".into();
    event["rawPath"] = "/v2/nothing".into();
    event["pathParameters"] = Value::Null;
    is_failure(
        &deployment.send("load", event).await,
        Trigger::HttpApi,
        (404, "no_such_route", "NotFound"),
    );

    let mut event = load.by(Trigger::HttpApi);
    event["requestContext"]["http"]["method"] = "PUT".into();
    let outcome = deployment.send("load", event).await;
    is_failure(
        &outcome,
        Trigger::HttpApi,
        (405, "method_not_allowed", "Invalid"),
    );
    assert_eq!(outcome.response().headers["allow"], "GET");

    let mut event = load.by(Trigger::RestApi);
    event["requestContext"]["requestId"] = json!([]);
    is_failure(
        &deployment.send("load", event).await,
        Trigger::RestApi,
        (400, "invalid_event", "Invalid"),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_is_not_as_expected_is_a_conflict() {
    let deployment = Deployment::start().await;
    let first = store(&deployment, "head", turn("1", "2")).await;
    let second = store(&deployment, "head", turn("3", "4")).await;
    let mut stale = turn("5", "6");
    stale["head"] = first["head"].clone();
    let stale = Wanted::store("alice", "head", stale);
    fails(&deployment, &stale, (CONFLICT, "head_moved", "Conflict")).await;
    let (_, document) = deployment.ask(Trigger::Direct, &stale).await.problem();
    assert_eq!(
        document["head"], second["head"],
        "the caller learns the head there is"
    );

    let mut keyed = turn("1", "2");
    keyed["idempotencyKey"] = "k".into();
    store(&deployment, "key", keyed).await;
    let mut other = turn("other", "body");
    other["idempotencyKey"] = "k".into();
    fails(
        &deployment,
        &Wanted::store("alice", "key", other),
        (CONFLICT, "key_reused", "Conflict"),
    )
    .await;

    let versioned = |version: u64| json!({"state": {"agent": {"value": {}, "version": version}}});
    store(
        &deployment,
        "state",
        json!({"state": {"agent": {"value": {"a": 1}}}}),
    )
    .await;
    fails(
        &deployment,
        &Wanted::store("alice", "state", versioned(7)),
        (CONFLICT, "state_moved", "Conflict"),
    )
    .await;

    store(&deployment, "sync", turn("1", "2")).await;
    let sync = |messages: Value| {
        Wanted::store(
            "alice",
            "sync",
            json!({"mode": "sync", "messages": messages}),
        )
    };
    let short = sync(json!([user("1")]));
    fails(
        &deployment,
        &short,
        (CONFLICT, "prefix_too_short", "Conflict"),
    )
    .await;
    let others = sync(json!([user("1"), user("another"), user("3")]));
    fails(
        &deployment,
        &others,
        (CONFLICT, "prefix_mismatch", "Conflict"),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_fails_is_told_apart() {
    let deployment = Deployment::start().await;
    let load = Wanted::load("alice", "s", json!({}));
    let turn = Wanted::store("alice", "s", turn("1", "2"));
    for (operation, wanted, action, failure) in [
        (
            "ListEvents",
            &load,
            FaultAction::Throttle,
            (429, "throttled", "Throttled"),
        ),
        (
            "ListEvents",
            &load,
            FaultAction::Error500,
            (503, "unavailable", "Unavailable"),
        ),
        (
            "ListEvents",
            &load,
            FaultAction::Denied403,
            (500, "access_denied", "AccessDenied"),
        ),
        (
            "CreateEvent",
            &turn,
            FaultAction::Quota402,
            (503, "quota_exceeded", "QuotaExceeded"),
        ),
    ] {
        let rules = vec![FaultRule::always(operation, action)];
        deployment
            .world
            .emulator
            .set_faults(FaultPlan { seed: 1, rules });
        fails(&deployment, wanted, failure).await;
    }
    deployment.world.emulator.set_faults(FaultPlan::default());
    assert_eq!(
        deployment.ask(Trigger::Direct, &turn).await.body()["stored"],
        2
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_memory_that_does_not_exist_is_told_so() {
    let deployment =
        Deployment::with(Options::default(), &[("MEMORY_ID", "missing-0000000000")]).await;
    let failure = (500, "not_configured", "NotFound");
    fails(&deployment, &Wanted::load("alice", "s", json!({})), failure).await;
    fails(
        &deployment,
        &Wanted::store("alice", "s", turn("1", "2")),
        failure,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_large_is_told_so() {
    let deployment = Deployment::start().await;
    let mut system = turn("1", "2");
    system["systemMessage"] = "x".repeat(450_000).into();
    fails(
        &deployment,
        &Wanted::store("alice", "s", system),
        (413, "too_large", "TooLarge"),
    )
    .await;

    let body = turn(&"x".repeat(6_300_000), "2");
    fails(
        &deployment,
        &Wanted::store("alice", "s", body),
        (413, "request_too_large", "TooLarge"),
    )
    .await;

    store(
        &deployment,
        "answer",
        json!({"messages": [user(&"x".repeat(5_000))]}),
    )
    .await;
    let small = Wanted::load("alice", "answer", json!({"maxBytes": 1_100}));
    fails(&deployment, &small, (422, "answer_too_large", "TooLarge")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_answer_goes_to_its_bucket_or_fails_as_unavailable() {
    let nowhere = [
        ("CLAIM_CHECK_BUCKET", "bucket"),
        ("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:1"),
    ];
    let deployment = Deployment::with(Options::default(), &nowhere).await;
    for part in ["a", "b", "c"] {
        store(
            &deployment,
            "s",
            json!({"messages": [user(&part.repeat(99_000))]}),
        )
        .await;
    }
    let load = Wanted::load("alice", "s", json!({}));
    let outcome = deployment.ask(Trigger::Direct, &load).await;
    is_failure(
        &outcome,
        Trigger::Direct,
        (503, "claim_check_unavailable", "Unavailable"),
    );
    // Over HTTP the same answer is small enough to return.
    let loaded = deployment
        .ask(Trigger::HttpApi, &load)
        .await
        .success(Trigger::HttpApi);
    assert_eq!(loaded["report"]["returned"], 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_time_nothing_is_done() {
    let deployment = Deployment::start().await;
    let failure = (504, "deadline_exceeded", "DeadlineExceeded");
    for time in [0, 1, 100, 150] {
        for trigger in Trigger::ALL {
            let time = Duration::from_millis(time);
            let load = Wanted::load("alice", "s", json!({})).by(trigger);
            is_failure(
                &deployment.load.invoke_within(load, time).await,
                trigger,
                failure,
            );
            let store = Wanted::store("alice", "s", turn("1", "2")).by(trigger);
            is_failure(
                &deployment.store.invoke_within(store, time).await,
                trigger,
                failure,
            );
        }
    }
    let loaded = deployment
        .ask(Trigger::Direct, &Wanted::load("alice", "s", json!({})))
        .await
        .body();
    assert_eq!(
        (&loaded["messages"], &loaded["report"]["stored"]),
        (&json!([]), &json!(0))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_service_does_not_hold_a_call_beyond_its_time() {
    let deployment = Deployment::start().await;
    let rules = vec![FaultRule::always(
        "ListEvents",
        FaultAction::DelayMs(20_000),
    )];
    deployment
        .world
        .emulator
        .set_faults(FaultPlan { seed: 1, rules });
    let started = std::time::Instant::now();
    let load = Wanted::load("alice", "s", json!({})).by(Trigger::HttpApi);
    let outcome = deployment
        .load
        .invoke_within(load, Duration::from_millis(1_200))
        .await;
    assert!(
        started.elapsed() < Duration::from_millis(1_200),
        "{:?}",
        started.elapsed()
    );
    is_failure(
        &outcome,
        Trigger::HttpApi,
        (504, "deadline_exceeded", "DeadlineExceeded"),
    );
}
