//! Both services on loopback, each behind a proxy, and the ports that reach them.

use std::time::Duration;

use agentcore::EventLog;
use aws::SdkConfig;
use conversation::{Conversation, Ports};
use dynamodb::ContextTable;
use emulator::{DEFAULT_MEMORY_ID, Emulator, Options, Switches};

use crate::clock::TestClock;
use crate::items::Items;
use crate::ports::{TABLE, TestPorts, config, ports};
use crate::proxy::{Proxy, round_trips};
use crate::table::Table;

/// The services of one test.
#[derive(Debug)]
pub struct World {
    /// AgentCore Memory.
    pub emulator: Emulator,
    /// What stands before it.
    pub events: Proxy,
    /// What stands before DynamoDB.
    pub context: Proxy,
    _table: Table,
}

/// What some work cost.
#[derive(Debug, PartialEq, Eq)]
pub struct Calls {
    /// Names of the calls to AgentCore, sorted.
    pub events: Vec<String>,
    /// Names of the calls to DynamoDB, sorted.
    pub context: Vec<String>,
    /// Length of the longest chain of calls each of which waited for the one before.
    pub round_trips: usize,
}

impl World {
    /// Services that work, without rate limits. The emulator reads every open question as hard as it can.
    pub async fn start() -> Self {
        Self::with(Options::default()).await
    }

    /// Services with an emulator of the caller's choice.
    pub async fn with(options: Options) -> Self {
        let emulator = Emulator::start(options).await.expect("the emulator starts");
        let table = Table::start().await;
        let world = Self {
            events: Proxy::start(emulator.addr()).await,
            context: Proxy::start(table.address()).await,
            emulator,
            _table: table,
        };
        world
            .context_table()
            .create()
            .await
            .expect("the table is created");
        world.context.clear();
        world
    }

    /// Waits until listings show all that was written: for tests that look at the log as no reader of ours does, or
    /// that let other software write to it. Nothing tells a reader what to wait for then.
    pub async fn settle(&self) {
        let lag = Switches::default().unfiltered_lag_ms;
        tokio::time::sleep(Duration::from_millis(lag + 1)).await;
    }

    /// The ports of one process.
    #[must_use]
    pub fn ports(&self) -> TestPorts {
        ports(&self.events.url(), &self.context.url())
    }

    /// The ports of a process that never waits, for services without rate limits.
    #[must_use]
    pub fn hasty_ports(&self) -> TestPorts {
        Ports {
            clock: TestClock::hasty(),
            ..self.ports()
        }
    }

    /// The calls to both services since the last time, and how many of them had to wait for another.
    #[allow(clippy::must_use_candidate)] // Some callers only want them forgotten.
    pub fn take_calls(&self) -> Calls {
        let calls = Calls {
            events: self.events.operations(),
            context: self.context.operations(),
            round_trips: round_trips(&[self.events.calls(), self.context.calls()].concat()),
        };
        self.events.clear();
        self.context.clear();
        calls
    }

    /// The event log of a process that reaches it without the proxy.
    #[must_use]
    pub fn event_log(&self) -> EventLog {
        EventLog::new(&config(&self.emulator.url()))
    }

    /// The context table of one process.
    #[must_use]
    pub fn context_table(&self) -> ContextTable {
        ContextTable::new(&config(&self.context.url()), TABLE)
    }

    /// How a process reaches the model. The emulator has it, and no proxy stands before it.
    #[must_use]
    pub fn model_config(&self) -> SdkConfig {
        config(&self.emulator.url())
    }

    /// How a process reaches the context table.
    #[must_use]
    pub fn context_config(&self) -> SdkConfig {
        config(&self.context.url())
    }

    /// The context table by DynamoDB's own API, for what no port of ours would write.
    #[must_use]
    pub fn items(&self) -> Items {
        Items::new(&config(&self.context.url()))
    }

    /// A conversation of the memory that exists.
    #[must_use]
    pub fn conversation(&self, session: &str) -> Conversation {
        Conversation {
            memory: DEFAULT_MEMORY_ID.to_owned(),
            actor: "alice".to_owned(),
            session: session.to_owned(),
        }
    }
}
