//! Puts a DynamoDB at some address, without tables yet, through the context store's contracts, and what these take for
//! granted. It ends with a panic where either is broken.

// Whoever started it reads the standard output.
#![allow(clippy::print_stdout, clippy::expect_used)]
// The SDK makes futures large, and nothing here copies them often.
#![allow(clippy::large_futures)]

use conversation::ports::Clock as _;
use system::SystemClock;
use tests::contract::context::{self, Now};
use tests::contract::{summary, table};
use tests::ports;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, address] = arguments.as_slice() else {
        println!("usage: contract DYNAMODB_URL");
        return;
    };
    let store = ports(address, address).context;
    store.create().await.expect("the table is created");
    table::all(address).await;
    let now = Now(SystemClock::new().now_ms() / 1_000);
    context::all(&store, now).await;
    summary::all(&store, now).await;
    println!("the contracts hold");
}
