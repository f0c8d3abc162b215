//! One store under way: attempts, each on the head the one before found, until one is settled.

use futures_util::future::join;

use super::append::Appending;
use super::base::Base;
use super::commit::{Committing, Settled};
use super::orphans;
use super::outcome::ids;
use super::plan::{Content, Place, Plan, Written};
use super::request::{StoreRequest, Stored};
use crate::error::{Cause, Error, InvalidReason};
use crate::head::Head;
use crate::layout::{Part, lay_out};
use crate::ports::{
    Clock, ContextReader, ContextWriter, Entropy, EventId, EventReader, EventWriter,
};
use crate::settings::Settings;
use crate::token::Token;

/// How often a turn is put onto a newer head before the race is given up.
const MOST_RACES: u32 = 32;

/// One store under way.
pub(super) struct Storing<'a, E, C, K, R> {
    pub(super) settings: &'a Settings,
    pub(super) request: &'a StoreRequest,
    pub(super) content: &'a Content,
    pub(super) appending: Appending<'a, E, K, R>,
    pub(super) committing: Committing<'a, E, C, K, R>,
}

impl<E, C, K, R> Storing<'_, E, C, K, R>
where
    E: EventReader + EventWriter,
    C: ContextReader + ContextWriter,
    K: Clock,
    R: Entropy,
{
    /// Stores, starting from the head the caller named, or the one there is.
    pub(super) async fn run(&self, token: Option<Token>) -> Result<Stored, Error> {
        let pinned = token.is_some();
        let mut base = match token {
            Some(token) => Base::of_token(self.request.branch.as_deref(), token)?,
            None => match self.read_base().await? {
                Ok(base) => base,
                Err(settled) => return self.conclude(*settled, None).await,
            },
        };
        let mut progress = Progress::default();
        loop {
            let next = self.attempt(&base, &mut progress).await?;
            let (found, written) = match next {
                Attempt::Over(result) => {
                    self.delete(progress.orphans).await;
                    return *result;
                }
                Attempt::Moved(found, written) => (found, written),
            };
            base = match self
                .rebase(base, found, written, pinned, &mut progress)
                .await?
            {
                Ok(base) => base,
                Err(settled) => return self.conclude(*settled, None).await,
            };
            progress.races += 1;
            if progress.races > MOST_RACES {
                self.delete(progress.orphans).await;
                return Err(Error::Unavailable(Cause::Contended(MOST_RACES)));
            }
            self.committing
                .retry
                .back_off(progress.races.min(4))
                .await?;
        }
    }

    /// Writes the turn after `base` and tries to commit it.
    async fn attempt(&self, base: &Base, progress: &mut Progress) -> Result<Attempt, Error> {
        let branch = self.request.branch.as_deref();
        // The system message is the conversation's, but each head knows only the one its branch stored last.
        let rewrite = branch.is_some() || self.committing.renews(base);
        let plan = match self.content.plan(&base.head, rewrite) {
            Ok(plan) => plan,
            Err(kind) => return Ok(over(Err(self.conflict(kind, Some(base))))),
        };
        if !self.content.changes(&plan) {
            // A token that was given is still as good as it was.
            let given = self.request.head.clone();
            let mut answer = self.answer(&base.token(branch), 0, false);
            answer.head = given.unwrap_or(answer.head);
            return Ok(over(Ok(answer)));
        }
        let forks = base
            .branch
            .as_ref()
            .is_some_and(|branch| branch.root.is_some());
        if forks && plan.count == 0 {
            // Only an event makes a branch; one that exists here alone could never be written to.
            let error = Error::invalid("/branch", InvalidReason::UnknownBranch);
            return Ok(over(Err(error)));
        }
        let (written, renewals) = join(
            self.write(base, &plan, progress),
            self.committing.renewals(base),
        )
        .await;
        let (written, renewals) = match (written, renewals) {
            (Ok(written), Ok(renewals)) => (written, renewals),
            (Ok(written), Err(error)) => {
                return Err(self.failed(error, written, progress.unknown).await);
            }
            (Err(error), _) => return Err(self.failed(error, None, progress.unknown).await),
        };
        let unknown = &mut progress.unknown;
        let settled = self
            .committing
            .commit(base, &plan, written.as_ref(), renewals, unknown)
            .await;
        match settled {
            Err(error) => Err(self.failed(error, written, progress.unknown).await),
            Ok(Settled::Moved { head, orphaned }) => {
                let orphaned = written.as_ref().filter(|_| orphaned);
                progress.disowned = orphaned.map_or_else(Vec::new, |written| written.ids.clone());
                Ok(Attempt::Moved(head, written))
            }
            Ok(settled) => {
                let result = self.conclude(settled, Some((&plan, written))).await;
                Ok(over(result))
            }
        }
    }

    /// The events of the turn, written unless an earlier attempt did; and orphans of earlier ones deleted
    /// meanwhile. Nothing where only the context changes.
    async fn write(
        &self,
        base: &Base,
        plan: &Plan,
        progress: &mut Progress,
    ) -> Result<Option<Written>, Error> {
        let laid_out = progress.layout.take();
        let parts = match laid_out.filter(|(first, _)| *first == plan.first) {
            Some((_, parts)) => parts,
            None => self.lay_out(plan)?,
        };
        let written = match Place::after(&base.head, &parts) {
            None => None,
            Some(place) => {
                let kept = progress.kept.take();
                if let Some(kept) = kept.filter(|kept| kept.turn == place.turn) {
                    Some(kept)
                } else {
                    let write = self.appending.write(place, &parts, base.branch.as_ref());
                    let clean = self.delete(std::mem::take(&mut progress.orphans));
                    Some(join(write, clean).await.0?)
                }
            }
        };
        progress.layout = Some((plan.first, parts));
        Ok(written)
    }

    /// What to build on after the head turned out to be another.
    async fn rebase(
        &self,
        base: Base,
        found: Option<Box<Head>>,
        written: Option<Written>,
        pinned: bool,
        progress: &mut Progress,
    ) -> Result<Result<Base, Box<Settled>>, Error> {
        let branch = self.request.branch.as_deref();
        let disowned = std::mem::take(&mut progress.disowned);
        if let Some(head) = &found
            && self.still_fits(&base.head, head)
        {
            // Only the context changed: the turn still fits, events and all.
            progress.kept = written;
            return Ok(Ok(Base {
                branch: base.branch,
                ..Base::of_head(branch, (**head).clone())
            }));
        }
        progress.orphans.extend(disowned);
        if pinned {
            self.delete(std::mem::take(&mut progress.orphans)).await;
            return Err(self.moved(found.as_deref()));
        }
        match found {
            Some(head) => Ok(Ok(Base::of_head(branch, *head))),
            None => self.read_base().await,
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
        if let Some(head) = found.head {
            return Ok(Ok(Base::of_head(branch, head)));
        }
        let Appending {
            events,
            retry,
            conversation,
            ..
        } = &self.appending;
        Ok(Ok(Base::adopt(*events, retry, conversation, branch).await?))
    }

    fn lay_out(&self, plan: &Plan) -> Result<Vec<Part>, Error> {
        let new = self.content.messages.get(plan.first..).unwrap_or_default();
        let indices = self.content.indices.get(plan.first..).unwrap_or_default();
        lay_out(new, indices, self.settings.dialect, self.settings.layout)
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

    /// Takes the events back where the commit surely was not applied.
    async fn failed(&self, error: Error, written: Option<Written>, unknown: bool) -> Error {
        if !unknown {
            self.delete(ids(written)).await;
            return error;
        }
        // Whatever kept us from finding out, the turn may be committed, and the caller has to know that.
        match error {
            Error::Unavailable(_) => error,
            _ => Error::Unavailable(Cause::UnknownOutcome),
        }
    }

    pub(super) async fn delete(&self, ids: Vec<EventId>) {
        let Appending {
            events,
            retry,
            conversation,
            ..
        } = &self.appending;
        orphans::delete(*events, retry, conversation, ids).await;
    }
}

/// What one attempt leaves to the next.
#[derive(Default)]
struct Progress {
    /// The parts of the messages from this index on.
    layout: Option<(usize, Vec<Part>)>,
    /// Events that are written and can still be committed.
    kept: Option<Written>,
    /// The events of the attempt just made, where they may be deleted.
    disowned: Vec<EventId>,
    /// Events to be deleted.
    orphans: Vec<EventId>,
    /// Whether the answer to a commit was lost.
    unknown: bool,
    /// How often the head was another.
    races: u32,
}

/// How an attempt ended.
enum Attempt {
    /// With an answer.
    Over(Box<Result<Stored, Error>>),
    /// The head is another; the turn is written but not committed.
    Moved(Option<Box<Head>>, Option<Written>),
}

fn over(result: Result<Stored, Error>) -> Attempt {
    Attempt::Over(Box::new(result))
}
