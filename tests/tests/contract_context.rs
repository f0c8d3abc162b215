//! The context store's contract, held by each implementation.

// The SDK makes futures large, and nothing here copies them often.
#![allow(clippy::large_futures)]

use aws_sdk_dynamodb::types::{BillingMode, KeySchemaElement, TimeToLiveStatus};
use conversation::memory::MemoryContext;
use conversation::ports::Clock;
use system::SystemClock;
use tests::World;
use tests::contract::context::{Now, all};

#[tokio::test]
async fn memory_keeps_the_contract() {
    all(&MemoryContext::new(), now()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dynamodb_keeps_the_contract() {
    let world = World::start().await;
    all(&world.context_table(), now()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_table_is_billed_on_demand_and_drops_what_has_expired() {
    let world = World::start().await;
    let client = aws_sdk_dynamodb::Client::new(&aws::sdk_config(&aws::Connection {
        endpoint: Some(world.context.url()),
        ..aws::Connection::new("us-east-1", aws::credentials("id", "secret", None))
    }));
    let name = client
        .list_tables()
        .send()
        .await
        .expect("answered")
        .table_names()[0]
        .clone();
    let described = client
        .describe_table()
        .table_name(&name)
        .send()
        .await
        .expect("answered");
    let table = described.table().expect("described");
    let keys: Vec<_> = table
        .key_schema()
        .iter()
        .map(KeySchemaElement::attribute_name)
        .collect();
    assert_eq!(keys, [dynamodb::PARTITION_KEY, dynamodb::SORT_KEY]);
    let billing = table
        .billing_mode_summary()
        .and_then(|summary| summary.billing_mode());
    assert_eq!(billing, Some(&BillingMode::PayPerRequest));
    let expiry = client
        .describe_time_to_live()
        .table_name(&name)
        .send()
        .await
        .expect("answered");
    let expiry = expiry.time_to_live_description().expect("described");
    assert_eq!(expiry.attribute_name(), Some(dynamodb::TTL_ATTRIBUTE));
    assert_eq!(
        expiry.time_to_live_status(),
        Some(&TimeToLiveStatus::Enabled)
    );
}

fn now() -> Now {
    Now(SystemClock::new().now_ms() / 1_000)
}
