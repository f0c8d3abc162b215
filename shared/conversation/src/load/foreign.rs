//! Events of other software: a session without a head, or what a chain took over.

use std::collections::{BTreeMap, HashMap};

use codec::model::Message;
use codec::strands::AgentRecord;
use codec::{Decoded, Mode};

use super::decode::decode_foreign;
use super::pages::Log;
use crate::error::Error;
use crate::metadata::sort_number;
use crate::ports::{Clock, Entropy, EventId, EventReader, StoredEvent};
use crate::report::Report;
use crate::window::Window;

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
    /// How much of it is wanted.
    pub(crate) window: Window,
    /// What to do about events that cannot be taken as they stand.
    pub(crate) mode: Mode,
}

/// Reads on in the log until the window, after `newer` (newest first), is full.
pub(crate) async fn read<E: EventReader, K: Clock, R: Entropy>(
    log: &mut Log<'_, E, K, R>,
    scope: Scope<'_>,
    newer: &[Message],
    report: &mut Report,
) -> Result<Foreign, Error> {
    let mut decoded = HashMap::new();
    loop {
        // Ancestors of a branch are known only when all of it is read.
        if scope.branch.is_some() {
            log.rest().await?;
        }
        let order = order(log, scope);
        let settled = settled(log, &order);
        for event in settled {
            if !decoded.contains_key(&event.id) {
                decoded.insert(event.id.clone(), decode_foreign(event, scope.mode)?);
            }
        }
        if log.is_whole() || is_full(scope.window, newer, settled, &decoded) {
            let own = settled
                .iter()
                .any(|event| name(event) == scope.branch.unwrap_or_default());
            let found = collect(settled, decoded, log.is_whole(), report);
            return Ok(Foreign { own, ..found });
        }
        log.more().await?;
    }
}

/// The events in question, oldest first.
fn order<'l, E: EventReader, K: Clock, R: Entropy>(
    log: &'l Log<'_, E, K, R>,
    scope: Scope<'_>,
) -> Vec<&'l StoredEvent> {
    let depths = depths(log.foreign(), scope.branch);
    let mut order: Vec<_> = log
        .foreign()
        .iter()
        .filter(|event| event.timestamp_ms <= scope.until_ms)
        .filter_map(|event| Some((depths.get(name(event))?, event)))
        .collect();
    order.sort_by_key(|(depth, event)| {
        let number = sort_number(&event.metadata).unwrap_or(i64::MAX);
        (**depth, event.timestamp_ms, number, &event.id)
    });
    order.into_iter().map(|(_, event)| event).collect()
}

/// How far each branch of the chain of ancestors is from its end, the end being the highest: an order for
/// whole branches, since clocks differ and numbers begin anew on each.
fn depths<'e>(events: &'e [StoredEvent], branch: Option<&'e str>) -> BTreeMap<&'e str, i32> {
    let by_id: HashMap<_, _> = events.iter().map(|event| (&event.id, event)).collect();
    let roots: HashMap<&str, &EventId> = events
        .iter()
        .filter_map(|event| Some((name(event), event.branch.as_ref()?.root.as_ref()?)))
        .collect();
    let mut depths = BTreeMap::new();
    let mut current = branch.unwrap_or_default();
    for depth in 0.. {
        if depths.insert(current, -depth).is_some() || current.is_empty() {
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

/// The newest of `order` that no event on a later page can come between. A later page may hold events of
/// the very millisecond this one ended in.
fn settled<'o, 'l, E: EventReader, K: Clock, R: Entropy>(
    log: &Log<'_, E, K, R>,
    order: &'o [&'l StoredEvent],
) -> &'o [&'l StoredEvent] {
    if log.is_whole() {
        return order;
    }
    let oldest = log.oldest_ms().unwrap_or(i64::MAX);
    let open = order.partition_point(|event| event.timestamp_ms <= oldest);
    order.get(open..).unwrap_or_default()
}

fn is_full(
    window: Window,
    newer: &[Message],
    settled: &[&StoredEvent],
    decoded: &HashMap<EventId, Decoded>,
) -> bool {
    if window == Window::All {
        return false;
    }
    let older = settled
        .iter()
        .rev()
        .filter_map(|event| decoded.get(&event.id));
    let newest_first: Vec<&Message> = newer
        .iter()
        .chain(older.flat_map(|decoded| decoded.messages.iter().rev()))
        .collect();
    window.keep(&newest_first, false).is_some()
}

fn collect(
    order: &[&StoredEvent],
    mut decoded: HashMap<EventId, Decoded>,
    whole: bool,
    report: &mut Report,
) -> Foreign {
    let parts = order.iter().filter_map(|event| decoded.remove(&event.id));
    let joined = codec::join(parts.collect());
    for note in &joined.notes {
        report.note(note.reason.code());
    }
    report.foreign += joined.messages.len() as u64;
    Foreign {
        messages: joined.messages,
        agents: joined.agents,
        events: order.len() as u64,
        last_ms: order
            .iter()
            .map(|event| event.timestamp_ms)
            .max()
            .unwrap_or(0),
        last_event: order.last().map(|event| event.id.clone()),
        whole,
        own: false,
    }
}
