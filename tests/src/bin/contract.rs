//! Puts a DynamoDB at some address, without tables yet, through the context store's contract, and what that takes for
//! granted. It ends with a panic where either is broken.

// Whoever started it reads the standard output.
#![allow(clippy::print_stdout, clippy::expect_used)]
// The SDK makes futures large, and nothing here copies them often.
#![allow(clippy::large_futures)]

use conversation::ports::Clock as _;
use system::SystemClock;
use tests::contract::context::{self, Now};
use tests::contract::table;
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
    context::all(&store, Now(SystemClock::new().now_ms() / 1_000)).await;
    println!("the contract holds");
}
