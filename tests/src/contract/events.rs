//! The promises of [`EventReader`] and [`EventWriter`].

use std::collections::{BTreeMap, BTreeSet};

use codec::{Payload, Role};
use conversation::Conversation;
use conversation::ports::{
    BranchRoot, EventId, EventReader, EventWriter, NewEvent, PageToken, StoredEvent,
};
use serde_json::json;

/// A moment in the recent past, in milliseconds; `base` plus small numbers never reaches the future.
#[derive(Clone, Copy, Debug)]
pub struct Moment(pub i64);

/// All promises, one after the other.
pub async fn all<L: EventReader + EventWriter>(log: &L, memory: &str, base: Moment) {
    an_unknown_session_is_empty(log, memory).await;
    events_come_back_as_written(log, memory, base).await;
    every_millisecond_survives(log, memory, base).await;
    listings_are_newest_first(log, memory, base).await;
    pages_hold_each_event_once(log, memory, base).await;
    a_running_listing_is_not_disturbed_by_new_events(log, memory, base).await;
    branches_are_listed_with_their_ancestors(log, memory, base).await;
    ids_sort_by_time(log, memory, base).await;
    deleted_events_are_gone(log, memory, base).await;
    a_repeated_token_never_loses_the_event(log, memory, base).await;
    conversations_do_not_see_each_other(log, memory, base).await;
}

/// A session nobody wrote to has no events, which is no error.
pub async fn an_unknown_session_is_empty<L: EventReader>(log: &L, memory: &str) {
    let page = log
        .page(&session(memory, "nobody-wrote-here"), None, None)
        .await
        .expect("an empty listing");
    assert!(page.events.is_empty());
    assert_eq!(page.next, None);
}

/// Payload items in order, metadata and timestamp survive; the main line is no branch.
pub async fn events_come_back_as_written<L: EventReader + EventWriter>(
    log: &L,
    memory: &str,
    base: Moment,
) {
    let here = session(memory, "as-written");
    let event = NewEvent {
        timestamp_ms: base.0,
        payload: vec![
            text(Role::User, "Grüße, \u{1f600} \"quoted\" \u{0}\n\u{2028}"),
            blob(r#"{"n":123456789012345678901234567890.10,"z":1,"a":null}"#),
            text(Role::Assistant, " leading and trailing "),
            text(Role::Tool, "t"),
            blob(""),
            text(Role::Other, "o"),
        ],
        metadata: BTreeMap::from([
            ("colloquy.turn".to_owned(), "ab".repeat(32)),
            ("seq".to_owned(), "0".to_owned()),
            ("empty".to_owned(), String::new()),
        ]),
        branch: None,
        client_token: "as-written-1".to_owned(),
    };
    let id = log.create(&here, &event).await.expect("created");
    let listed = everything(log, &here, None).await;
    assert_eq!(listed, [stored(id, &event)]);
    // Reading changes nothing.
    assert_eq!(everything(log, &here, None).await, listed);
}

/// Timestamps are whole milliseconds, and none is off by one.
pub async fn every_millisecond_survives<L: EventReader + EventWriter>(
    log: &L,
    memory: &str,
    base: Moment,
) {
    let here = session(memory, "milliseconds");
    let wanted: Vec<i64> = (0..100).map(|step| base.0 + step * 7).collect();
    for at in &wanted {
        let created = log.create(&here, &plain(*at, "ms")).await;
        created.expect("created");
    }
    let mut found: Vec<i64> = everything(log, &here, None)
        .await
        .iter()
        .map(|event| event.timestamp_ms)
        .collect();
    found.sort_unstable();
    assert_eq!(found, wanted);
}

/// Whatever the order of writing, the newest timestamp comes first.
pub async fn listings_are_newest_first<L: EventReader + EventWriter>(
    log: &L,
    memory: &str,
    base: Moment,
) {
    let here = session(memory, "order");
    for step in [3, 0, 4, 1, 2] {
        let event = plain(base.0 + step * 1_000, &step.to_string());
        log.create(&here, &event).await.expect("created");
    }
    let listed = everything(log, &here, None).await;
    let times: Vec<i64> = listed
        .iter()
        .map(|event| (event.timestamp_ms - base.0) / 1_000)
        .collect();
    assert_eq!(times, [4, 3, 2, 1, 0]);
}

/// Pages hold at most 100 events; together they hold each event once, and then they end.
pub async fn pages_hold_each_event_once<L: EventReader + EventWriter>(
    log: &L,
    memory: &str,
    base: Moment,
) {
    let here = session(memory, "pages");
    let mut ids = BTreeSet::new();
    for step in 0..215 {
        // Three events share each millisecond, whose order nobody promises.
        let event = plain(base.0 + step / 3, &format!("p{step}"));
        ids.insert(log.create(&here, &event).await.expect("created"));
    }
    let listed = everything(log, &here, None).await;
    assert_eq!(listed.len(), 215);
    let found: BTreeSet<EventId> = listed.into_iter().map(|event| event.id).collect();
    assert_eq!(found, ids);
}

/// New events come before the first page, so a listing under way neither repeats nor skips.
pub async fn a_running_listing_is_not_disturbed_by_new_events<L: EventReader + EventWriter>(
    log: &L,
    memory: &str,
    base: Moment,
) {
    let here = session(memory, "running");
    let mut before = BTreeSet::new();
    for step in 0..120 {
        let event = plain(base.0 + step, &format!("r{step}"));
        before.insert(log.create(&here, &event).await.expect("created"));
    }
    let first = log.page(&here, None, None).await.expect("a page");
    let late = plain(base.0 + 500, "late");
    log.create(&here, &late).await.expect("created");
    let rest = from(log, &here, None, first.next.clone()).await;
    let found: Vec<EventId> = first
        .events
        .into_iter()
        .chain(rest)
        .map(|event| event.id)
        .collect();
    let distinct: BTreeSet<EventId> = found.iter().cloned().collect();
    assert_eq!(found.len(), distinct.len());
    assert_eq!(distinct, before);
}

/// Without a branch all events come; with one, it and its ancestors up to where each was left.
pub async fn branches_are_listed_with_their_ancestors<L: EventReader + EventWriter>(
    log: &L,
    memory: &str,
    base: Moment,
) {
    let here = session(memory, "branches");
    let write = async |at: i64, name: &str, branch: Option<BranchRoot>| {
        let event = NewEvent {
            branch,
            ..plain(base.0 + at, name)
        };
        log.create(&here, &event).await.expect("created")
    };
    let root = write(0, "main-1", None).await;
    write(1, "main-2", None).await;
    let on_draft = |root: Option<&EventId>| {
        Some(BranchRoot {
            name: "draft".to_owned(),
            root: root.cloned(),
        })
    };
    let fork = write(2, "draft-1", on_draft(Some(&root))).await;
    // A branch that exists may be named without its root.
    write(3, "draft-2", on_draft(None)).await;
    let nested = BranchRoot {
        name: "nested".to_owned(),
        root: Some(fork.clone()),
    };
    write(4, "nested-1", Some(nested)).await;

    let every = everything(log, &here, None).await;
    assert_eq!(
        texts(&every),
        ["nested-1", "draft-2", "draft-1", "main-2", "main-1"]
    );
    let draft = everything(log, &here, Some("draft")).await;
    assert_eq!(texts(&draft), ["draft-2", "draft-1", "main-1"]);
    let nested = everything(log, &here, Some("nested")).await;
    assert_eq!(texts(&nested), ["nested-1", "draft-1", "main-1"]);

    let branch = |words: &str| {
        every
            .iter()
            .find(|event| texts(std::slice::from_ref(*event)) == [words])
    };
    assert_eq!(branch("main-1").expect("listed").branch, None);
    let draft = branch("draft-1")
        .expect("listed")
        .branch
        .clone()
        .expect("a branch");
    assert_eq!(draft.name, "draft");
    assert_eq!(draft.root, Some(root));
}

/// As strings, ids sort by time.
pub async fn ids_sort_by_time<L: EventReader + EventWriter>(log: &L, memory: &str, base: Moment) {
    let here = session(memory, "ids");
    let mut ids = Vec::new();
    for at in [0, 9, 10, 999, 1_000, 100_000] {
        let event = plain(base.0 - 200_000 + at, "id");
        ids.push(log.create(&here, &event).await.expect("created"));
    }
    assert!(ids.is_sorted(), "{ids:?}");
}

/// A deleted event is gone, the others stay, and deleting it again succeeds.
pub async fn deleted_events_are_gone<L: EventReader + EventWriter>(
    log: &L,
    memory: &str,
    base: Moment,
) {
    let here = session(memory, "delete");
    let kept = log
        .create(&here, &plain(base.0, "kept"))
        .await
        .expect("created");
    let gone = log
        .create(&here, &plain(base.0 + 1, "gone"))
        .await
        .expect("created");
    for _ in 0..2 {
        log.delete(&here, &gone).await.expect("deleted");
        let ids: Vec<EventId> = everything(log, &here, None)
            .await
            .into_iter()
            .map(|event| event.id)
            .collect();
        assert_eq!(ids, std::slice::from_ref(&kept));
    }
}

/// A repeated token is recognised or leaves a second event of the same content; never none.
pub async fn a_repeated_token_never_loses_the_event<L: EventReader + EventWriter>(
    log: &L,
    memory: &str,
    base: Moment,
) {
    let here = session(memory, "repeated");
    let event = plain(base.0, "repeated");
    for _ in 0..2 {
        log.create(&here, &event).await.expect("created");
    }
    let listed = everything(log, &here, None).await;
    assert!((1..=2).contains(&listed.len()), "{} events", listed.len());
    for found in &listed {
        assert_eq!(*found, stored(found.id.clone(), &event));
    }
}

/// Actors and sessions are apart, also where one id is the beginning of another.
pub async fn conversations_do_not_see_each_other<L: EventReader + EventWriter>(
    log: &L,
    memory: &str,
    base: Moment,
) {
    let places = [
        ("ada", "s"),
        ("ada", "s-2"),
        ("ada/s", "s"),
        ("ad", "s"),
        ("ada:s", "s"),
    ];
    let place = |(actor, name): (&str, &str)| Conversation {
        memory: memory.to_owned(),
        actor: actor.to_owned(),
        session: name.to_owned(),
    };
    for (number, at) in places.into_iter().enumerate() {
        let event = plain(base.0, &format!("event-{number}"));
        log.create(&place(at), &event).await.expect("created");
    }
    for (number, at) in places.into_iter().enumerate() {
        let found = everything(log, &place(at), None).await;
        assert_eq!(texts(&found), [format!("event-{number}")]);
    }
}

/// All events of a session, over all pages.
pub async fn everything<L: EventReader>(
    log: &L,
    conversation: &Conversation,
    branch: Option<&str>,
) -> Vec<StoredEvent> {
    let first = log.page(conversation, branch, None).await.expect("a page");
    assert!(first.events.len() <= 100);
    let mut events = first.events;
    if first.next.is_some() {
        events.extend(from(log, conversation, branch, first.next).await);
    }
    events
}

async fn from<L: EventReader>(
    log: &L,
    conversation: &Conversation,
    branch: Option<&str>,
    mut token: Option<PageToken>,
) -> Vec<StoredEvent> {
    let mut events = Vec::new();
    while token.is_some() {
        let page = log.page(conversation, branch, token).await.expect("a page");
        assert!(page.events.len() <= 100);
        events.extend(page.events);
        token = page.next;
    }
    events
}

fn session(memory: &str, name: &str) -> Conversation {
    Conversation {
        memory: memory.to_owned(),
        actor: "contract".to_owned(),
        session: name.to_owned(),
    }
}

/// An event whose token is its text, which callers keep distinct within a session.
fn plain(timestamp_ms: i64, words: &str) -> NewEvent {
    NewEvent {
        timestamp_ms,
        payload: vec![text(Role::User, words)],
        metadata: BTreeMap::new(),
        branch: None,
        client_token: format!("{words}-{timestamp_ms}-{}", next_number()),
    }
}

/// Tokens are one namespace for the whole account in the strictest reading of the documentation.
fn next_number() -> u64 {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

fn text(role: Role, words: &str) -> Payload {
    Payload::Conversational {
        role,
        text: words.to_owned(),
    }
}

fn blob(words: &str) -> Payload {
    Payload::Blob(json!(words))
}

fn stored(id: EventId, event: &NewEvent) -> StoredEvent {
    StoredEvent {
        id,
        timestamp_ms: event.timestamp_ms,
        payload: event.payload.clone(),
        metadata: event.metadata.clone(),
        branch: event.branch.clone(),
    }
}

fn texts(events: &[StoredEvent]) -> Vec<&str> {
    let items = events.iter().flat_map(|event| &event.payload);
    items
        .filter_map(|item| match item {
            Payload::Conversational { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}
