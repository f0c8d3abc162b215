//! Promises about commits: whole or not at all, once, one of many, each key once, each conversation apart.

use conversation::ports::{
    CommitOutcome, ContextReader, ContextWriter, HeadLookup, KeyRecord, SystemWrite,
};
use conversation::{Conversation, Head, KeyHash, TurnId};
use serde_json::json;

use super::Now;
use super::sample::{
    applied, commit, current, head, head_turn, message, place, record, state, unique,
};

/// One condition that does not hold keeps everything else from being written.
pub async fn a_refused_commit_changes_nothing<C: ContextReader + ContextWriter>(
    store: &C,
    now: Now,
) {
    let here = place("nothing-changed");
    let mut first = commit(now, None, &head(1));
    first.system = Some(SystemWrite::Put(message("old")));
    first.states = vec![state("a", json!({"v": "old"}), Some(0))];
    first.key = Some(record(now, "key 1", 1));
    applied(store, &here, None, &first).await;
    let before = store.items(&here).await.expect("items");

    let change = |expected: &Head| {
        let mut commit = commit(now, Some(expected), &head(2));
        commit.system = Some(SystemWrite::Put(message("new")));
        commit.states = vec![
            state("a", json!({"v": "new"}), Some(1)),
            state("b", json!({}), Some(0)),
        ];
        commit.key = Some(record(now, "key 2", 2));
        commit
    };
    let mut wrong_state = change(&head(1));
    wrong_state.states.push(state("c", json!({}), Some(7)));
    let mut wrong_key = change(&head(1));
    wrong_key.key = Some(record(now, "key 1", 2));
    for (name, commit) in [
        (
            "head",
            change(&Head {
                revision: 7,
                ..head(1)
            }),
        ),
        ("state", wrong_state),
        ("key", wrong_key),
    ] {
        let outcome = store.commit(&here, None, &commit).await.expect("answered");
        assert!(
            matches!(outcome, CommitOutcome::Refused { .. }),
            "{name}: {outcome:?}"
        );
        assert_eq!(store.items(&here).await, Ok(before.clone()), "{name}");
        let key = KeyHash::new(None, "key 2");
        let found = store
            .head(&here, None, Some(&key), now.0)
            .await
            .expect("answered");
        assert_eq!(found.key, None, "{name}");
    }
    applied(store, &here, None, &change(&head(1))).await;
}

/// A key is there once its commit is, and refuses every other; a load never reads it.
pub async fn keys_are_put_once<C: ContextReader + ContextWriter>(store: &C, now: Now) {
    let here = place("keys");
    let mut first = commit(now, None, &head(1));
    first.key = Some(record(now, "key", 1));
    applied(store, &here, None, &first).await;
    let key = KeyHash::new(None, "key");
    let found = store
        .head(&here, None, Some(&key), now.0)
        .await
        .expect("answered");
    assert_eq!(found.head.map(|head| head.turns), Some(1));
    assert_eq!(found.key, first.key);

    let mut again = commit(now, Some(&head(1)), &head(2));
    again.key = Some(KeyRecord {
        body: [9; 32],
        ..record(now, "key", 2)
    });
    let outcome = store.commit(&here, None, &again).await;
    let refused = CommitOutcome::Refused {
        head: None,
        key: first.key.clone().map(Box::new),
        state: None,
    };
    assert_eq!(outcome, Ok(refused));

    // Both conditions broken: both are told.
    let mut stale = commit(now, None, &head(2));
    stale.key.clone_from(&again.key);
    match store.commit(&here, None, &stale).await {
        Ok(CommitOutcome::Refused { head, key, .. }) => {
            assert_eq!(key.as_deref(), first.key.as_ref());
            assert_eq!(head.flatten().map(|head| head.turns), Some(1));
        }
        other => panic!("not refused: {other:?}"),
    }
    let items = store.items(&here).await.expect("items");
    assert_eq!((items.heads.len(), items.states.len()), (1, 0));
    // The same key on another branch, or in another conversation, is another key.
    let elsewhere = KeyHash::new(Some("draft"), "key");
    let found = store
        .head(&here, None, Some(&elsewhere), now.0)
        .await
        .expect("answered");
    assert_eq!(found.key, None);
    let found = store
        .head(&place("keys-2"), None, Some(&key), now.0)
        .await
        .expect("answered");
    assert_eq!(found, HeadLookup::default());
}

/// What has expired is none, whether or not the store still holds it, and may be put again.
pub async fn an_expired_key_is_none<C: ContextReader + ContextWriter>(store: &C, now: Now) {
    let here = place("expired");
    let mut first = commit(now, None, &head(1));
    let expires_at = now.0 + 1_000;
    first.key = Some(KeyRecord {
        expires_at,
        ..record(now, "key", 1)
    });
    applied(store, &here, None, &first).await;
    let key = KeyHash::new(None, "key");
    for (at, there) in [
        (expires_at - 1, true),
        (expires_at, false),
        (expires_at + 1, false),
    ] {
        let found = store
            .head(&here, None, Some(&key), at)
            .await
            .expect("answered");
        assert_eq!(found.key.is_some(), there, "at {at}");
    }
    let mut second = commit(now, Some(&head(1)), &head(2));
    second.key = Some(record(now, "key", 2));
    second.now_s = expires_at - 1;
    let outcome = store.commit(&here, None, &second).await.expect("answered");
    assert!(matches!(
        outcome,
        CommitOutcome::Refused { key: Some(_), .. }
    ));
    second.now_s = expires_at;
    second.request_token = unique();
    applied(store, &here, None, &second).await;
    let found = store
        .head(&here, None, Some(&key), now.0)
        .await
        .expect("answered");
    assert_eq!(found.key, second.key);
}

/// Sent twice, a commit is applied once: it is recognised, or refused by its own result.
pub async fn a_repeated_commit_is_applied_once<C: ContextReader + ContextWriter>(
    store: &C,
    now: Now,
) {
    for extra in [false, true] {
        let here = place(if extra { "repeat-all" } else { "repeat-head" });
        applied(store, &here, None, &commit(now, None, &head(1))).await;
        let mut again = commit(now, Some(&head(1)), &head(2));
        if extra {
            again.states = vec![state("a", json!({}), None)];
            again.key = Some(record(now, "key", 2));
        }
        applied(store, &here, None, &again).await;
        match store.commit(&here, None, &again).await.expect("answered") {
            CommitOutcome::Committed => {}
            CommitOutcome::Refused { head, .. } => {
                assert_eq!(head.flatten().map(|found| found.turn), Some(head_turn(2)));
            }
        }
        let items = store.items(&here).await.expect("items");
        assert_eq!(items.heads.get("").map(|head| head.revision), Some(2));
        assert_eq!(items.states.get("a").map_or(1, |state| state.version), 1);
    }
}

/// Of writers that expect the same head at the same time, one moves it.
pub async fn one_of_many_writers_wins<C: ContextReader + ContextWriter>(store: &C, now: Now) {
    for extra in [false, true] {
        let here = place(if extra { "race-all" } else { "race-head" });
        applied(store, &here, None, &commit(now, None, &head(1))).await;
        let writers = (0..8_u8).map(|writer| {
            let next = Head {
                turn: TurnId([writer; 32]),
                ..head(2)
            };
            let mut commit = commit(now, Some(&head(1)), &next);
            if extra {
                commit.key = Some(record(now, &format!("key {writer}"), 2));
            }
            let here = here.clone();
            async move { store.commit(&here, None, &commit).await }
        });
        let outcomes = futures_util::future::join_all(writers).await;
        let won = outcomes
            .iter()
            .filter(|outcome| **outcome == Ok(CommitOutcome::Committed));
        assert_eq!(won.count(), 1, "{outcomes:?}");
        let found = current(store, &here, None, now).await.expect("a head");
        assert_eq!(
            outcomes.get(usize::from(found.turn.0[0])),
            Some(&Ok(CommitOutcome::Committed))
        );
    }
}

/// Nothing of one conversation shows in another, also where one id is the beginning of another.
pub async fn conversations_do_not_see_each_other<C: ContextReader + ContextWriter>(
    store: &C,
    now: Now,
) {
    let places = [
        ("m-0123456789", "ada", "s"),
        ("m-0123456789", "ada", "s-2"),
        ("m-0123456789", "ada", "s2"),
        ("m-0123456789", "ada/s", "s"),
        ("m-0123456789", "ad", "s"),
        ("n-0123456789", "ada", "s"),
        ("m-0123456789", "ada", "sys"),
    ];
    let place = |(memory, actor, session): (&str, &str, &str)| Conversation {
        memory: memory.to_owned(),
        actor: actor.to_owned(),
        session: session.to_owned(),
    };
    for (number, at) in (1..).zip(places) {
        let mut commit = commit(now, None, &head(number));
        commit.system = Some(SystemWrite::Put(message(&number.to_string())));
        commit.states = vec![state("a", json!({"number": number}), Some(0))];
        commit.key = Some(record(now, "key", number));
        applied(store, &place(at), None, &commit).await;
    }
    for (number, at) in (1..).zip(places) {
        let items = store.items(&place(at)).await.expect("items");
        let turns: Vec<u64> = items.heads.values().map(|head| head.turns).collect();
        assert_eq!(turns, [number]);
        assert_eq!(
            items.system.map(|system| system.message),
            Some(message(&number.to_string()))
        );
        assert_eq!(items.states.len(), 1);
        let key = KeyHash::new(None, "key");
        let found = store
            .head(&place(at), None, Some(&key), now.0)
            .await
            .expect("answered");
        assert_eq!(found.key.map(|record| record.stored), Some(number));
    }
}
