//! Events of other software: a session without a head, or what a chain took over.

mod backwards;

use std::collections::{BTreeMap, HashMap};

use codec::Mode;
use codec::model::Message;
use codec::strands::AgentRecord;
use window::{Policy, Scan};

use self::backwards::Backwards;
use super::pages::Log;
use crate::error::Error;
use crate::ports::{Clock, Entropy, EventId, EventReader, StoredEvent};
use crate::report::Report;

/// What other software wrote, in order.
#[derive(Debug, Default)]
pub(crate) struct Foreign {
    /// The messages, oldest first; only the newer ones where not all was read.
    pub(crate) messages: Vec<Message>,
    /// Agent states among them.
    pub(crate) agents: Vec<AgentRecord>,
    /// How many events they lay in.
    pub(crate) events: u64,
    /// The timestamp of the last event; 0 for none.
    pub(crate) last_ms: i64,
    /// The id of the last event.
    pub(crate) last_event: Option<EventId>,
    /// Whether all of it was read.
    pub(crate) whole: bool,
    /// Whether any of it lies on the branch itself, and not only on those before it.
    pub(crate) own: bool,
}

/// Which of the events, and how many of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    /// The branch, with its ancestors; none is the main line.
    pub(crate) branch: Option<&'a str>,
    /// None later than this.
    pub(crate) until_ms: i64,
    /// What to do about events that cannot be taken as they stand.
    pub(crate) mode: Mode,
    /// How much is wanted; all of it where there is no policy.
    pub(crate) window: &'a [Policy],
    /// How many messages of the conversation follow its summary.
    pub(crate) follows: Option<u64>,
    /// How many pinned messages there are to be found. Nobody has counted those of a session without a head:
    /// they are kept where they are read, and not looked for.
    pub(crate) pins: u64,
}

impl Scope<'_> {
    /// The window at its beginning, shown what is newer than the events in question (newest first).
    pub(crate) fn scan(&self, newer: &[Message]) -> Scan {
        let mut scan = Scan::new(self.window, self.follows);
        for message in newer {
            scan.push(message);
        }
        scan
    }
}

/// Reads on in the log until the window, after `newer` (newest first), is full. The window is given as `scan`
/// has it after `newer`, and comes back with the messages found.
pub(crate) async fn read<E: EventReader, K: Clock, R: Entropy>(
    log: &mut Log<'_, E, K, R>,
    scope: Scope<'_>,
    newer: &[Message],
    scan: &mut Scan,
    report: &mut Report,
) -> Result<Foreign, Error> {
    // Ancestors of a branch are known only when all of it is read.
    if scope.branch.is_some() {
        log.rest().await?;
    }
    let depths = depths(log.foreign(), scope.branch);
    let mut backwards = Backwards::new(scope, depths);
    loop {
        if backwards.take(log, scan)?.is_out_of_order() {
            *scan = scope.scan(newer);
            backwards.begin_again();
            continue;
        }
        // Parts of a message are no messages of their own, and only all of them tell.
        let is_done = !backwards.has_parts() && scan.is_done(false, scope.pins);
        if log.is_whole() || is_done {
            break;
        }
        log.more().await?;
    }
    let has_parts = backwards.has_parts();
    let found = backwards.collect(log, report);
    if has_parts {
        *scan = scope.scan(newer);
        for message in found.messages.iter().rev() {
            scan.push(message);
        }
    }
    Ok(found)
}

/// How far each branch of the chain of ancestors is from its end, the end being the highest: an order for
/// whole branches, since clocks differ and numbers begin anew on each.
fn depths(events: &[StoredEvent], branch: Option<&str>) -> BTreeMap<String, i32> {
    let by_id: HashMap<_, _> = events.iter().map(|event| (&event.id, event)).collect();
    let roots: HashMap<&str, &EventId> = events
        .iter()
        .filter_map(|event| Some((name(event), event.branch.as_ref()?.root.as_ref()?)))
        .collect();
    let mut depths = BTreeMap::new();
    let mut current = branch.unwrap_or_default();
    for depth in 0.. {
        if depths.insert(current.to_owned(), -depth).is_some() || current.is_empty() {
            break;
        }
        let root = roots.get(current).and_then(|root| by_id.get(root));
        // A root nobody can see has expired; what is left of the main line still comes first.
        current = root.map_or("", |root| name(root));
    }
    depths
}

/// The name of an event's branch; the main line has the empty one.
fn name(event: &StoredEvent) -> &str {
    event
        .branch
        .as_ref()
        .map_or("", |branch| branch.name.as_str())
}
