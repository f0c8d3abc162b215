//! Where the memory ports are awkward like the services.

use std::collections::BTreeMap;
use std::time::Duration;

use codec::{Payload, Role};

use super::{ClientTokens, MemoryContext, MemoryLog, VirtualClock, run};
use crate::head::Head;
use crate::id::{Conversation, KeyHash};
use crate::ports::{
    BranchRoot, Clock, Commit, CommitOutcome, ContextReader, ContextWriter, EventId, EventLogError,
    EventReader, EventWriter, HeadExpectation, KeyRecord, NewEvent, Page, PageToken,
};
use crate::turn::TurnId;

const DAY: Duration = Duration::from_hours(24);

fn conversation(session: &str) -> Conversation {
    Conversation {
        memory: "m".to_owned(),
        actor: "a".to_owned(),
        session: session.to_owned(),
    }
}

struct Log {
    clock: VirtualClock,
    log: MemoryLog<VirtualClock>,
}

impl Log {
    fn new(tokens: ClientTokens) -> Self {
        let clock = VirtualClock::starting_at(1_000_000);
        let log = MemoryLog::new(clock.clone(), 7 * DAY, tokens);
        Self { clock, log }
    }

    fn create(
        &self,
        ms: i64,
        token: &str,
        branch: Option<BranchRoot>,
    ) -> Result<EventId, EventLogError> {
        let event = NewEvent {
            timestamp_ms: ms,
            payload: vec![Payload::Conversational {
                role: Role::User,
                text: token.to_owned(),
            }],
            metadata: BTreeMap::new(),
            branch,
            client_token: token.to_owned(),
        };
        run(&self.clock, self.log.create(&conversation("s"), &event)).unwrap()
    }

    fn page(&self, branch: Option<&str>, token: Option<PageToken>) -> Page {
        run(
            &self.clock,
            self.log.page(&conversation("s"), branch, token),
        )
        .unwrap()
        .unwrap()
    }

    fn times(&self, branch: Option<&str>) -> Vec<i64> {
        let page = self.page(branch, None);
        page.events.iter().map(|event| event.timestamp_ms).collect()
    }
}

fn on(name: &str, root: Option<&EventId>) -> BranchRoot {
    BranchRoot {
        name: name.to_owned(),
        root: root.cloned(),
    }
}

#[test]
fn pages_are_of_a_hundred_newest_first() {
    let log = Log::new(ClientTokens::Honoured);
    for ms in 0..250 {
        log.create(ms, &ms.to_string(), None).unwrap();
    }
    let (mut token, mut times, mut sizes) = (None, Vec::new(), Vec::new());
    loop {
        let page = log.page(None, token);
        sizes.push(page.events.len());
        times.extend(page.events.iter().map(|event| event.timestamp_ms));
        // What is written meanwhile comes before the first page.
        log.create(
            1000 + i64::try_from(times.len()).unwrap(),
            &times.len().to_string(),
            None,
        )
        .unwrap();
        token = page.next;
        if token.is_none() {
            break;
        }
    }
    assert_eq!(sizes, [100, 100, 50]);
    assert_eq!(times, (0..250).rev().collect::<Vec<_>>());
}

#[test]
fn events_of_one_millisecond_come_in_any_order() {
    let log = Log::new(ClientTokens::Honoured);
    let written: Vec<_> = (0..20)
        .map(|i| log.create(5, &i.to_string(), None).unwrap())
        .collect();
    let listed: Vec<_> = log
        .page(None, None)
        .events
        .into_iter()
        .map(|event| event.id)
        .collect();
    assert_ne!(listed, written);
    assert!(!listed.iter().eq(written.iter().rev()));
}

#[test]
fn a_repeated_client_token_may_or_may_not_be_recognised() {
    let honoured = Log::new(ClientTokens::Honoured);
    assert_eq!(honoured.create(1, "t", None), honoured.create(1, "t", None));
    assert_eq!(honoured.times(None).len(), 1);
    let ignored = Log::new(ClientTokens::Ignored);
    assert_ne!(ignored.create(1, "t", None), ignored.create(1, "t", None));
    assert_eq!(ignored.times(None).len(), 2);
}

#[test]
fn events_expire_by_when_they_were_created() {
    let log = Log::new(ClientTokens::Honoured);
    log.create(1, "old", None).unwrap();
    log.clock.advance(6 * DAY);
    log.create(2, "new", None).unwrap();
    assert_eq!(log.times(None), [2, 1]);
    log.clock.advance(DAY);
    assert_eq!(log.times(None), [2]);
}

#[test]
fn a_branch_is_listed_with_its_ancestors_up_to_its_root() {
    let log = Log::new(ClientTokens::Honoured);
    let one = log.create(1, "1", None).unwrap();
    log.create(2, "2", Some(on("b", Some(&one)))).unwrap();
    let three = log.create(3, "3", Some(on("b", None))).unwrap();
    log.create(4, "4", None).unwrap();
    log.create(5, "5", Some(on("b", None))).unwrap();
    log.create(6, "6", Some(on("c", Some(&three)))).unwrap();
    log.create(7, "7", Some(on("main", None))).unwrap();
    assert_eq!(log.times(Some("b")), [5, 3, 2, 1]);
    assert_eq!(log.times(Some("c")), [6, 3, 2, 1]);
    assert_eq!(log.times(Some("nowhere")), [0; 0]);
    assert_eq!(log.times(None), [7, 6, 5, 4, 3, 2, 1]);
}

#[test]
fn a_new_branch_needs_a_root_in_its_session() {
    let log = Log::new(ClientTokens::Honoured);
    let invalid = |result| matches!(result, Err(EventLogError::Invalid { .. }));
    assert!(invalid(log.create(1, "1", Some(on("b", None)))));
    let elsewhere = EventId("0000000000000000001#00000000".to_owned());
    assert!(invalid(log.create(1, "1", Some(on("b", Some(&elsewhere))))));
    assert_eq!(log.times(None), [0; 0]);
}

#[test]
fn deleting_what_is_not_there_succeeds() {
    let log = Log::new(ClientTokens::Honoured);
    let event = log.create(1, "1", None).unwrap();
    for _ in 0..2 {
        let session = conversation("s");
        let delete = log.log.delete(&session, &event);
        assert_eq!(run(&log.clock, delete).unwrap(), Ok(()));
    }
    assert_eq!(log.times(None), [0; 0]);
}

fn head(turns: u64) -> Head {
    let mut turn = [0; 32];
    turn[..8].copy_from_slice(&turns.to_be_bytes());
    Head {
        revision: turns,
        turn: TurnId(turn),
        turns,
        count: turns,
        tokens: 10 * turns,
        pins: 0,
        summarized: 0,
        last_ms: 0,
        last_event: None,
        fingerprint: [0; 32],
        system: [0; 8],
        recent: Vec::new(),
    }
}

struct Context(MemoryContext);

impl Context {
    fn commit(
        &self,
        expected: HeadExpectation,
        head: Head,
        key: Option<KeyRecord>,
        now_s: i64,
    ) -> CommitOutcome {
        let commit = Commit {
            expected,
            head,
            system: None,
            states: Vec::new(),
            renew: Vec::new(),
            key,
            expires_at: i64::MAX,
            now_s,
            request_token: String::new(),
        };
        let session = conversation("s");
        let call = self.0.commit(&session, None, &commit);
        run(&VirtualClock::starting_at(0), call).unwrap().unwrap()
    }

    fn head(&self) -> Head {
        let session = conversation("s");
        let call = self.0.head(&session, None, None, 0);
        let found = run(&VirtualClock::starting_at(0), call).unwrap().unwrap();
        found.head.unwrap()
    }
}

#[test]
fn writers_with_only_a_token_keep_the_ring() {
    let store = Context(MemoryContext::new());
    assert_eq!(
        store.commit(HeadExpectation::Absent, head(1), None, 0),
        CommitOutcome::Committed
    );
    for turns in 2..=40 {
        // A head from a token remembers nothing; the store still does.
        let expected = HeadExpectation::Is(Box::new(head(turns - 1)));
        assert_eq!(
            store.commit(expected, head(turns), None, 0),
            CommitOutcome::Committed
        );
        let remembered: Vec<_> = store.head().recent.iter().map(|short| short[7]).collect();
        let first = turns.saturating_sub(15).max(1);
        let expected: Vec<u8> = (first..turns)
            .rev()
            .map(|turn| u8::try_from(turn).unwrap())
            .collect();
        assert_eq!(remembered, expected, "after {turns} turns");
    }
}

#[test]
fn every_field_of_the_head_is_a_condition() {
    let store = Context(MemoryContext::new());
    store.commit(HeadExpectation::Absent, head(1), None, 0);
    let changes: [fn(&mut Head); 8] = [
        |head| head.revision += 1,
        |head| head.turn = TurnId([9; 32]),
        |head| head.turns += 1,
        |head| head.count += 1,
        |head| head.last_ms += 1,
        |head| head.last_event = Some(EventId("x".to_owned())),
        |head| head.fingerprint = [9; 32],
        |head| head.system = [9; 8],
    ];
    for change in changes {
        let mut expected = head(1);
        change(&mut expected);
        let outcome = store.commit(HeadExpectation::Is(Box::new(expected)), head(2), None, 0);
        assert!(matches!(
            outcome,
            CommitOutcome::Refused {
                head: Some(Some(_)),
                ..
            }
        ));
    }
    let outcome = store.commit(HeadExpectation::Absent, head(2), None, 0);
    assert!(matches!(
        outcome,
        CommitOutcome::Refused {
            head: Some(Some(_)),
            ..
        }
    ));
    assert_eq!(store.head(), head(1));
}

#[test]
fn an_expired_key_is_none() {
    let store = Context(MemoryContext::new());
    let record = |expires_at| KeyRecord {
        key: KeyHash::new(None, "k"),
        body: [0; 32],
        head: head(1),
        stored: 1,
        expires_at,
    };
    store.commit(HeadExpectation::Absent, head(1), Some(record(100)), 0);
    let next = || HeadExpectation::Is(Box::new(head(1)));
    let outcome = store.commit(next(), head(2), Some(record(200)), 99);
    assert!(matches!(
        outcome,
        CommitOutcome::Refused {
            head: None,
            key: Some(_),
            ..
        }
    ));
    assert_eq!(
        store.commit(next(), head(2), Some(record(200)), 100),
        CommitOutcome::Committed
    );
}

#[test]
fn time_passes_only_for_those_who_wait() {
    let clock = VirtualClock::starting_at(10);
    let ahead = clock.skewed_by(5);
    let slept = run(&clock, async {
        clock.sleep(Duration::from_millis(7)).await;
        (clock.now_ms(), ahead.now_ms(), clock.monotonic_ms())
    });
    assert_eq!(slept, Some((17, 22, 7)));
    assert_eq!(run(&clock, std::future::pending::<()>()), None);
}
