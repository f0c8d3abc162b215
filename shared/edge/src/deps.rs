//! What a function is built from: made once, borrowed by every call.

use conversation::ports::Clock;
use conversation::{Ports, Settings};
use system::{SystemClock, SystemEntropy};

use crate::counted::{Counted, Counts};
use crate::failure::Failure;
use crate::identity::Identity;
use crate::log::{Invocation, Log};
use crate::record::Record;
use crate::respond::Fault;
use crate::traces::Collector;

/// The parts of a function. `E` is the event log, `C` the context store, `S` the store of claim checks, `M` the
/// models of the function that asks any.
pub struct Deps<E, C, S, M = ()> {
    /// The event log.
    pub events: E,
    /// The context store.
    pub context: C,
    /// Where answers go that are too large to return; without one they are cut.
    pub claim_checks: Option<S>,
    /// The AgentCore Memory resource.
    pub memory: String,
    /// How conversations are written and checked.
    pub settings: Settings,
    /// Who may call over HTTP.
    pub identity: Identity,
    /// Where log lines and metrics go.
    pub log: Log,
    /// Where spans go, if anywhere.
    pub collector: Option<Collector>,
    /// The models.
    pub models: M,
    /// Time.
    pub clock: SystemClock,
}

impl<E, C, S, M> Deps<E, C, S, M> {
    /// The ports of one call, counting what it asks of the services.
    pub fn ports<'a>(
        &'a self,
        counts: &'a Counts,
    ) -> Ports<Counted<'a, E>, Counted<'a, C>, SystemClock, SystemEntropy> {
        Ports {
            events: counts.of(&self.events),
            context: counts.of(&self.context),
            clock: self.clock,
            entropy: SystemEntropy::new(),
        }
    }

    /// Ends a call: logged, measured, traced, and in the form its trigger takes.
    ///
    /// # Errors
    /// A direct call that failed.
    pub async fn end(
        &self,
        invocation: &Invocation,
        record: &Record,
        body: Result<String, Failure>,
    ) -> Result<String, Fault> {
        let (outcome, answer) = record.end(&self.log, invocation, self.clock.now_ms(), body);
        if let Some(collector) = &self.collector {
            collector.send(invocation, &outcome).await;
        }
        answer
    }
}
