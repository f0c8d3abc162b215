//! What all calls share, and the context of one call.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::calls::Calls;
use crate::clock::Clock;
use crate::disk::{Disk, Ticket};
use crate::error::{ApiError, Reason};
use crate::faults::{FaultAction, Faults, Lag};
use crate::holds::Holds;
use crate::limits::{Counted, Limits};
use crate::model::Model;
use crate::options::Options;
use crate::random::Random;
use crate::store::Store;

/// The state of a running emulator.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) options: Options,
    pub(crate) clock: Clock,
    pub(crate) random: Random,
    pub(crate) faults: Mutex<Faults>,
    pub(crate) calls: Mutex<Calls>,
    pub(crate) model: Mutex<Model>,
    pub(crate) holds: Holds,
    limits: Mutex<Limits>,
    store: Mutex<Store>,
    disk: Option<Disk>,
}

/// What an operation answers with when all went well.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: String,
    /// To be waited for before the answer goes out.
    pub(crate) ticket: Option<Ticket>,
}

impl Reply {
    pub(crate) fn new(status: u16, body: String) -> Self {
        Self {
            status,
            body,
            ticket: None,
        }
    }
}

/// One call: the world as it looks to it.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) world: &'a World,
    /// Server time of the call, skewed where a fault says so.
    pub(crate) now: u64,
    /// Faults that act inside the operation.
    pub(crate) faults: &'a [FaultAction],
    /// Whether another write to the same session is in progress.
    pub(crate) contended: bool,
}

impl World {
    pub(crate) fn new(options: Options, store: Store, disk: Option<Disk>, random: Random) -> Self {
        let clock = options
            .fixed_clock
            .map_or_else(Clock::running, Clock::fixed_at);
        let faults = Faults::new(options.faults.clone());
        Self {
            options,
            clock,
            random,
            faults: Mutex::new(faults),
            calls: Mutex::default(),
            model: Mutex::default(),
            holds: Holds::default(),
            limits: Mutex::default(),
            store: Mutex::new(store),
            disk,
        }
    }

    /// Runs a piece of work on the store and hands its changes to the disk before anybody else can add
    /// theirs, so that the disk sees them in the same order.
    pub(crate) fn with_store<T>(&self, work: impl FnOnce(&mut Store) -> T) -> (T, Option<Ticket>) {
        let mut store = lock(&self.store);
        let result = work(&mut store);
        let changes = store.take_changes();
        let ticket = match &self.disk {
            Some(disk) if !changes.is_empty() => Some(disk.submit(changes)),
            _ => None,
        };
        (result, ticket)
    }
}

impl Context<'_> {
    /// Refuses the call when a rate limit is reached.
    pub(crate) fn admit(&self, counted: &Counted<'_>) -> Result<(), ApiError> {
        let limited = self.world.options.rate_limits;
        if limited && !lock(&self.world.limits).admit(counted, self.now) {
            return Err(ApiError::throttled());
        }
        Ok(())
    }

    /// How far a listing lags: the standing switch and the fault of this call, whichever hides more.
    pub(crate) fn lag(&self, filtered: bool) -> Lag {
        let switches = &self.world.options.switches;
        let standing = if filtered {
            switches.filtered_lag_ms
        } else {
            switches.unfiltered_lag_ms
        };
        self.faults.iter().fold(
            Lag {
                ms: standing,
                events: 0,
            },
            |lag, fault| match fault {
                FaultAction::LagFiltered(more) if filtered => lag.max_of(*more),
                FaultAction::LagUnfiltered(more) if !filtered => lag.max_of(*more),
                _ => lag,
            },
        )
    }
}

impl Lag {
    fn max_of(self, other: Self) -> Self {
        Self {
            ms: self.ms.max(other.ms),
            events: self.events.max(other.events),
        }
    }
}

/// Takes a lock. A panic elsewhere while holding it leaves the data usable: every piece of work under a lock
/// is a complete step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The object of a request body; an absent body counts as an empty one.
pub(crate) fn parse_body(
    bytes: &[u8],
) -> Result<serde_json::Map<String, serde_json::Value>, ApiError> {
    if bytes.is_empty() {
        return Ok(serde_json::Map::new());
    }
    match serde_json::from_slice(bytes) {
        Ok(serde_json::Value::Object(object)) => Ok(object),
        Ok(_) => Err(ApiError::validation(
            Reason::CannotParse,
            "the request body must be a JSON object",
        )),
        Err(error) => Err(ApiError::cannot_parse(format!(
            "the request body is not valid JSON: {error}"
        ))),
    }
}
