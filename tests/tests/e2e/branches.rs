//! Branches: a second end of the same conversation.

use std::time::Duration;

use conversation::{Conversation, Error, LoadRequest, Settings, StoreRequest, Stored, load, store};
use tests::messages::{turn, whole_turns};
use tests::{TestPorts, World};

const PATIENCE: Duration = Duration::from_secs(10);

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_shares_what_came_before_it_and_nothing_after() {
    let world = World::start().await;
    let ports = world.ports();
    let here = world.conversation("fork");
    let first = append(&ports, &here, None, None, "first").await;
    let second = append(&ports, &here, None, Some(first.head.clone()), "second").await;
    let draft = append(
        &ports,
        &here,
        Some("draft"),
        Some(first.head.clone()),
        "draft-1",
    )
    .await;
    append(&ports, &here, None, Some(second.head), "third").await;
    append(
        &ports,
        &here,
        Some("draft"),
        Some(draft.head.clone()),
        "draft-2",
    )
    .await;
    append(&ports, &here, Some("draft"), None, "draft-3").await;
    append(&ports, &here, Some("nested"), Some(draft.head), "nested-1").await;

    assert_eq!(
        turns(&ports, &here, None).await,
        ["first", "second", "third"]
    );
    let draft = turns(&ports, &here, Some("draft")).await;
    assert_eq!(draft, ["first", "draft-1", "draft-2", "draft-3"]);
    assert_eq!(
        turns(&ports, &here, Some("nested")).await,
        ["first", "draft-1", "nested-1"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_cannot_start_from_nowhere_or_twice() {
    let world = World::start().await;
    let ports = world.ports();
    let here = world.conversation("twice");
    let first = append(&ports, &here, None, None, "first").await;
    let nowhere = StoreRequest {
        branch: Some("draft".to_owned()),
        ..StoreRequest::append(here.clone(), turn("lost", 2), PATIENCE)
    };
    let refused = store(&ports, &Settings::default(), nowhere).await;
    assert!(matches!(refused, Err(Error::Invalid { .. })), "{refused:?}");

    append(
        &ports,
        &here,
        Some("draft"),
        Some(first.head.clone()),
        "draft-1",
    )
    .await;
    let twice = StoreRequest {
        branch: Some("draft".to_owned()),
        head: Some(first.head),
        ..StoreRequest::append(here.clone(), turn("lost", 2), PATIENCE)
    };
    let refused = store(&ports, &Settings::default(), twice).await;
    assert!(
        matches!(refused, Err(Error::Conflict { .. })),
        "{refused:?}"
    );
    assert_eq!(
        turns(&ports, &here, Some("draft")).await,
        ["first", "draft-1"]
    );
}

async fn append(
    ports: &TestPorts,
    here: &Conversation,
    branch: Option<&str>,
    head: Option<String>,
    name: &str,
) -> Stored {
    let request = StoreRequest {
        branch: branch.map(str::to_owned),
        head,
        ..StoreRequest::append(here.clone(), turn(name, 2), PATIENCE)
    };
    store(ports, &Settings::default(), request)
        .await
        .expect("stored")
}

async fn turns(ports: &TestPorts, here: &Conversation, branch: Option<&str>) -> Vec<String> {
    let request = LoadRequest {
        branch: branch.map(str::to_owned),
        ..LoadRequest::all(here.clone(), PATIENCE)
    };
    let loaded = load(ports, &Settings::default(), request)
        .await
        .expect("loaded");
    assert_eq!(
        loaded.context.stored_message_count,
        loaded.messages.len() as u64
    );
    whole_turns(&loaded.messages)
}
