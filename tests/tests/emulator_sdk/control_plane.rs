//! The memory operations of the control plane.

use std::time::Duration;

use aws_sdk_bedrockagentcore::primitives::DateTime;
use aws_sdk_bedrockagentcorecontrol::error::ProvideErrorMetadata;
use aws_sdk_bedrockagentcorecontrol::types::MemoryStatus;

use crate::clients::{now, start, start_with, text};

#[tokio::test]
async fn memories_are_created_read_changed_listed_and_deleted() {
    let bench = start().await;
    let created = bench
        .control
        .create_memory()
        .name("notes")
        .event_expiry_duration(30)
        .description("d")
        .send()
        .await;
    let memory = created.unwrap().memory.unwrap();
    assert!(
        memory.id.starts_with("notes-") && memory.id.len() == "notes-".len() + 10,
        "{}",
        memory.id
    );
    assert!(
        memory.arn.ends_with(&format!(":memory/{}", memory.id)),
        "{}",
        memory.arn
    );
    assert_eq!(memory.status, MemoryStatus::Active);
    let updated = bench
        .control
        .update_memory()
        .memory_id(&memory.id)
        .event_expiry_duration(10)
        .description("e")
        .send()
        .await;
    assert_eq!(updated.unwrap().memory.unwrap().event_expiry_duration, 10);
    let read = bench
        .control
        .get_memory()
        .memory_id(&memory.arn)
        .send()
        .await
        .unwrap()
        .memory
        .unwrap();
    assert_eq!(
        (read.event_expiry_duration, read.description.as_deref()),
        (10, Some("e"))
    );
    let pages = bench
        .control
        .list_memories()
        .max_results(1)
        .into_paginator()
        .send();
    let pages = pages.collect::<Result<Vec<_>, _>>().await.unwrap();
    let ids: Vec<String> = pages
        .into_iter()
        .flat_map(|page| page.memories)
        .filter_map(|memory| memory.id)
        .collect();
    assert_eq!(ids, ["local-0000000000", memory.id.as_str()]);
    let deleted = bench
        .control
        .delete_memory()
        .memory_id(&memory.id)
        .send()
        .await
        .unwrap();
    assert_eq!(deleted.status, Some(MemoryStatus::Deleting));
    let gone = bench
        .control
        .get_memory()
        .memory_id(&memory.id)
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    assert!(gone.is_resource_not_found_exception());
}

#[tokio::test]
async fn a_new_memory_refuses_events_until_it_is_active() {
    let bench = start_with(|options| options.memory_delay = Duration::from_mins(2)).await;
    let memory = bench
        .control
        .create_memory()
        .name("slow")
        .event_expiry_duration(7)
        .send()
        .await;
    let memory = memory.unwrap().memory.unwrap();
    assert_eq!(memory.status, MemoryStatus::Creating);
    let create = || {
        bench
            .data
            .create_event()
            .memory_id(&memory.id)
            .actor_id("a")
            .event_timestamp(DateTime::from_millis(now()))
            .payload(text("x"))
            .send()
    };
    let refused = create().await.unwrap_err().into_service_error();
    assert!(refused.is_validation_exception(), "{refused:?}");
    bench.emulator.advance_clock(Duration::from_mins(2));
    assert!(create().await.is_ok());
    let read = bench
        .control
        .get_memory()
        .memory_id(&memory.id)
        .send()
        .await
        .unwrap()
        .memory
        .unwrap();
    assert_eq!(read.status, MemoryStatus::Active);
    bench
        .control
        .delete_memory()
        .memory_id(&memory.id)
        .send()
        .await
        .unwrap();
    let read = bench
        .control
        .get_memory()
        .memory_id(&memory.id)
        .send()
        .await
        .unwrap()
        .memory
        .unwrap();
    assert_eq!(read.status, MemoryStatus::Deleting);
    assert!(create().await.is_err());
    bench.emulator.advance_clock(Duration::from_mins(2));
    assert!(
        bench
            .control
            .get_memory()
            .memory_id(&memory.id)
            .send()
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_name_is_taken_once_and_a_retry_is_not_a_second_time() {
    let bench = start().await;
    let create = |token: &str| {
        bench
            .control
            .create_memory()
            .name("n")
            .event_expiry_duration(7)
            .client_token(token)
            .send()
    };
    let token = "0123456789012345678901234567890123456789";
    let first = create(token).await.unwrap().memory.unwrap();
    assert_eq!(create(token).await.unwrap().memory.unwrap().id, first.id);
    let other = create("9876543210987654321098765432109876543210")
        .await
        .unwrap_err();
    assert!(
        other.message().unwrap().contains("already exists"),
        "{other:?}"
    );
}

#[tokio::test]
async fn names_and_expiries_out_of_bounds_are_refused() {
    let bench = start().await;
    for (name, days) in [
        ("with-hyphen", 7),
        ("1st", 7),
        ("ok", 2),
        ("ok", 3651),
        ("", 7),
    ] {
        let error = bench
            .control
            .create_memory()
            .name(name)
            .event_expiry_duration(days)
            .send()
            .await
            .unwrap_err();
        assert!(
            error.into_service_error().is_validation_exception(),
            "{name} {days}"
        );
    }
}

#[tokio::test]
async fn the_account_holds_a_hundred_and_fifty_memories() {
    let bench = start().await;
    for n in 1..150 {
        bench
            .control
            .create_memory()
            .name(format!("m{n}"))
            .event_expiry_duration(7)
            .send()
            .await
            .unwrap();
    }
    let error = bench
        .control
        .create_memory()
        .name("more")
        .event_expiry_duration(7)
        .send()
        .await
        .unwrap_err();
    assert_eq!(error.raw_response().unwrap().status().as_u16(), 402);
    assert!(
        error
            .into_service_error()
            .is_service_quota_exceeded_exception()
    );
}

#[tokio::test]
async fn a_shorter_expiry_reaches_stored_events() {
    let bench = start().await;
    bench.write(now(), text("x")).await;
    bench.emulator.advance_clock(Duration::from_hours(4 * 24));
    assert_eq!(bench.list().send().await.unwrap().events.len(), 1);
    bench
        .control
        .update_memory()
        .memory_id("local-0000000000")
        .event_expiry_duration(3)
        .send()
        .await
        .unwrap();
    assert!(bench.list().send().await.unwrap().events.is_empty());
}
