//! The end of a load: the window cut out, and the report of what was not shown.

use std::collections::HashSet;

use window::estimate;

use super::chain::Walk;
use super::pages::Log;
use super::request::{LoadRequest, Loaded};
use super::{Found, Reading};
use crate::advice::Advice;
use crate::answer::Context;
use crate::ports::{Clock, ContextItems, Entropy, EventReader};
use crate::turn::TurnId;

impl<E: EventReader, C, K: Clock, R: Entropy> Reading<'_, E, C, K, R> {
    /// Cuts the window out and completes the report.
    pub(super) fn finish(
        self,
        log: &Log<'_, E, K, R>,
        items: ContextItems,
        found: Found,
    ) -> Loaded {
        let Walk {
            newest_first,
            scan,
            mut report,
            covered,
            settings,
            ..
        } = self.walk;
        let mut messages = newest_first;
        messages.reverse();
        let selection = scan.selection();
        let first_shown = self.follows.map_or(0, |follows| {
            let follows = usize::try_from(follows).unwrap_or(usize::MAX);
            messages.len().saturating_sub(follows)
        });
        let pinned = selection.pinned.len();
        let pinned_anyway = selection
            .pinned
            .partition_point(|index| *index < first_shown);
        selection.apply(&mut messages);

        report.stored = found.count;
        report.returned = messages.len() as u64;
        report.summarized = covered;
        report.evicted = found
            .count
            .saturating_sub(report.returned)
            .saturating_sub(report.expired)
            .saturating_sub(covered.saturating_sub(pinned_anyway as u64));
        report.skipped = (log.foreign().len() as u64).saturating_sub(report.skipped);
        report.uncommitted = log.events_beyond(&committed_turns(log, &items));

        let context = context(self.request, items, found.count);
        let summary = context.summary.as_ref();
        let of_summary = summary.map_or(0, |summary| estimate::prose(&summary.text));
        let of_system = context.system.as_ref().map_or(0, estimate::system);
        report.tokens =
            scan.tokens(&selection) + of_system + if covered > 0 { of_summary } else { 0 };
        report.context_window_tokens = settings.context_window_tokens;
        let taken = summary.map_or(0, |summary| summary.covered_tokens);
        let tokens = found
            .tokens
            .saturating_sub(taken)
            .saturating_add(of_summary);
        Loaded {
            context,
            messages,
            pinned,
            head: found.head,
            advice: Advice::of(tokens, settings.context_window_tokens),
            report,
            agents: self.agents,
        }
    }
}

/// The turns any head leads to, as far as the log at hand shows.
fn committed_turns<E: EventReader, K: Clock, R: Entropy>(
    log: &Log<'_, E, K, R>,
    items: &ContextItems,
) -> HashSet<TurnId> {
    let mut known = HashSet::new();
    for head in items.heads.values() {
        let mut next = Some(head.turn);
        while let Some(turn) = next.filter(|turn| known.insert(*turn)) {
            next = log.parent(turn);
        }
    }
    known
}

fn context(request: &LoadRequest, items: ContextItems, count: u64) -> Context {
    Context {
        summary: items.summary(request.branch.as_deref()).cloned(),
        conversation: request.conversation.clone(),
        stored_message_count: count,
        system: items.system.map(|system| system.message),
        states: items.states,
    }
}
