//! Store: a turn appended exactly once, whole or not at all.

mod append;
mod base;
mod commit;
mod mine;
mod orphans;
mod plan;
mod request;
mod sync;

use codec::model::Message;
use futures_util::future::join;

pub use request::{StoreMode, StoreRequest, Stored};

use self::append::Appending;
use self::base::Base;
use self::commit::{Committing, Key, Settled};
use self::plan::{Content, Place, Plan, SystemChange, Written};
use crate::answer::Context;
use crate::deadline::Deadline;
use crate::error::{Cause, ConflictKind, Error};
use crate::fingerprint;
use crate::head::Head;
use crate::id::KeyHash;
use crate::layout::{Part, lay_out};
use crate::ports::{
    AgentState, Clock, ContextReader, ContextWriter, Entropy, EventId, EventReader, EventWriter,
    SystemWrite,
};
use crate::retry::Retry;
use crate::settings::{Ports, Settings};
use crate::token::Token;

/// How often the calls of one store may be repeated altogether, and how often more for each message.
const RETRIES: u32 = 20;
const RETRIES_EACH: u32 = 4;
/// How often a turn is put onto a newer head before the race is given up.
const MOST_RACES: u32 = 32;

/// Stores a turn, and what else the request changes, in one commit.
///
/// # Errors
///
/// On any error but [`Error::Unavailable`] nothing was changed. On that one the turn may be committed,
/// whole; the same request with the same head token or idempotency key finds out, and stores it at most
/// once.
pub async fn store<E, C, K, R>(
    ports: &Ports<E, C, K, R>,
    settings: &Settings,
    request: StoreRequest,
) -> Result<Stored, Error>
where
    E: EventReader + EventWriter,
    C: ContextReader + ContextWriter,
    K: Clock,
    R: Entropy,
{
    let deadline = Deadline::after(&ports.clock, request.deadline);
    let count = u32::try_from(request.messages.len()).unwrap_or(u32::MAX);
    let budget = count.saturating_mul(RETRIES_EACH).saturating_add(RETRIES);
    let retry = Retry::new(&ports.clock, &ports.entropy, deadline, budget);
    let key = match &request.key {
        Some(key) => Some(Key {
            hash: KeyHash::new(request.branch.as_deref(), key),
            body: request.body()?,
        }),
        None => None,
    };
    let token = match &request.head {
        Some(text) => Some(Token::decode(&request.conversation, text)?),
        None => None,
    };
    let content = content(&request)?;
    let salt = ports.entropy.next_u64();
    let storing = Storing {
        settings,
        request: &request,
        content: &content,
        appending: Appending {
            events: &ports.events,
            retry: &retry,
            conversation: &request.conversation,
            salt,
        },
        committing: Committing {
            ports,
            settings,
            retry: &retry,
            conversation: &request.conversation,
            branch: request.branch.as_deref(),
            content: &content,
            states: &request.states,
            key,
            salt,
        },
    };
    storing.run(token).await
}

/// One store under way.
struct Storing<'a, E, C, K, R> {
    settings: &'a Settings,
    request: &'a StoreRequest,
    content: &'a Content,
    appending: Appending<'a, E, K, R>,
    committing: Committing<'a, E, C, K, R>,
}

impl<E, C, K, R> Storing<'_, E, C, K, R>
where
    E: EventReader + EventWriter,
    C: ContextReader + ContextWriter,
    K: Clock,
    R: Entropy,
{
    async fn run(&self, token: Option<Token>) -> Result<Stored, Error> {
        let pinned = token.is_some();
        let mut base = match token {
            Some(token) => Base::of_token(self.request.branch.as_deref(), token)?,
            None => match self.read_base().await? {
                Ok(base) => base,
                Err(settled) => return self.conclude(*settled, None).await,
            },
        };
        let mut layout: Option<(usize, Vec<Part>)> = None;
        let mut kept: Option<Written> = None;
        let mut orphans: Vec<EventId> = Vec::new();
        let mut unknown = false;
        let mut races = 0;
        loop {
            let plan = match self.content.plan(&base.head) {
                Ok(plan) => plan,
                Err(kind) => {
                    self.delete(orphans).await;
                    return Err(self.conflict(kind, Some(&base)));
                }
            };
            if !self.content.changes(&plan) {
                self.delete(orphans).await;
                return Ok(self.answer(&base.token(self.request.branch.as_deref()), 0, false));
            }
            let parts = match layout.take().filter(|(first, _)| *first == plan.first) {
                Some((_, parts)) => parts,
                None => self.lay_out(&plan)?,
            };
            let written = match Place::after(&base.head, &parts) {
                None => None,
                Some(place) => match kept.take().filter(|kept| kept.turn == place.turn) {
                    Some(kept) => Some(kept),
                    None => {
                        let write = self.appending.write(place, &parts, base.branch.as_ref());
                        let clean = self.delete(std::mem::take(&mut orphans));
                        Some(join(write, clean).await.0?)
                    }
                },
            };
            layout = Some((plan.first, parts));

            let settled = self
                .committing
                .commit(&base, &plan, written.as_ref(), &mut unknown)
                .await;
            let settled = match settled {
                Ok(settled) => settled,
                Err(error) => return Err(self.failed(error, written, unknown).await),
            };
            let Settled::Moved { head, orphaned } = settled else {
                return self.conclude(settled, Some((&plan, written))).await;
            };
            // Only the context changed: the turn still fits, events and all.
            if let Some(head) = &head
                && self.still_fits(&base.head, head)
            {
                base = Base {
                    branch: base.branch,
                    ..Base::of_head(self.request.branch.as_deref(), (**head).clone())
                };
                kept = written;
            } else {
                if orphaned {
                    orphans.extend(written.into_iter().flat_map(|written| written.ids));
                }
                if pinned {
                    self.delete(orphans).await;
                    return Err(self.moved(head.as_deref()));
                }
                base = match head {
                    Some(head) => Base::of_head(self.request.branch.as_deref(), *head),
                    None => match self.read_base().await? {
                        Ok(base) => base,
                        Err(settled) => return self.conclude(*settled, None).await,
                    },
                };
            }
            races += 1;
            if races > MOST_RACES {
                self.delete(orphans).await;
                return Err(Error::Unavailable(Cause::Contended(races)));
            }
            self.committing.retry.back_off(races.min(4)).await?;
        }
    }

    /// The head as it is now; or the answer the idempotency key has already.
    async fn read_base(&self) -> Result<Result<Base, Box<Settled>>, Error> {
        let branch = self.request.branch.as_deref();
        let found = self.committing.look().await?;
        if let Some(record) = found.key {
            return Ok(Err(Box::new(
                self.committing.answered(Box::new(record), false),
            )));
        }
        let base = match found.head {
            Some(head) => Base::of_head(branch, head),
            None => {
                let Appending {
                    events,
                    retry,
                    conversation,
                    ..
                } = &self.appending;
                Base::adopt(*events, retry, conversation, branch).await?
            }
        };
        Ok(Ok(base))
    }

    fn lay_out(&self, plan: &Plan) -> Result<Vec<Part>, Error> {
        let new = self.content.messages.get(plan.first..).unwrap_or_default();
        lay_out(new, plan.first, self.settings.dialect, self.settings.layout)
    }

    /// Whether a turn made for `base` can be committed on `found` as it is.
    fn still_fits(&self, base: &Head, found: &Head) -> bool {
        let wanted = self.content.system.as_ref();
        let system =
            wanted.is_none_or(|wanted| found.system == base.system || found.system == wanted.hash);
        found.turn == base.turn
            && found.count == base.count
            && found.last_ms == base.last_ms
            && system
    }

    /// Makes an answer of what cannot be changed any more.
    async fn conclude(
        &self,
        settled: Settled,
        mine: Option<(&Plan, Option<Written>)>,
    ) -> Result<Stored, Error> {
        let branch = self.request.branch.as_deref();
        let (count, written) = mine.map_or((0, None), |(plan, written)| (plan.count, written));
        match settled {
            Settled::Done { head, replayed } => {
                Ok(self.answer(&Token::head(branch, *head), count as u64, replayed))
            }
            Settled::Answered { record, own } => {
                if !own {
                    self.delete(ids(written)).await;
                }
                let token = Token::head(branch, record.head);
                Ok(self.answer(&token, record.stored, true))
            }
            Settled::Refused { kind, orphaned } => {
                if orphaned {
                    self.delete(ids(written)).await;
                }
                Err(self.conflict(kind, None))
            }
            Settled::Moved { head, .. } => Err(self.moved(head.as_deref())),
        }
    }

    /// Takes the events back where the commit surely was not applied.
    async fn failed(&self, error: Error, written: Option<Written>, unknown: bool) -> Error {
        if !unknown {
            self.delete(ids(written)).await;
        }
        error
    }

    async fn delete(&self, ids: Vec<EventId>) {
        let Appending {
            events,
            retry,
            conversation,
            ..
        } = &self.appending;
        orphans::delete(*events, retry, conversation, ids).await;
    }

    fn moved(&self, head: Option<&Head>) -> Error {
        let branch = self.request.branch.as_deref();
        let token = head.map(|head| Token::head(branch, head.clone()));
        Error::Conflict {
            kind: ConflictKind::HeadMoved,
            head: token.map(|token| token.encode(&self.request.conversation)),
        }
    }

    fn conflict(&self, kind: ConflictKind, base: Option<&Base>) -> Error {
        let token = base.map(|base| base.token(self.request.branch.as_deref()));
        Error::Conflict {
            kind,
            head: token.map(|token| token.encode(&self.request.conversation)),
        }
    }

    fn answer(&self, token: &Token, stored: u64, replayed: bool) -> Stored {
        let system = self.content.system.as_ref();
        let system = system.and_then(|change| match &change.write {
            SystemWrite::Put(message) => Some(message.clone()),
            SystemWrite::Remove => None,
        });
        let states = self.request.states.iter().filter_map(|write| {
            let state = AgentState {
                value: write.value.clone(),
                version: write.expected_version? + 1,
            };
            Some((write.agent.clone(), state))
        });
        Stored {
            context: Context {
                conversation: self.request.conversation.clone(),
                stored_message_count: token.head.count,
                system,
                states: states.collect(),
            },
            head: token.encode(&self.request.conversation),
            stored,
            replayed,
        }
    }
}

fn ids(written: Option<Written>) -> Vec<EventId> {
    written.map_or_else(Vec::new, |written| written.ids)
}

/// Takes the system messages out. The last one counts, unless the request says otherwise.
fn content(request: &StoreRequest) -> Result<Content, Error> {
    let mut system = None;
    let mut messages = Vec::with_capacity(request.messages.len());
    for message in &request.messages {
        match message {
            Message::System(message) => system = Some(SystemWrite::Put(message.clone())),
            message => messages.push(message.clone()),
        }
    }
    let system = match request.system.clone().or(system) {
        None => None,
        Some(write) => Some(SystemChange {
            hash: match &write {
                SystemWrite::Put(message) => fingerprint::of_system(Some(message))?,
                SystemWrite::Remove => fingerprint::of_system(None)?,
            },
            write,
        }),
    };
    Ok(Content {
        mode: request.mode,
        messages,
        system,
        writes_state: !request.states.is_empty(),
    })
}
