//! Load: a conversation's end, read from the head backwards.

mod chain;
mod decode;
mod finish;
pub(crate) mod foreign;
mod history;
pub(crate) mod pages;
mod request;
mod verify;

use codec::strands::AgentRecord;
use futures_util::future::try_join;
use window::{Policy, Scan, SlidingRule, estimate, pins};

pub(crate) use history::{History, history};
pub use request::{LoadRequest, Loaded};

use self::chain::{Adopted, End, Walk};
use self::foreign::{Foreign, Scope};
use self::pages::Log;
use crate::deadline::Deadline;
use crate::error::Error;
use crate::fingerprint;
use crate::head::Head;
use crate::id::is_main_line;
use crate::ports::{Clock, ContextReader, Entropy, EventReader};
use crate::report::Report;
use crate::retry::Retry;
use crate::settings::{Ports, Settings};
use crate::summarize::SummaryRecord;
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

    let branch = request.branch.as_deref();
    let head = items.heads.get(branch.unwrap_or_default());
    let window = policies(&request.window, items.system.is_some());
    let covered = covered(&window, items.summary(branch));
    let mut reading = Reading::new(ports, settings, &retry, &request, &window, head, covered);
    reading.walk.pins = head.map_or(0, |head| head.pins);
    let found = match head {
        Some(head) => reading.committed(&mut log, head).await?,
        None => reading.foreign(&mut log).await?,
    };
    Ok(reading.finish(&log, items, found))
}

/// The policies as asked for. Camunda's window counts the system message, where there is one.
fn policies(asked: &[Policy], has_system: bool) -> Vec<Policy> {
    let policies = asked.iter().map(|policy| match *policy {
        Policy::Sliding {
            size,
            rule: SlidingRule::Camunda { system },
        } => Policy::Sliding {
            size,
            rule: SlidingRule::Camunda {
                system: system || has_system,
            },
        },
        policy => policy,
    });
    policies.collect()
}

/// How many messages are not shown because a summary stands for them.
fn covered(window: &[Policy], summary: Option<&SummaryRecord>) -> u64 {
    let summary = summary.filter(|_| window.contains(&Policy::Summarizing));
    summary.map_or(0, SummaryRecord::covered)
}

/// What the walk has found out about the conversation as a whole.
struct Found {
    /// Its number of messages.
    count: u64,
    /// The estimate of all of them.
    tokens: u64,
    /// The token of its head.
    head: Option<String>,
}

/// One load under way.
struct Reading<'a, E, C, K, R> {
    ports: &'a Ports<E, C, K, R>,
    retry: &'a Retry<'a, K, R>,
    request: &'a LoadRequest,
    window: &'a [Policy],
    /// How many messages follow the summary.
    follows: Option<u64>,
    walk: Walk<'a, K, R>,
    agents: Vec<AgentRecord>,
    /// The root on which the messages of other software hang, where some were read.
    root: Option<Head>,
}

impl<'a, E, C, K, R> Reading<'a, E, C, K, R> {
    /// Nothing is read yet. The first `covered` messages are left to a summary, and no pinned ones are looked for.
    fn new(
        ports: &'a Ports<E, C, K, R>,
        settings: &'a Settings,
        retry: &'a Retry<'a, K, R>,
        request: &'a LoadRequest,
        window: &'a [Policy],
        head: Option<&Head>,
        covered: u64,
    ) -> Self {
        let follows = head.map(|head| head.count.saturating_sub(covered));
        let follows = follows.filter(|_| covered > 0);
        Self {
            ports,
            retry,
            request,
            window,
            follows,
            walk: Walk {
                conversation: &request.conversation,
                settings,
                retry,
                mode: request.mode,
                covered,
                pins: 0,
                scan: Scan::new(window, follows),
                newest_first: Vec::new(),
                turns: Vec::new(),
                report: Report::default(),
            },
            agents: Vec::new(),
            root: None,
        }
    }
}

impl<E: EventReader, C, K: Clock, R: Entropy> Reading<'_, E, C, K, R> {
    /// Reads a conversation that has a head.
    async fn committed(&mut self, log: &mut Log<'_, E, K, R>, head: &Head) -> Result<Found, Error> {
        let branch = self.request.branch.as_deref();
        let end = self.walk.from(log, head, branch).await?;
        if let End::Adopted(adopted) = end {
            self.adopted(log, &adopted).await?;
        }
        let token = Token::head(branch, head.clone()).encode(&self.request.conversation);
        Ok(Found {
            count: head.count,
            tokens: head.tokens,
            head: Some(token),
        })
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
            let gone = adopted.count - count;
            self.walk.report.expired = gone.saturating_sub(self.walk.covered);
        } else if count > adopted.count {
            // Other software wrote more, dated back, after the chain took over.
            self.walk.report.note("foreign_late");
        }
        let conversation = &self.request.conversation;
        self.root = Some(Head {
            turn: TurnId::adopted(conversation, adopted.count, adopted.last_ms),
            count: adopted.count,
            ..root(conversation, None, &found).head
        });
        self.take(found);
        Ok(())
    }

    /// Reads a conversation without a head: whatever other software wrote. The token says which chain a
    /// first turn would begin, and there is none where that is not known.
    async fn foreign(&mut self, log: &mut Log<'_, E, K, R>) -> Result<Found, Error> {
        let branch = self.request.branch.as_deref();
        let mut found = self.others(log, branch, i64::MAX).await?;
        if branch.is_some() && !found.own {
            // Only a turn that is not committed names this branch. It must not make what came before it
            // appear under a branch that is not there.
            self.walk.report = Report::default();
            self.walk.scan = Scan::new(self.window, None);
            found = Foreign {
                whole: true,
                ..Foreign::default()
            };
        }
        let root = root_token(self.request, &found);
        let token = found.whole.then(|| root.encode(&self.request.conversation));
        self.root = Some(root.head.clone());
        self.take(found);
        Ok(Found {
            count: root.head.count,
            tokens: root.head.tokens,
            head: token,
        })
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
            mode: self.request.mode,
            window: self.window,
            follows: self.follows,
            pins: self.walk.pins,
        };
        let Walk {
            newest_first: newer,
            scan,
            report,
            ..
        } = &mut self.walk;
        let Some(branch) = branch else {
            return foreign::read(log, scope, newer, scan, report).await;
        };
        let conversation = &self.request.conversation;
        let mut branch = Log::new(&self.ports.events, self.retry, conversation, Some(branch));
        branch.more().await?;
        foreign::read(&mut branch, scope, newer, scan, report).await
    }

    fn take(&mut self, found: Foreign) {
        self.agents = found.agents;
        // Those that turn out to be part of the conversation are taken off what was skipped.
        self.walk.report.skipped = found.events;
        self.walk
            .newest_first
            .extend(found.messages.into_iter().rev());
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

#[cfg(test)]
mod tests;
