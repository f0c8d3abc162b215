//! The promises of [`SummaryWriter`], and of the readers that show what it wrote.

use conversation::ports::{
    Commit, CommitOutcome, ContextItem, ContextItems, ContextReader, ContextWriter,
    HeadExpectation, SummaryOutcome, SummaryWrite, SummaryWriter,
};
use conversation::{Conversation, Head, SummaryId, SummaryRecord, TurnId};

use super::context::Now;

/// What keeps summaries.
pub trait SummaryStore: ContextReader + ContextWriter + SummaryWriter {}

impl<C: ContextReader + ContextWriter + SummaryWriter> SummaryStore for C {}

/// All promises, one after the other.
pub async fn all<C: SummaryStore>(store: &C, now: Now) {
    a_summary_is_read_with_the_rest(store, now).await;
    only_the_expected_summary_is_replaced(store, now).await;
    a_summary_needs_a_head_that_reaches_as_far(store, now).await;
    the_head_stays_the_one_a_writer_expects(store, now).await;
    branches_have_summaries_of_their_own(store, now).await;
    a_renewed_summary_stays_as_it_is(store, now).await;
    what_an_earlier_head_left_behind_is_none(store, now).await;
    one_of_many_writers_wins(store, now).await;
}

/// All of a record survives, and the head has the hint.
pub async fn a_summary_is_read_with_the_rest<C: SummaryStore>(store: &C, now: Now) {
    let here = place("read");
    let head = committed(store, &here, None, now, 20).await;
    let record = SummaryRecord {
        text: "“quoted” \\ 日本語 \u{1F600}\nsecond line".to_owned(),
        created_at_ms: -1,
        covered_tokens: u64::from(u32::MAX) + 1,
        previous: Some(SummaryId([9; 32])),
        ..record(1, 9)
    };
    put(store, &here, None, now, &record, None).await;
    let items = store.items(&here).await.expect("items");
    assert_eq!(items.summary(None), Some(&record));
    let found = items.heads.get("").expect("a head");
    assert_eq!(found.summarized, record.covered_tokens);
    let hinted = Head {
        summarized: record.covered_tokens,
        ..head
    };
    assert_eq!(found, &hinted, "nothing else has changed");
    let looked = store.head(&here, None, None, now.0).await.expect("a head");
    assert_eq!(looked.head, Some(hinted));
}

/// The summary there is is shown to whoever expected another.
pub async fn only_the_expected_summary_is_replaced<C: SummaryStore>(store: &C, now: Now) {
    let here = place("replaced");
    committed(store, &here, None, now, 20).await;
    let (first, second) = (record(1, 4), record(2, 9));
    let early = store
        .put_summary(&here, None, &write(now, &second, Some(&first)))
        .await;
    assert_eq!(early, Ok(SummaryOutcome::Refused { current: None }));
    put(store, &here, None, now, &first, None).await;
    for wrong in [None, Some(&second)] {
        let outcome = store
            .put_summary(&here, None, &write(now, &second, wrong))
            .await;
        let current = Some(Box::new(first.clone()));
        assert_eq!(outcome, Ok(SummaryOutcome::Refused { current }));
    }
    let items = store.items(&here).await.expect("items");
    assert_eq!(items.summary(None), Some(&first));
    assert_eq!(main_head(&items).summarized, first.covered_tokens);
    put(store, &here, None, now, &second, Some(&first)).await;
    let items = store.items(&here).await.expect("items");
    assert_eq!(items.summary(None), Some(&second));
    assert_eq!(main_head(&items).summarized, second.covered_tokens);
}

/// Without a head there is nothing a summary could belong to.
pub async fn a_summary_needs_a_head_that_reaches_as_far<C: SummaryStore>(store: &C, now: Now) {
    let here = place("headless");
    let outcome = store
        .put_summary(&here, None, &write(now, &record(1, 4), None))
        .await;
    assert_eq!(outcome, Ok(SummaryOutcome::NoHead));
    let items = store.items(&here).await.expect("items");
    assert!(items.heads.is_empty() && items.summaries.is_empty());
    committed(store, &here, None, now, 5).await;
    let outcome = store
        .put_summary(&here, None, &write(now, &record(1, 5), None))
        .await;
    assert_eq!(outcome, Ok(SummaryOutcome::NoHead), "6 of 5 messages");
    put(store, &here, None, now, &record(1, 4), None).await;
}

/// A store under way is not disturbed, and leaves the hint as it is.
pub async fn the_head_stays_the_one_a_writer_expects<C: SummaryStore>(store: &C, now: Now) {
    let here = place("undisturbed");
    let first = committed(store, &here, None, now, 20).await;
    put(store, &here, None, now, &record(1, 9), None).await;
    let second = Head {
        revision: 2,
        turn: TurnId([2; 32]),
        turns: 2,
        count: 22,
        ..first.clone()
    };
    let commit = commit(now, HeadExpectation::Is(Box::new(first)), second);
    let outcome = store.commit(&here, None, &commit).await;
    assert_eq!(outcome, Ok(CommitOutcome::Committed));
    let items = store.items(&here).await.expect("items");
    let head = main_head(&items);
    assert_eq!(
        (head.count, head.summarized),
        (22, record(1, 9).covered_tokens)
    );
}

/// One branch's summary is not another's.
pub async fn branches_have_summaries_of_their_own<C: SummaryStore>(store: &C, now: Now) {
    let here = place("branches");
    committed(store, &here, None, now, 20).await;
    committed(store, &here, Some("a # 50%"), now, 30).await;
    let (main, branch) = (record(1, 4), record(2, 25));
    put(store, &here, None, now, &main, None).await;
    put(store, &here, Some("a # 50%"), now, &branch, None).await;
    let items = store.items(&here).await.expect("items");
    assert_eq!(items.summary(None), Some(&main));
    assert_eq!(items.summary(Some("a # 50%")), Some(&branch));
    assert_eq!(items.summary(Some("other")), None);
}

/// Renewal touches no content, and makes none up.
pub async fn a_renewed_summary_stays_as_it_is<C: SummaryStore>(store: &C, now: Now) {
    let here = place("renewed");
    let renewing = |expected, head| Commit {
        renew: vec![ContextItem::Summary(String::new())],
        ..commit(now, expected, head)
    };
    let first = head(1, 20);
    let commit = renewing(HeadExpectation::Absent, first.clone());
    let outcome = store.commit(&here, None, &commit).await;
    assert_eq!(outcome, Ok(CommitOutcome::Committed));
    let items = store.items(&here).await.expect("items");
    assert!(items.summaries.is_empty());

    // What was renewed but never there counts as not there.
    let record = record(1, 9);
    put(store, &here, None, now, &record, None).await;
    let commit = renewing(HeadExpectation::Is(Box::new(first)), head(2, 20));
    let outcome = store.commit(&here, None, &commit).await;
    assert_eq!(outcome, Ok(CommitOutcome::Committed));
    let items = store.items(&here).await.expect("items");
    assert_eq!(items.summary(None), Some(&record));
}

/// A head that began anew has no summary, whatever lies there still; and the next one takes its place.
pub async fn what_an_earlier_head_left_behind_is_none<C: SummaryStore>(store: &C, now: Now) {
    let here = place("left-behind");
    committed(store, &here, None, now, 20).await;
    let (old, new) = (record(1, 9), record(2, 12));
    put(store, &here, None, now, &old, None).await;
    let mut items = store.items(&here).await.expect("items");
    // A head expires and another begins: all but the hint may be the same.
    items
        .heads
        .entry(String::new())
        .or_insert(head(1, 20))
        .summarized = 0;
    assert_eq!(items.summary(None), None);
    let left = items.summaries.get("").map(|summary| summary.id);
    assert_eq!(left, Some(old.id));
    put(store, &here, None, now, &new, Some(&old)).await;
}

/// Of summaries made from the same one at once, one is kept.
pub async fn one_of_many_writers_wins<C: SummaryStore>(store: &C, now: Now) {
    let here = place("writers");
    committed(store, &here, None, now, 20).await;
    let records: Vec<SummaryRecord> = (1..=8).map(|number| record(number, 9)).collect();
    let writes: Vec<SummaryWrite> = records.iter().map(|one| write(now, one, None)).collect();
    let calls = writes.iter().map(|write| settled(store, &here, write));
    let outcomes = futures_util::future::join_all(calls).await;
    let kept: Vec<&SummaryRecord> = records
        .iter()
        .zip(&outcomes)
        .filter(|(_, outcome)| **outcome == SummaryOutcome::Put)
        .map(|(record, _)| record)
        .collect();
    assert_eq!(kept.len(), 1, "{outcomes:?}");
    let items = store.items(&here).await.expect("items");
    assert_eq!(items.summary(None), kept.first().copied());
}

/// The outcome of a write, repeated while others are in its way.
async fn settled<C: SummaryWriter>(
    store: &C,
    conversation: &Conversation,
    write: &SummaryWrite,
) -> SummaryOutcome {
    loop {
        match store.put_summary(conversation, None, write).await {
            Ok(outcome) => return outcome,
            Err(conversation::ports::ContextError::Throttled) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

fn main_head(items: &ContextItems) -> &Head {
    items.heads.get("").expect("a head")
}

fn place(session: &str) -> Conversation {
    Conversation {
        memory: "summaries-0123456789".to_owned(),
        actor: "contract".to_owned(),
        session: session.to_owned(),
    }
}

fn record(number: u8, last_seq: u64) -> SummaryRecord {
    SummaryRecord {
        id: SummaryId([number; 32]),
        text: format!("summary {number}"),
        first_seq: 0,
        last_seq,
        ends_at: TurnId([1; 32]),
        model: "model".to_owned(),
        prompt_version: 1,
        input_hash: [number; 32],
        input_tokens: 200,
        output_tokens: 20,
        covered_tokens: 1_000 + u64::from(number),
        created_at_ms: 1_790_000_000_000,
        previous: None,
    }
}

fn head(revision: u64, count: u64) -> Head {
    Head {
        revision,
        turn: TurnId([1; 32]),
        turns: 1,
        count,
        tokens: 5_000,
        pins: 0,
        summarized: 0,
        last_ms: 1_790_000_000_000,
        last_event: None,
        fingerprint: [3; 32],
        system: [0; 8],
        recent: Vec::new(),
    }
}

fn commit(now: Now, expected: HeadExpectation, head: Head) -> Commit {
    Commit {
        expected,
        head,
        system: None,
        states: Vec::new(),
        renew: Vec::new(),
        key: None,
        expires_at: now.0 + 8 * 86_400,
        now_s: now.0,
        request_token: unique(),
    }
}

/// Commits a first head with so many messages, and gives it as it is read.
async fn committed<C: SummaryStore>(
    store: &C,
    conversation: &Conversation,
    branch: Option<&str>,
    now: Now,
    count: u64,
) -> Head {
    let commit = commit(now, HeadExpectation::Absent, head(1, count));
    let outcome = store.commit(conversation, branch, &commit).await;
    assert_eq!(outcome, Ok(CommitOutcome::Committed));
    let found = store.head(conversation, branch, None, now.0).await;
    found.expect("answered").head.expect("a head")
}

fn write(now: Now, record: &SummaryRecord, replaces: Option<&SummaryRecord>) -> SummaryWrite {
    SummaryWrite {
        record: record.clone(),
        replaces: replaces.map(|record| record.id),
        expires_at: now.0 + 8 * 86_400,
        request_token: unique(),
    }
}

async fn put<C: SummaryStore>(
    store: &C,
    conversation: &Conversation,
    branch: Option<&str>,
    now: Now,
    record: &SummaryRecord,
    replaces: Option<&SummaryRecord>,
) {
    let write = write(now, record, replaces);
    let outcome = store.put_summary(conversation, branch, &write).await;
    assert_eq!(outcome, Ok(SummaryOutcome::Put));
    // The answer may have been lost: the same write again is recognised, or finds its own.
    let again = store.put_summary(conversation, branch, &write).await;
    let current = Some(Box::new(record.clone()));
    assert!(
        matches!(&again, Ok(SummaryOutcome::Put))
            || again == Ok(SummaryOutcome::Refused { current }),
        "{again:?}"
    );
}

fn unique() -> String {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    format!("summary-{}-{number}", std::process::id())
}
