//! The ports on the AWS SDKs, as a function builds them.

use std::time::Duration;

use agentcore::EventLog;
use aws::{Connection, SdkConfig, credentials, sdk_config};
use conversation::Ports;
use dynamodb::ContextTable;
use system::SystemEntropy;

use crate::clock::TestClock;

/// The name of the context table.
pub(crate) const TABLE: &str = "context";

/// The ports of one process.
pub type TestPorts = Ports<EventLog, ContextTable, TestClock, SystemEntropy>;

/// The ports of a process that reaches the services at these addresses.
#[must_use]
pub fn ports(events: &str, context: &str) -> TestPorts {
    Ports {
        events: EventLog::new(&config(events)),
        context: ContextTable::new(&config(context), TABLE),
        clock: TestClock::new(),
        entropy: SystemEntropy::new(),
    }
}

pub(crate) fn config(endpoint: &str) -> SdkConfig {
    sdk_config(&Connection {
        endpoint: Some(endpoint.to_owned()),
        attempt_timeout: Duration::from_secs(3),
        ..Connection::new(
            "us-east-1",
            credentials("emulator", "emulator-secret", None),
        )
    })
}
