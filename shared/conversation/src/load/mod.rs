//! Load: a conversation's end, read from the head backwards.

mod chain;
mod decode;
pub(crate) mod foreign;
pub(crate) mod pages;
mod request;
mod verify;

use std::collections::HashSet;

use codec::model::Message;
use codec::strands::AgentRecord;
use futures_util::future::try_join;
use window::{estimate, pins};

pub use request::{LoadRequest, Loaded};

use self::chain::{Adopted, End, Walk};
use self::foreign::{Foreign, Scope};
use self::pages::Log;
use crate::answer::Context;
use crate::deadline::Deadline;
use crate::error::Error;
use crate::fingerprint;
use crate::head::Head;
use crate::id::is_main_line;
use crate::ports::{Clock, ContextItems, ContextReader, Entropy, EventReader};
use crate::report::Report;
use crate::retry::Retry;
use crate::settings::{Ports, Settings};
use crate::token::{BranchTag, Kind, Token};
use crate::turn::TurnId;

/// How often the calls of one load may be repeated altogether.
const RETRIES: u32 = 20;

/// Loads the end of a conversation, as much as the window asks for.
///
/// # Errors
///
/// Any call that fails for good is an error, never an empty conversation. So is a committed turn that is
/// neither there nor expired.
pub async fn load<E, C, K, R>(
    ports: &Ports<E, C, K, R>,
    settings: &Settings,
    mut request: LoadRequest,
) -> Result<Loaded, Error>
where
    E: EventReader,
    C: ContextReader,
    K: Clock,
    R: Entropy,
{
    request.branch = request.branch.filter(|name| !is_main_line(name));
    let deadline = Deadline::after(&ports.clock, request.deadline);
    let retry = Retry::new(&ports.clock, &ports.entropy, deadline, RETRIES);
    let mut log = Log::new(&ports.events, &retry, &request.conversation, None);
    let items = retry.run(|| ports.context.items(&request.conversation));
    let (items, ()) = try_join(items, log.more()).await?;

    let mut reading = Reading {
        ports,
        retry: &retry,
        request: &request,
        walk: Walk {
            conversation: &request.conversation,
            settings,
            retry: &retry,
            window: request.window,
            mode: request.mode,
            newest_first: Vec::new(),
            report: Report::default(),
        },
        agents: Vec::new(),
    };
    let branch = request.branch.as_deref();
    let (count, head) = match items.heads.get(branch.unwrap_or_default()) {
        Some(head) => reading.committed(&mut log, head).await?,
        None => reading.foreign(&mut log).await?,
    };
    let (messages, report, agents) = reading.finish(&log, &items, count);
    Ok(Loaded {
        context: context(&request, items, count),
        messages,
        head,
        report,
        agents,
    })
}

/// One load under way.
struct Reading<'a, E, C, K, R> {
    ports: &'a Ports<E, C, K, R>,
    retry: &'a Retry<'a, K, R>,
    request: &'a LoadRequest,
    walk: Walk<'a, K, R>,
    agents: Vec<AgentRecord>,
}

impl<E: EventReader, C, K: Clock, R: Entropy> Reading<'_, E, C, K, R> {
    /// Reads a conversation that has a head. Gives its count and the head's token.
    async fn committed(
        &mut self,
        log: &mut Log<'_, E, K, R>,
        head: &Head,
    ) -> Result<(u64, Option<String>), Error> {
        let branch = self.request.branch.as_deref();
        let end = self.walk.from(log, head, branch).await?;
        if let End::Adopted(adopted) = end {
            self.adopted(log, &adopted).await?;
        }
        let token = Token::head(branch, head.clone()).encode(&self.request.conversation);
        Ok((head.count, Some(token)))
    }

    /// Reads what a chain took over from other software.
    async fn adopted(
        &mut self,
        log: &mut Log<'_, E, K, R>,
        adopted: &Adopted,
    ) -> Result<(), Error> {
        let found = self
            .others(log, adopted.branch.as_deref(), adopted.last_ms)
            .await?;
        let count = found.messages.len() as u64;
        if found.whole && count < adopted.count {
            self.walk.report.expired = adopted.count - count;
        } else if count > adopted.count {
            // Other software wrote more, dated back, after the chain took over.
            self.walk.report.note("foreign_late");
        }
        self.take(found);
        Ok(())
    }

    /// Reads a conversation without a head: whatever other software wrote. The token says which chain a
    /// first turn would begin, and there is none where that is not known.
    async fn foreign(
        &mut self,
        log: &mut Log<'_, E, K, R>,
    ) -> Result<(u64, Option<String>), Error> {
        let branch = self.request.branch.as_deref();
        let mut found = self.others(log, branch, i64::MAX).await?;
        if branch.is_some() && !found.own {
            // Only a turn that is not committed names this branch. It must not make what came before it
            // appear under a branch that is not there.
            self.walk.report = Report::default();
            found = Foreign {
                whole: true,
                ..Foreign::default()
            };
        }
        let count = found.messages.len() as u64;
        let token = found
            .whole
            .then(|| root_token(self.request, &found).encode(&self.request.conversation));
        self.take(found);
        Ok((count, token))
    }

    async fn others(
        &mut self,
        log: &mut Log<'_, E, K, R>,
        branch: Option<&str>,
        until_ms: i64,
    ) -> Result<Foreign, Error> {
        let scope = Scope {
            branch,
            until_ms,
            window: self.request.window,
            mode: self.request.mode,
        };
        let (newer, report) = (&self.walk.newest_first, &mut self.walk.report);
        let Some(branch) = branch else {
            return foreign::read(log, scope, newer, report).await;
        };
        let conversation = &self.request.conversation;
        let mut branch = Log::new(&self.ports.events, self.retry, conversation, Some(branch));
        branch.more().await?;
        foreign::read(&mut branch, scope, newer, report).await
    }

    fn take(&mut self, found: Foreign) {
        self.agents = found.agents;
        // Those that turn out to be part of the conversation are taken off what was skipped.
        self.walk.report.skipped = found.events;
        self.walk
            .newest_first
            .extend(found.messages.into_iter().rev());
    }

    /// Cuts the window out and completes the report.
    fn finish(
        self,
        log: &Log<'_, E, K, R>,
        items: &ContextItems,
        count: u64,
    ) -> (Vec<Message>, Report, Vec<AgentRecord>) {
        let (mut messages, mut report) = (self.walk.newest_first, self.walk.report);
        let window = self.request.window;
        // What the walk stopped for holds also where, by chance, nothing older is left.
        let keep = window
            .keep(&messages, false)
            .or(window.keep(&messages, true));
        messages.truncate(keep.unwrap_or(messages.len()));
        messages.reverse();
        report.stored = count;
        report.returned = messages.len() as u64;
        report.evicted = count
            .saturating_sub(report.returned)
            .saturating_sub(report.expired);
        report.skipped = (log.foreign().len() as u64).saturating_sub(report.skipped);
        report.uncommitted = log.events_beyond(&committed_turns(log, items));
        (messages, report, self.agents)
    }
}

/// The root a first turn would hang on.
pub(crate) fn root_token(request: &LoadRequest, found: &Foreign) -> Token {
    root(&request.conversation, request.branch.as_deref(), found)
}

/// The root a first turn on these events would hang on.
pub(crate) fn root(
    conversation: &crate::id::Conversation,
    branch: Option<&str>,
    found: &Foreign,
) -> Token {
    let genesis = Token::genesis(conversation, branch);
    if found.events == 0 {
        return genesis;
    }
    let count = found.messages.len() as u64;
    Token {
        kind: Kind::Adopted,
        branch: BranchTag::of(branch),
        head: Head {
            turn: TurnId::adopted(conversation, count, found.last_ms),
            count,
            tokens: found.messages.iter().map(estimate::message).sum(),
            pins: pins::count(&found.messages),
            last_ms: found.last_ms,
            last_event: found.last_event.clone(),
            fingerprint: fingerprint::extend(fingerprint::EMPTY, &found.messages),
            ..genesis.head
        },
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
        conversation: request.conversation.clone(),
        stored_message_count: count,
        system: items.system.map(|system| system.message),
        states: items.states,
    }
}

#[cfg(test)]
mod tests;
