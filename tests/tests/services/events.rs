//! The event log's contract, held by each implementation.

use std::time::Duration;

use conversation::memory::{ClientTokens, MemoryLog};
use conversation::ports::Clock;
use emulator::{Options, Switches};
use system::SystemClock;
use tests::World;
use tests::contract::events::{Moment, all};

#[tokio::test]
async fn memory_keeps_the_contract() {
    for tokens in [ClientTokens::Honoured, ClientTokens::Ignored] {
        let week = Duration::from_hours(7 * 24);
        let log = MemoryLog::new(SystemClock::new(), week, tokens);
        all(&log, "chat-0123456789", a_minute_ago()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn agentcore_on_the_emulator_keeps_the_contract() {
    // The contract is about what is read once it can be seen; how long that takes is the protocol's business.
    let switches = Switches {
        unfiltered_lag_ms: 0,
        ..Switches::default()
    };
    let world = World::with(Options {
        switches,
        ..Options::default()
    })
    .await;
    let memory = world.conversation("unused").memory;
    all(&world.event_log(), &memory, a_minute_ago()).await;
}

/// Recent, so that nothing expires while the suite runs, and past, so that nothing is in the future.
fn a_minute_ago() -> Moment {
    Moment(SystemClock::new().now_ms() - 60_000)
}
