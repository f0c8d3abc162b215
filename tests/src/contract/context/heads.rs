//! Promises about heads: what is read back, what is replaced, what is remembered.

use conversation::ports::{
    CommitOutcome, ContextItems, ContextReader, ContextWriter, EventId, HeadLookup, SystemWrite,
};
use conversation::{Head, KeyHash, REMEMBERED_TURNS, TurnId};

use super::Now;
use super::sample::{applied, commit, current, head, message, place, refused_by, short};

/// An unknown conversation has no context, which is no error.
pub async fn nothing_is_there_at_first<C: ContextReader>(store: &C, now: Now) {
    let here = place("nothing");
    assert_eq!(store.items(&here).await, Ok(ContextItems::default()));
    let key = KeyHash::new(None, "never used");
    for key in [None, Some(&key)] {
        assert_eq!(
            store.head(&here, None, key, now.0).await,
            Ok(HeadLookup::default())
        );
    }
}

/// All of a head survives, and both ways of reading give the same.
pub async fn a_committed_head_is_read_back<C: ContextReader + ContextWriter>(store: &C, now: Now) {
    let here = place("read-back");
    let first = Head {
        last_ms: -5,
        last_event: Some(EventId("0000001772375782346#c5e4dee5".to_owned())),
        system: [1; 8],
        ..head(1)
    };
    let outcome = store.commit(&here, None, &commit(now, None, &first)).await;
    assert_eq!(outcome, Ok(CommitOutcome::Committed));
    assert_eq!(current(store, &here, None, now).await, Some(first.clone()));
    let items = store.items(&here).await.expect("items");
    assert_eq!(items.heads.get(""), Some(&first));
    assert_eq!(
        (items.heads.len(), items.system, items.states.len()),
        (1, None, 0)
    );

    // An id that was there must be able to go again.
    let second = Head {
        last_event: None,
        ..head(2)
    };
    let outcome = store
        .commit(&here, None, &commit(now, Some(&first), &second))
        .await;
    assert_eq!(outcome, Ok(CommitOutcome::Committed));
    let found = current(store, &here, None, now).await.expect("a head");
    assert_eq!(found.last_event, None);
    assert_eq!(found.recent, [short(&first)]);
}

/// Each field of the expected head counts; the refusal shows the head there is.
pub async fn only_the_exact_head_is_replaced<C: ContextReader + ContextWriter>(
    store: &C,
    now: Now,
) {
    let here = place("exact");
    let there = Head {
        last_event: Some(EventId("0000000000000000001#00000001".to_owned())),
        ..head(1)
    };
    applied(store, &here, None, &commit(now, None, &there)).await;
    let wrong = [
        Head {
            revision: 2,
            ..there.clone()
        },
        Head {
            turn: TurnId([9; 32]),
            ..there.clone()
        },
        Head {
            turns: 9,
            ..there.clone()
        },
        Head {
            count: 9,
            ..there.clone()
        },
        Head {
            tokens: 9,
            ..there.clone()
        },
        Head {
            pins: 9,
            ..there.clone()
        },
        Head {
            last_ms: 9,
            ..there.clone()
        },
        Head {
            last_event: None,
            ..there.clone()
        },
        Head {
            last_event: Some(EventId("0000000000000000001#00000002".to_owned())),
            ..there.clone()
        },
        Head {
            fingerprint: [9; 32],
            ..there.clone()
        },
        Head {
            system: [9; 8],
            ..there.clone()
        },
    ];
    for expected in wrong {
        let outcome = store
            .commit(&here, None, &commit(now, Some(&expected), &head(2)))
            .await;
        assert_eq!(outcome, Ok(refused_by(&there)), "{expected:?}");
    }
    let outcome = store
        .commit(&here, None, &commit(now, None, &head(2)))
        .await;
    assert_eq!(outcome, Ok(refused_by(&there)));
    assert_eq!(current(store, &here, None, now).await, Some(there.clone()));

    // What a caller does not know, the remembered turns, or may have outdated, the hint of what is
    // summarised, is no part of the condition.
    let from_token = Head {
        recent: vec![[7; 16]],
        summarized: 7,
        ..there
    };
    applied(
        store,
        &here,
        None,
        &commit(now, Some(&from_token), &head(2)),
    )
    .await;
}

/// The hint of what is summarised is not for a commit to write: neither with a new head nor over one.
pub async fn a_commit_leaves_the_summary_hint_alone<C: ContextReader + ContextWriter>(
    store: &C,
    now: Now,
) {
    let here = place("hint");
    let claims = |number| Head {
        summarized: 7,
        ..head(number)
    };
    applied(store, &here, None, &commit(now, None, &claims(1))).await;
    let found = current(store, &here, None, now).await.expect("a head");
    assert_eq!(found.summarized, 0);
    let next = commit(now, Some(&claims(1)), &claims(2));
    applied(store, &here, None, &next).await;
    let found = current(store, &here, None, now).await.expect("a head");
    assert_eq!((found.turns, found.summarized), (2, 0));
}

/// Where a head is expected and none is there, the refusal says that there is none.
pub async fn a_missing_head_refuses_a_known_one<C: ContextReader + ContextWriter>(
    store: &C,
    now: Now,
) {
    let here = place("missing");
    for extra in [false, true] {
        let mut commit = commit(now, Some(&head(1)), &head(2));
        commit.system = extra.then(|| SystemWrite::Put(message("x")));
        let outcome = store.commit(&here, None, &commit).await;
        let none = CommitOutcome::Refused {
            head: Some(None),
            key: None,
            state: None,
        };
        assert_eq!(outcome, Ok(none));
    }
    assert_eq!(store.items(&here).await, Ok(ContextItems::default()));
}

/// A head remembers the turns before it, newest first, though no writer ever gives them.
pub async fn the_last_turns_are_remembered<C: ContextReader + ContextWriter>(store: &C, now: Now) {
    let here = place("remembered");
    let mut before: Vec<Head> = Vec::new();
    for number in 1..=40 {
        let next = head(number);
        applied(store, &here, None, &commit(now, before.last(), &next)).await;
        before.push(next);
        let wanted: Vec<_> = before
            .iter()
            .rev()
            .skip(1)
            .take(REMEMBERED_TURNS - 1)
            .map(short)
            .collect();
        let found = current(store, &here, None, now).await.expect("a head");
        assert_eq!(found.recent, wanted, "after {number} turns");
    }
    // A change of context alone is no turn: the revision rises and the list stays.
    let touched = Head {
        revision: 41,
        ..head(40)
    };
    applied(store, &here, None, &commit(now, before.last(), &touched)).await;
    let found = current(store, &here, None, now).await.expect("a head");
    let wanted: Vec<_> = before
        .iter()
        .rev()
        .skip(1)
        .take(REMEMBERED_TURNS - 1)
        .map(short)
        .collect();
    assert_eq!((found.revision, found.recent), (41, wanted));
}

/// The main line and each branch move apart from each other.
pub async fn branches_have_heads_of_their_own<C: ContextReader + ContextWriter>(
    store: &C,
    now: Now,
) {
    let here = place("heads");
    applied(store, &here, None, &commit(now, None, &head(1))).await;
    applied(store, &here, Some("draft"), &commit(now, None, &head(2))).await;
    applied(store, &here, Some("draft-2"), &commit(now, None, &head(3))).await;
    let heads = store.items(&here).await.expect("items").heads;
    let turns: Vec<_> = heads
        .iter()
        .map(|(name, head)| (name.as_str(), head.turns))
        .collect();
    assert_eq!(turns, [("", 1), ("draft", 2), ("draft-2", 3)]);
    let draft = current(store, &here, Some("draft"), now)
        .await
        .expect("a head");
    // A branch that starts in mid-conversation knows only the turns it committed itself.
    assert_eq!((draft.turns, draft.recent.len()), (2, 0));
    assert_eq!(current(store, &here, Some("other"), now).await, None);
}
