//! The rest of the context kept alive: its expiry is renewed now and then, not at every store.

use super::base::Base;
use super::commit::Committing;
use crate::error::Error;
use crate::head::Head;
use crate::ports::{Clock, ContextItem, ContextReader, ContextWriter, Entropy, EventReader};
use crate::settings::Settings;
use crate::token::Kind;

impl<E, C, K, R> Committing<'_, E, C, K, R>
where
    E: EventReader,
    C: ContextReader + ContextWriter,
    K: Clock,
    R: Entropy,
{
    /// Whether it is time to renew the expiry of everything.
    pub(super) fn renews(&self, base: &Base) -> bool {
        base.kind == Kind::Head && renewal_is_due(&base.head, self.retry.clock.now_ms())
    }

    /// The items this call leaves as they are, where it is time to renew their expiry.
    pub(super) async fn renewals(&self, base: &Base) -> Result<Vec<ContextItem>, Error> {
        if !self.renews(base) {
            return Ok(Vec::new());
        }
        let items = self
            .retry
            .run(|| self.ports.context.items(self.conversation))
            .await?;
        let branch = self.branch.unwrap_or_default();
        let summary = items.summary(self.branch).is_some();
        let written: Vec<&str> = self
            .states
            .iter()
            .map(|write| write.agent.as_str())
            .collect();
        let states = items.states.into_keys();
        let states = states.filter(|agent| !written.contains(&agent.as_str()));
        let system = items.system.filter(|_| self.content.system.is_none());
        Ok(system
            .map(|_| ContextItem::System)
            .into_iter()
            .chain(states.map(ContextItem::State))
            .chain(summary.then(|| ContextItem::Summary(branch.to_owned())))
            .collect())
    }
}

/// Context outlives the events by a day, so that a head is never gone before its turns.
/// The hour is for clocks that disagree about the day.
const MARGIN_S: i64 = 25 * 60 * 60;

/// When an item of the context that is written now may be dropped: seconds since the epoch.
pub(crate) fn expires_at(settings: &Settings, now_s: i64) -> i64 {
    let retention_s = i64::try_from(settings.retention.as_secs()).unwrap_or(i64::MAX / 4);
    now_s + retention_s + MARGIN_S
}

/// Whether this is the first store of a day. Renewing the rest of the context once a day, with expiries a day
/// longer than the events', keeps it as long as the events without a write of each item at each store.
fn renewal_is_due(head: &Head, now_ms: i64) -> bool {
    const DAY_MS: i64 = 24 * 60 * 60 * 1000;
    now_ms.div_euclid(DAY_MS) > head.last_ms.div_euclid(DAY_MS)
}
