//! `ListEvents`, `ListSessions` and `ListActors`.

use std::collections::BTreeSet;

use aws_sdk_bedrockagentcore::primitives::DateTime;
use aws_sdk_bedrockagentcore::types::{
    Branch, BranchFilter, EventMetadataFilterExpression, FilterInput, LeftExpression,
    MetadataValue, OperatorType, RightExpression,
};
use emulator::DEFAULT_MEMORY_ID;

use super::clients::{Bench, now, start, start_with, text};

async fn ids(bench: &Bench, filter: FilterInput) -> Vec<String> {
    let page = bench.list().filter(filter).send().await.unwrap();
    page.events
        .into_iter()
        .map(|event| event.event_id)
        .collect()
}

#[tokio::test]
async fn the_paginator_reads_a_session_newest_first() {
    let bench = start().await;
    let start = now() - 1_000;
    for offset in 0..45 {
        bench.write(start + offset, text("x")).await;
    }
    let pages = bench
        .list()
        .max_results(20)
        .into_paginator()
        .send()
        .collect::<Result<Vec<_>, _>>()
        .await
        .unwrap();
    let ids: Vec<String> = pages
        .into_iter()
        .flat_map(|page| page.events)
        .map(|event| event.event_id)
        .collect();
    assert_eq!(ids.len(), 45);
    assert!(ids.is_sorted_by(|a, b| a > b));
    assert_eq!(bench.emulator.calls().count("ListEvents"), 3);
}

#[tokio::test]
async fn payloads_are_left_out_on_request() {
    let bench = start().await;
    bench.write(now(), text("x")).await;
    assert_eq!(
        bench.list().send().await.unwrap().events[0].payload.len(),
        1
    );
    assert!(
        bench
            .list()
            .include_payloads(false)
            .send()
            .await
            .unwrap()
            .events[0]
            .payload
            .is_empty()
    );
}

#[tokio::test]
async fn a_branch_filter_from_the_sdk_includes_parents_unless_told_otherwise() {
    let bench = start().await;
    let at = now() - 100;
    let root = bench.write(at, text("root")).await.event_id;
    let later = bench.write(at + 1, text("later")).await.event_id;
    let branch = Branch::builder()
        .name("b")
        .root_event_id(&root)
        .build()
        .unwrap();
    let on_branch = bench
        .data
        .create_event()
        .memory_id(DEFAULT_MEMORY_ID)
        .actor_id("a/b:c")
        .session_id("s")
        .event_timestamp(DateTime::from_millis(at + 2))
        .payload(text("x"))
        .branch(branch)
        .send()
        .await
        .unwrap()
        .event
        .unwrap();
    assert_eq!(
        on_branch.branch.as_ref().unwrap().root_event_id.as_deref(),
        Some(root.as_str())
    );
    let own = on_branch.event_id;
    let filter = |parents: Option<bool>| {
        let branch = BranchFilter::builder()
            .name("b")
            .set_include_parent_branches(parents)
            .build()
            .unwrap();
        FilterInput::builder().branch(branch).build()
    };
    assert_eq!(ids(&bench, filter(None)).await, [own.clone(), root.clone()]);
    assert_eq!(
        ids(&bench, filter(Some(true))).await,
        [own.clone(), root.clone()]
    );
    assert_eq!(
        ids(&bench, filter(Some(false))).await,
        std::slice::from_ref(&own)
    );
    assert_eq!(
        ids(&bench, FilterInput::builder().build()).await,
        [own, later, root]
    );
}

#[tokio::test]
async fn a_metadata_filter_from_the_sdk_selects() {
    let bench = start().await;
    bench.write(now() - 5, text("without")).await;
    let with = bench
        .data
        .create_event()
        .memory_id(DEFAULT_MEMORY_ID)
        .actor_id("a/b:c")
        .session_id("s")
        .event_timestamp(DateTime::from_millis(now()))
        .payload(text("with"))
        .metadata("stateType", MetadataValue::StringValue("AGENT".into()))
        .send()
        .await
        .unwrap()
        .event
        .unwrap();
    let expression = EventMetadataFilterExpression::builder()
        .left(LeftExpression::MetadataKey("stateType".into()))
        .operator(OperatorType::EqualsTo)
        .right(RightExpression::MetadataValue(MetadataValue::StringValue(
            "AGENT".into(),
        )))
        .build()
        .unwrap();
    assert_eq!(
        ids(
            &bench,
            FilterInput::builder().event_metadata(expression).build()
        )
        .await,
        [with.event_id]
    );
}

#[tokio::test]
async fn sessions_and_actors_are_listed_in_no_promised_order() {
    let bench = start_with(|options| options.seed = Some(9)).await;
    for actor in ["u1", "u2", "u3"] {
        for session in 0..7 {
            bench
                .data
                .create_event()
                .memory_id(DEFAULT_MEMORY_ID)
                .actor_id(actor)
                .session_id(format!("s{session}"))
                .event_timestamp(DateTime::from_millis(now()))
                .set_payload(Some(vec![]))
                .send()
                .await
                .unwrap();
        }
    }
    let pages = bench
        .data
        .list_actors()
        .memory_id(DEFAULT_MEMORY_ID)
        .max_results(2)
        .into_paginator()
        .send();
    let pages = pages.collect::<Result<Vec<_>, _>>().await.unwrap();
    let actors: BTreeSet<String> = pages
        .into_iter()
        .flat_map(|page| page.actor_summaries)
        .map(|actor| actor.actor_id)
        .collect();
    assert_eq!(actors.into_iter().collect::<Vec<_>>(), ["u1", "u2", "u3"]);
    let pages = bench
        .data
        .list_sessions()
        .memory_id(DEFAULT_MEMORY_ID)
        .actor_id("u2")
        .max_results(3);
    let pages = pages
        .into_paginator()
        .send()
        .collect::<Result<Vec<_>, _>>()
        .await
        .unwrap();
    let sessions: Vec<_> = pages
        .into_iter()
        .flat_map(|page| page.session_summaries)
        .collect();
    assert_eq!(sessions.len(), 7);
    assert!(
        sessions
            .iter()
            .all(|session| session.actor_id == "u2" && session.created_at.secs() > 1_700_000_000)
    );
    let names: Vec<&str> = sessions
        .iter()
        .map(|session| session.session_id.as_str())
        .collect();
    assert!(!names.is_sorted(), "{names:?}");
    let none = bench
        .data
        .list_sessions()
        .memory_id(DEFAULT_MEMORY_ID)
        .actor_id("nobody")
        .send()
        .await
        .unwrap();
    assert!(none.session_summaries.is_empty());
}

#[tokio::test]
async fn an_emptied_session_is_listed_for_a_day_unless_events_are_asked_for() {
    use aws_sdk_bedrockagentcore::types::{EventFilterCondition, SessionFilter};
    let bench = start().await;
    let event = bench.write(now(), text("x")).await;
    let delete = bench
        .data
        .delete_event()
        .memory_id(DEFAULT_MEMORY_ID)
        .actor_id("a/b:c")
        .session_id("s");
    delete.event_id(event.event_id).send().await.unwrap();
    let list = || {
        bench
            .data
            .list_sessions()
            .memory_id(DEFAULT_MEMORY_ID)
            .actor_id("a/b:c")
    };
    let filter = SessionFilter::builder()
        .event_filter(EventFilterCondition::HasEvents)
        .build();
    assert_eq!(list().send().await.unwrap().session_summaries.len(), 1);
    assert!(
        list()
            .filter(filter)
            .send()
            .await
            .unwrap()
            .session_summaries
            .is_empty()
    );
    bench
        .emulator
        .advance_clock(std::time::Duration::from_secs(86_401));
    assert!(list().send().await.unwrap().session_summaries.is_empty());
}
