//! The promises of [`ContextReader`] and [`ContextWriter`].

use codec::model::{Content, Object, SystemMessage};
use conversation::ports::{
    Commit, CommitOutcome, ContextItem, ContextItems, ContextReader, ContextWriter, EventId,
    HeadExpectation, HeadLookup, KeyRecord, StateWrite, SystemWrite,
};
use conversation::{Conversation, Head, KeyHash, REMEMBERED_TURNS, TurnId};
use serde_json::{Value, json};

/// Seconds since the epoch that the suite calls now. Tables drop what has expired by their own
/// clock, so it is the caller's, and everything the suite keeps expires well after it.
#[derive(Clone, Copy, Debug)]
pub struct Now(pub i64);

/// All promises, one after the other.
pub async fn all<C: ContextReader + ContextWriter>(store: &C, now: Now) {
    nothing_is_there_at_first(store, now).await;
    a_committed_head_is_read_back(store, now).await;
    only_the_exact_head_is_replaced(store, now).await;
    a_commit_leaves_the_summary_hint_alone(store, now).await;
    a_missing_head_refuses_a_known_one(store, now).await;
    the_last_turns_are_remembered(store, now).await;
    branches_have_heads_of_their_own(store, now).await;
    the_system_message_changes_only_when_told(store, now).await;
    states_are_versioned(store, now).await;
    renewed_items_stay_as_they_are(store, now).await;
    what_is_kept_comes_back_to_the_letter(store, now).await;
    a_refused_commit_changes_nothing(store, now).await;
    keys_are_put_once(store, now).await;
    an_expired_key_is_none(store, now).await;
    a_repeated_commit_is_applied_once(store, now).await;
    one_of_many_writers_wins(store, now).await;
    conversations_do_not_see_each_other(store, now).await;
}

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

/// Put, kept, replaced, removed.
pub async fn the_system_message_changes_only_when_told<C: ContextReader + ContextWriter>(
    store: &C,
    now: Now,
) {
    let here = place("system");
    let steps = [
        (
            Some(SystemWrite::Put(message("be brief"))),
            Some(message("be brief")),
        ),
        (None, Some(message("be brief"))),
        (
            Some(SystemWrite::Put(message("be kind"))),
            Some(message("be kind")),
        ),
        (Some(SystemWrite::Remove), None),
        // Removing what is not there is no error.
        (Some(SystemWrite::Remove), None),
    ];
    let mut before: Option<Head> = None;
    for (number, (write, wanted)) in (1..).zip(steps) {
        let mut commit = commit(now, before.as_ref(), &head(number));
        commit.system = write;
        applied(store, &here, None, &commit).await;
        let found = store.items(&here).await.expect("items").system;
        assert_eq!(found.map(|system| system.message), wanted, "step {number}");
        before = Some(head(number));
    }
}

/// Versions count from 1; an expected one must match, none overwrites.
pub async fn states_are_versioned<C: ContextReader + ContextWriter>(store: &C, now: Now) {
    let here = place("states");
    let steps = [
        // (expected, accepted, version afterwards)
        (Some(1), false, 0),
        (Some(0), true, 1),
        (Some(0), false, 1),
        (Some(1), true, 2),
        (Some(1), false, 2),
        (None, true, 3),
        (Some(3), true, 4),
    ];
    let mut before: Option<Head> = None;
    let mut number = 1;
    for (expected_version, accepted, version) in steps {
        let mut commit = commit(now, before.as_ref(), &head(number));
        commit.states = vec![state("planner", json!({"step": number}), expected_version)];
        let outcome = store.commit(&here, None, &commit).await.expect("answered");
        if accepted {
            assert_eq!(outcome, CommitOutcome::Committed, "{expected_version:?}");
            before = Some(head(number));
            number += 1;
        } else {
            let refused = CommitOutcome::Refused {
                head: None,
                key: None,
                state: Some(("planner".to_owned(), version)),
            };
            assert_eq!(outcome, refused, "{expected_version:?}");
        }
        let states = store.items(&here).await.expect("items").states;
        assert_eq!(
            states.get("planner").map_or(0, |state| state.version),
            version
        );
        let turns = current(store, &here, None, now)
            .await
            .map_or(0, |head| head.turns);
        assert_eq!(turns, number - 1);
    }
    // Several agents in one commit, one of them new and unconditional.
    let mut commit = commit(now, before.as_ref(), &head(number));
    commit.states = vec![
        state("planner", json!({}), Some(4)),
        state("agent # 50% /", json!({"own": true}), None),
    ];
    applied(store, &here, None, &commit).await;
    let states = store.items(&here).await.expect("items").states;
    let versions: Vec<_> = states
        .iter()
        .map(|(agent, state)| (agent.as_str(), state.version))
        .collect();
    assert_eq!(versions, [("agent # 50% /", 1), ("planner", 5)]);
}

/// Renewal touches no content and makes none up.
pub async fn renewed_items_stay_as_they_are<C: ContextReader + ContextWriter>(store: &C, now: Now) {
    let here = place("renewed");
    let renew = vec![
        ContextItem::System,
        ContextItem::State("a".to_owned()),
        ContextItem::State("b".to_owned()),
    ];
    let mut first = commit(now, None, &head(1));
    first.renew.clone_from(&renew);
    applied(store, &here, None, &first).await;
    let items = store.items(&here).await.expect("items");
    assert_eq!((items.system, items.states.len()), (None, 0));

    // What was renewed but never there counts as not there, also to an expected version.
    let mut second = commit(now, Some(&head(1)), &head(2));
    second.system = Some(SystemWrite::Put(message("be brief")));
    second.states = vec![state("a", json!({"v": 1}), Some(0))];
    second.renew.clone_from(&renew);
    applied(store, &here, None, &second).await;
    let kept = store.items(&here).await.expect("items");
    assert_eq!(
        kept.system.as_ref().map(|system| &system.message),
        Some(&message("be brief"))
    );
    assert_eq!(kept.states.get("a").map(|state| state.version), Some(1));
    assert!(!kept.states.contains_key("b"));

    let mut third = commit(now, Some(&head(2)), &head(3));
    third.renew = renew;
    applied(store, &here, None, &third).await;
    let renewed = store.items(&here).await.expect("items");
    assert_eq!((renewed.system, renewed.states), (kept.system, kept.states));
}

/// Order of keys, digits of numbers and unknown fields survive.
pub async fn what_is_kept_comes_back_to_the_letter<C: ContextReader + ContextWriter>(
    store: &C,
    now: Now,
) {
    let here = place("letter");
    let text =
        r#"{"z":123456789012345678901234567890.10,"a":[1.0,1e3,-0,null,""],"m":{"\u0000":"é"}}"#;
    let object: Object = serde_json::from_str(text).expect("JSON");
    let system = SystemMessage {
        content: vec![
            words("be brief"),
            Content::from(
                serde_json::from_str::<Object>(r#"{"type":"later","x":1.50}"#).expect("JSON"),
            ),
        ],
        metadata: object.clone(),
        extra: serde_json::from_str(r#"{"unknown":{"b":1,"a":2}}"#).expect("JSON"),
    };
    let mut commit = commit(now, None, &head(1));
    commit.system = Some(SystemWrite::Put(system.clone()));
    commit.states = vec![StateWrite {
        agent: "a".to_owned(),
        value: object.clone(),
        expected_version: Some(0),
    }];
    applied(store, &here, None, &commit).await;
    let items = store.items(&here).await.expect("items");
    assert_eq!(items.system.expect("kept").message, system);
    let state = &items.states.get("a").expect("kept").value;
    assert_eq!(
        Value::Object(state.clone()).to_string(),
        Value::Object(object).to_string()
    );
}

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

fn place(session: &str) -> Conversation {
    Conversation {
        memory: "chat-0123456789".to_owned(),
        actor: "contract".to_owned(),
        session: session.to_owned(),
    }
}

/// The head after `number` turns, as a writer gives it: without remembered turns.
fn head(number: u64) -> Head {
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

fn head_turn(number: u64) -> TurnId {
    let mut id = [0xc0; 32];
    id.iter_mut()
        .zip(number.to_be_bytes())
        .for_each(|(to, from)| *to = from);
    TurnId(id)
}

fn short(head: &Head) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&head.turn.0[..16]);
    half
}

fn commit(now: Now, expected: Option<&Head>, head: &Head) -> Commit {
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

fn unique() -> String {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    format!("{}-{number}", std::process::id())
}

fn record(now: Now, key: &str, number: u64) -> KeyRecord {
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

fn state(agent: &str, value: Value, expected_version: Option<u64>) -> StateWrite {
    let Value::Object(value) = value else {
        panic!("a state is an object")
    };
    StateWrite {
        agent: agent.to_owned(),
        value,
        expected_version,
    }
}

fn message(text: &str) -> SystemMessage {
    SystemMessage {
        content: vec![words(text)],
        ..SystemMessage::default()
    }
}

fn words(text: &str) -> Content {
    Content::Text {
        text: text.to_owned(),
        metadata: Object::new(),
        extra: Object::new(),
    }
}

fn refused_by(there: &Head) -> CommitOutcome {
    CommitOutcome::Refused {
        head: Some(Some(Box::new(there.clone()))),
        key: None,
        state: None,
    }
}

async fn applied<C: ContextWriter>(
    store: &C,
    conversation: &Conversation,
    branch: Option<&str>,
    commit: &Commit,
) {
    let outcome = store.commit(conversation, branch, commit).await;
    assert_eq!(outcome, Ok(CommitOutcome::Committed));
}

async fn current<C: ContextReader>(
    store: &C,
    conversation: &Conversation,
    branch: Option<&str>,
    now: Now,
) -> Option<Head> {
    let found = store.head(conversation, branch, None, now.0).await;
    found.expect("answered").head
}
