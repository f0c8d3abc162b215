//! Promises about what is kept beside the head: the system message, states, their renewal.

use codec::model::{Content, Object, SystemMessage};
use conversation::Head;
use conversation::ports::{
    CommitOutcome, ContextItem, ContextReader, ContextWriter, StateWrite, SystemWrite,
};
use serde_json::{Value, json};

use super::Now;
use super::sample::{applied, commit, current, head, message, place, state, words};

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
        metadata: object.clone().into(),
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
