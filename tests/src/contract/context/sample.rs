//! What the promises are put to the test with.

use codec::model::{Content, Fields, SystemMessage};
use conversation::ports::{
    Commit, CommitOutcome, ContextReader, ContextWriter, EventId, HeadExpectation, KeyRecord,
    StateWrite,
};
use conversation::{Conversation, Head, KeyHash, TurnId};
use serde_json::Value;

use super::Now;

pub(super) fn place(session: &str) -> Conversation {
    Conversation {
        memory: "chat-0123456789".to_owned(),
        actor: "contract".to_owned(),
        session: session.to_owned(),
    }
}

/// The head after `number` turns, as a writer gives it: without remembered turns.
pub(super) fn head(number: u64) -> Head {
    Head {
        revision: number,
        turn: head_turn(number),
        turns: number,
        count: number * 2,
        tokens: number * 20,
        pins: number / 2,
        summarized: 0,
        last_ms: 1_772_375_782_000 + i64::try_from(number).expect("small"),
        last_event: None,
        fingerprint: [u8::try_from(number % 251).expect("below 251"); 32],
        system: [0; 8],
        recent: Vec::new(),
    }
}

pub(super) fn head_turn(number: u64) -> TurnId {
    let mut id = [0xc0; 32];
    id.iter_mut()
        .zip(number.to_be_bytes())
        .for_each(|(to, from)| *to = from);
    TurnId(id)
}

pub(super) fn short(head: &Head) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&head.turn.0[..16]);
    half
}

pub(super) fn commit(now: Now, expected: Option<&Head>, head: &Head) -> Commit {
    Commit {
        expected: expected.map_or(HeadExpectation::Absent, |head| {
            HeadExpectation::Is(Box::new(head.clone()))
        }),
        head: head.clone(),
        system: None,
        states: Vec::new(),
        renew: Vec::new(),
        key: None,
        expires_at: now.0 + 8 * 86_400,
        now_s: now.0,
        request_token: unique(),
    }
}

pub(super) fn unique() -> String {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    format!("{}-{number}", std::process::id())
}

pub(super) fn record(now: Now, key: &str, number: u64) -> KeyRecord {
    KeyRecord {
        key: KeyHash::new(None, key),
        body: [1; 32],
        head: Head {
            last_event: Some(EventId("0000000000000000002#0000000a".to_owned())),
            summarized: 3,
            ..head(number)
        },
        stored: number,
        expires_at: now.0 + 86_400,
    }
}

pub(super) fn state(agent: &str, value: Value, expected_version: Option<u64>) -> StateWrite {
    let Value::Object(value) = value else {
        panic!("a state is an object")
    };
    StateWrite {
        agent: agent.to_owned(),
        value,
        expected_version,
    }
}

pub(super) fn message(text: &str) -> SystemMessage {
    SystemMessage {
        content: vec![words(text)],
        ..SystemMessage::default()
    }
}

pub(super) fn words(text: &str) -> Content {
    Content::Text {
        text: text.to_owned(),
        metadata: Fields::new(),
        extra: Fields::new(),
    }
}

pub(super) fn refused_by(there: &Head) -> CommitOutcome {
    CommitOutcome::Refused {
        head: Some(Some(Box::new(there.clone()))),
        key: None,
        state: None,
    }
}

pub(super) async fn applied<C: ContextWriter>(
    store: &C,
    conversation: &Conversation,
    branch: Option<&str>,
    commit: &Commit,
) {
    let outcome = store.commit(conversation, branch, commit).await;
    assert_eq!(outcome, Ok(CommitOutcome::Committed));
}

pub(super) async fn current<C: ContextReader>(
    store: &C,
    conversation: &Conversation,
    branch: Option<&str>,
    now: Now,
) -> Option<Head> {
    let found = store.head(conversation, branch, None, now.0).await;
    found.expect("answered").head
}
