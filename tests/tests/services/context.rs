//! The context store's contract, held by each implementation.

use conversation::memory::MemoryContext;
use conversation::ports::Clock;
use system::SystemClock;
use tests::World;
use tests::contract::context::{Now, all};
use tests::contract::summary;
use tests::contract::table;

#[tokio::test]
async fn memory_keeps_the_contract() {
    all(&MemoryContext::new(), now()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dynamodb_keeps_the_contract() {
    let world = World::start().await;
    all(&world.context_table(), now()).await;
}

#[tokio::test]
async fn memory_keeps_the_contract_of_summaries() {
    summary::all(&MemoryContext::new(), now()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dynamodb_keeps_the_contract_of_summaries() {
    let world = World::start().await;
    summary::all(&world.context_table(), now()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dynamodb_is_what_the_store_takes_it_for() {
    let world = World::start().await;
    table::all(&world.context.url()).await;
}

fn now() -> Now {
    Now(SystemClock::new().now_ms() / 1_000)
}
