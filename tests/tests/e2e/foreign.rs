//! Sessions other software wrote: loaded as they are, and taken over by the first store.

use std::collections::BTreeMap;
use std::time::Duration;

use codec::{Payload, Role};
use conversation::ports::{BranchRoot, Clock as _, EventId, EventWriter as _, NewEvent};
use conversation::{Conversation, LoadRequest, Loaded, Settings, StoreRequest, load, store};
use serde_json::{Value, json};
use tests::World;
use tests::messages::{texts, turn};

const PATIENCE: Duration = Duration::from_secs(5);

#[tokio::test(flavor = "multi_thread")]
async fn prose_is_read_and_taken_over() {
    let world = World::start().await;
    let mut other = Other::new(&world, "prose");
    other
        .write(
            vec![said(Role::User, "hello"), said(Role::Assistant, "good day")],
            None,
        )
        .await;
    other
        .write(vec![said(Role::User, "how are you?")], None)
        .await;
    let wanted = ["hello", "good day", "how are you?"];
    taken_over(&world, &other.here, &wanted).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_strands_session_is_read_and_taken_over() {
    let world = World::start().await;
    let mut other = Other::new(&world, "strands");
    for (role, speaker, text) in [
        (Role::User, "user", "what is the weather?"),
        (Role::Assistant, "assistant", "sunny"),
    ] {
        let record = json!({
            "message": {"role": speaker, "content": [{"text": text}]},
            "message_id": 0,
            "redact_message": null,
            "created_at": "2026-11-18T06:00:00+00:00",
            "updated_at": "2026-11-18T06:00:00+00:00",
        });
        other
            .write(vec![said(role, &record.to_string())], None)
            .await;
    }
    taken_over(&world, &other.here, &["what is the weather?", "sunny"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_camunda_session_is_read_and_taken_over() {
    let world = World::start().await;
    let mut other = Other::new(&world, "camunda");
    other
        .write(camunda(Role::User, "USER", "book a flight"), None)
        .await;
    other
        .write(camunda(Role::Assistant, "ASSISTANT", "to where?"), None)
        .await;
    taken_over(&world, &other.here, &["book a flight", "to where?"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_camunda_branch_is_read_without_its_abandoned_siblings() {
    let world = World::start().await;
    let mut other = Other::new(&world, "camunda-branches");
    other.write(camunda(Role::User, "USER", "one"), None).await;
    let root = other
        .write(camunda(Role::Assistant, "ASSISTANT", "two"), None)
        .await;
    // A turn whose outer commit failed, and the one that took its place.
    other
        .write(
            camunda(Role::User, "USER", "abandoned"),
            Some(on("turn-2a", &root)),
        )
        .await;
    other
        .write(
            camunda(Role::User, "USER", "three"),
            Some(on("turn-2b", &root)),
        )
        .await;
    let root = other
        .write(
            camunda(Role::Assistant, "ASSISTANT", "four"),
            Some(on("turn-2b", &root)),
        )
        .await;
    other
        .write(
            camunda(Role::User, "USER", "five"),
            Some(on("turn-3", &root)),
        )
        .await;
    world.settle().await;
    let loaded = read(&world, &other.here, Some("turn-3")).await;
    assert_eq!(
        texts(&loaded.messages),
        ["one", "two", "three", "four", "five"]
    );
    assert_eq!(loaded.report.foreign, 5);
    let main = read(&world, &other.here, None).await;
    assert_eq!(texts(&main.messages), ["one", "two"]);
}

/// Loaded, continued with and without the token of that load, and loaded again.
async fn taken_over(world: &World, here: &Conversation, wanted: &[&str]) {
    world.settle().await;
    let loaded = read(world, here, None).await;
    assert_eq!(texts(&loaded.messages), wanted);
    assert_eq!(loaded.report.foreign, wanted.len() as u64);
    assert_eq!(loaded.context.stored_message_count, wanted.len() as u64);

    let ports = world.ports();
    let mut wanted: Vec<String> = wanted.iter().map(|text| (*text).to_owned()).collect();
    for (name, head) in [("ours", loaded.head), ("ours-too", None)] {
        let messages = turn(name, 2);
        wanted.extend(texts(&messages));
        let request = StoreRequest {
            head,
            ..StoreRequest::append(here.clone(), messages, PATIENCE)
        };
        let stored = store(&ports, &Settings::default(), request)
            .await
            .expect("stored");
        assert_eq!(stored.context.stored_message_count, wanted.len() as u64);
        let loaded = read(world, here, None).await;
        assert_eq!(texts(&loaded.messages), wanted);
        assert_eq!(loaded.context.stored_message_count, wanted.len() as u64);
    }
    // The same without ever having loaded: the first store finds what is there.
    let copy = Conversation {
        session: format!("{}-copy", here.session),
        ..here.clone()
    };
    let mut other = Other {
        here: copy.clone(),
        ..Other::new(world, "unused")
    };
    other.write(vec![said(Role::User, "before")], None).await;
    world.settle().await;
    let request = StoreRequest::append(copy.clone(), turn("after", 1), PATIENCE);
    store(&ports, &Settings::default(), request)
        .await
        .expect("stored");
    let loaded = read(world, &copy, None).await;
    assert_eq!(texts(&loaded.messages), ["before", "after 1/1"]);
    assert_eq!(loaded.context.stored_message_count, 2);
}

/// Other software at work in a session.
struct Other<'a> {
    world: &'a World,
    here: Conversation,
    written: i64,
    since_ms: i64,
}

impl<'a> Other<'a> {
    fn new(world: &'a World, session: &str) -> Self {
        Self {
            world,
            here: world.conversation(session),
            written: 0,
            since_ms: world.ports().clock.now_ms() - 60_000,
        }
    }

    async fn write(&mut self, payload: Vec<Payload>, branch: Option<BranchRoot>) -> EventId {
        self.written += 1;
        let event = NewEvent {
            timestamp_ms: self.since_ms + self.written,
            payload,
            metadata: BTreeMap::new(),
            branch,
            client_token: format!("{}-{}", self.here.session, self.written),
        };
        self.world
            .event_log()
            .create(&self.here, &event)
            .await
            .expect("created")
    }
}

async fn read(world: &World, here: &Conversation, branch: Option<&str>) -> Loaded {
    let request = LoadRequest {
        branch: branch.map(str::to_owned),
        ..LoadRequest::all(here.clone(), PATIENCE)
    };
    load(&world.ports(), &Settings::default(), request)
        .await
        .expect("loaded")
}

fn said(role: Role, text: &str) -> Payload {
    Payload::Conversational {
        role,
        text: text.to_owned(),
    }
}

/// A message the way Camunda stores it: its text, and a blob that names its role.
fn camunda(role: Role, name: &str, text: &str) -> Vec<Payload> {
    let metadata = json!({
        "blobType": "camunda.messageMetadata",
        "version": 1,
        "metadata": {},
        "properties": {"role": name},
    });
    vec![
        said(role, text),
        Payload::Blob(Value::String(metadata.to_string())),
    ]
}

fn on(name: &str, root: &EventId) -> BranchRoot {
    BranchRoot {
        name: name.to_owned(),
        root: Some(root.clone()),
    }
}
