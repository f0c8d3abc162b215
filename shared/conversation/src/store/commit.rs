//! The commit: one conditional write, and what its outcome means.

use sha2::{Digest, Sha256};

use super::base::Base;
use super::mine::{self, Memory};
use super::plan::{Content, Plan, Written, next_head};
use crate::error::{Cause, ConflictKind, Error};
use crate::head::Head;
use crate::id::{Conversation, KeyHash};
use crate::ports::{
    Clock, Commit, CommitOutcome, ContextError, ContextItem, ContextReader, ContextWriter, Entropy,
    EventReader, HeadExpectation, HeadLookup, KeyRecord, StateWrite,
};
use crate::retry::Retry;
use crate::settings::{Ports, Settings};
use crate::token::Kind;

/// Context outlives the events by a day, so that a head is never gone before its turns.
/// The hour is for clocks that disagree about the day (see [`renewal_is_due`]).
const MARGIN_S: i64 = 25 * 60 * 60;
/// How long an idempotency key is kept.
const KEY_S: i64 = 24 * 60 * 60;

/// An idempotency key and what it stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) hash: KeyHash,
    pub(super) body: [u8; 32],
}

/// What became of a commit.
#[derive(Clone, Debug)]
pub(super) enum Settled {
    /// It is done, and this is the head it made.
    Done {
        head: Box<Head>,
        /// Another call had done it before.
        replayed: bool,
    },
    /// The idempotency key has an answer already.
    Answered {
        record: Box<KeyRecord>,
        /// Whether the answer is about the very events of this call.
        own: bool,
    },
    /// The head is another, and the turn is not committed nor can it be any more.
    Moved {
        head: Option<Box<Head>>,
        /// Whether the events may be taken back.
        orphaned: bool,
    },
    /// A condition besides the head's was not met.
    Refused { kind: ConflictKind, orphaned: bool },
}

/// What one call needs for its commits.
#[derive(Debug)]
pub(super) struct Committing<'a, E, C, K, R> {
    pub(super) ports: &'a Ports<E, C, K, R>,
    pub(super) settings: &'a Settings,
    pub(super) retry: &'a Retry<'a, K, R>,
    pub(super) conversation: &'a Conversation,
    pub(super) branch: Option<&'a str>,
    pub(super) content: &'a Content,
    pub(super) states: &'a [StateWrite],
    pub(super) key: Option<Key>,
    /// Whether the caller named the head: the same messages on the same head are then the same request.
    pub(super) pinned: bool,
    pub(super) salt: u64,
}

/// What was found instead of what was expected.
struct Finding {
    /// The head, where it is not the expected one.
    #[allow(clippy::option_option)]
    head: Option<Option<Box<Head>>>,
    key: Option<Box<KeyRecord>>,
    state: Option<(String, u64)>,
}

impl<E, C, K, R> Committing<'_, E, C, K, R>
where
    E: EventReader,
    C: ContextReader + ContextWriter,
    K: Clock,
    R: Entropy,
{
    /// Commits, and finds out what became of it. `unknown` is set once an answer was lost, for good: from
    /// then on an earlier attempt of this call may be what is found.
    pub(super) async fn commit(
        &self,
        base: &Base,
        plan: &Plan,
        written: Option<&Written>,
        renew: Vec<ContextItem>,
        unknown: &mut bool,
    ) -> Result<Settled, Error> {
        let commit = self.build(base, plan, written, renew);
        let (clock, deadline) = (self.retry.clock, self.retry.deadline);
        let mut attempt = 0;
        loop {
            let call = self
                .ports
                .context
                .commit(self.conversation, self.branch, &commit);
            let failure = match deadline.bound(clock, call).await {
                Some(Ok(CommitOutcome::Committed)) => {
                    let head = Box::new(commit.head);
                    return Ok(Settled::Done {
                        head,
                        replayed: false,
                    });
                }
                Some(Ok(CommitOutcome::Refused { head, key, state })) => {
                    let finding = Finding { head, key, state };
                    return self.judge(base, &commit, written, finding, *unknown).await;
                }
                Some(Err(error @ (ContextError::Throttled | ContextError::Unavailable { .. }))) => {
                    Some(error)
                }
                // This attempt was refused, but not the one before it whose answer was lost.
                Some(Err(_)) if *unknown => return Err(Error::Unavailable(Cause::UnknownOutcome)),
                Some(Err(error)) => return Err(error.into()),
                None => None,
            };
            let applied_nothing = matches!(failure, Some(ContextError::Throttled));
            *unknown |= !applied_nothing;
            let give_up = |error: Option<ContextError>, unknown: bool| match error {
                Some(error) if !unknown => error.into(),
                _ => Error::Unavailable(Cause::UnknownOutcome),
            };
            if !self.retry.spend() || self.retry.back_off(attempt).await.is_err() {
                return Err(give_up(failure, *unknown));
            }
            attempt += 1;
            if applied_nothing {
                continue;
            }
            let Ok(found) = self.look().await else {
                return Err(Error::Unavailable(Cause::UnknownOutcome));
            };
            if let Some(finding) = difference(base, found) {
                return self.judge(base, &commit, written, finding, true).await;
            }
        }
    }

    /// Reads the head and the key.
    pub(super) async fn look(&self) -> Result<HeadLookup, Error> {
        let key = self.key.as_ref().map(|key| &key.hash);
        self.retry
            .run(|| {
                let now_s = self.retry.clock.now_ms() / 1000;
                self.ports
                    .context
                    .head(self.conversation, self.branch, key, now_s)
            })
            .await
    }

    /// What an idempotency key's record means for this request.
    pub(super) fn answered(&self, record: Box<KeyRecord>, own: bool) -> Settled {
        if self.key.is_some_and(|key| key.body == record.body) {
            Settled::Answered { record, own }
        } else {
            Settled::Refused {
                kind: ConflictKind::KeyReused,
                orphaned: !own,
            }
        }
    }

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
            .collect())
    }

    fn build(
        &self,
        base: &Base,
        plan: &Plan,
        written: Option<&Written>,
        renew: Vec<ContextItem>,
    ) -> Commit {
        let now_s = self.retry.clock.now_ms() / 1000;
        let retention_s = i64::try_from(self.settings.retention.as_secs()).unwrap_or(i64::MAX / 4);
        let head = next_head(base, plan, self.content.system_after(&base.head), written);
        let system = self.content.system.as_ref().filter(|_| plan.system);
        let key = self.key.map(|key| KeyRecord {
            key: key.hash,
            body: key.body,
            head: head.clone(),
            stored: plan.count as u64,
            expires_at: now_s + KEY_S,
        });
        Commit {
            expected: base.expected.clone(),
            request_token: self.request_token(&head),
            head,
            system: system.map(|change| change.write.clone()),
            states: self.states.to_vec(),
            renew,
            key,
            expires_at: now_s + retention_s + MARGIN_S,
            now_s,
        }
    }

    /// At most 36 characters are taken.
    fn request_token(&self, head: &Head) -> String {
        let mut hash = Sha256::new_with_prefix("colloquy/request-token/1");
        hash.update(head.turn.0);
        hash.update(head.revision.to_be_bytes());
        hash.update(self.salt.to_be_bytes());
        let digits = crate::turn::TurnId(hash.finalize().into()).to_string();
        digits.chars().take(32).collect()
    }

    /// Decides what the finding means. Getting this wrong doubles a turn.
    async fn judge(
        &self,
        base: &Base,
        commit: &Commit,
        written: Option<&Written>,
        finding: Finding,
        unknown: bool,
    ) -> Result<Settled, Error> {
        let turn = written.map(|written| written.turn);
        if let Some(record) = finding.key {
            if unknown && is_same(&record.head, &commit.head) {
                return Ok(done(commit, &record.head, unknown));
            }
            let own = unknown || turn.is_some_and(|turn| turn == record.head.turn);
            return Ok(self.answered(record, own));
        }
        if let Some(Some(found)) = &finding.head
            && self.is_done(commit, written, base, found, unknown).await?
        {
            return Ok(done(commit, found, unknown));
        }
        if let Some((agent, version)) = finding.state {
            if unknown && turn.is_none() && self.states_are_written().await? {
                return Ok(Settled::Done {
                    head: Box::new(commit.head.clone()),
                    replayed: false,
                });
            }
            return Ok(Settled::Refused {
                kind: ConflictKind::State { agent, version },
                orphaned: !unknown || finding.head.is_some(),
            });
        }
        match finding.head {
            Some(head) => Ok(Settled::Moved {
                // A head that is gone says nothing about the turns that were on it.
                orphaned: !unknown || head.is_some(),
                head,
            }),
            None => Err(Error::Unavailable(Cause::Context(
                "refused without a reason".to_owned(),
            ))),
        }
    }

    /// Whether the change is what `found` shows.
    async fn is_done(
        &self,
        commit: &Commit,
        written: Option<&Written>,
        base: &Base,
        found: &Head,
        unknown: bool,
    ) -> Result<bool, Error> {
        let Some(written) = written else {
            // A change of context alone leaves no trace of who made it; where no state is involved, the
            // same change by another is as good.
            let same = found.turn == commit.head.turn && found.system == commit.head.system;
            return Ok(unknown && same && commit.states.is_empty());
        };
        let turn = written.turn;
        if !self.pinned {
            // Without an expected head two callers may well say the same at the same time, and both turns
            // count. What is found is this call's only if it holds its events, or if it cannot be told.
            if found.turn == turn {
                return Ok(found.last_event.as_ref() == written.ids.last());
            }
            if !unknown {
                return Ok(false);
            }
        }
        let number = base.head.turns.saturating_add(1);
        match mine::recall(found, turn, number) {
            Memory::Remembered => Ok(true),
            Memory::NotCommitted => Ok(false),
            Memory::Forgotten => {
                let (events, conversation) = (&self.ports.events, self.conversation);
                mine::walk(events, self.retry, conversation, found, (turn, number))
                    .await
                    // Whatever kept us from finding out: the turn may be committed.
                    .map_err(|_| Error::Unavailable(Cause::UnknownOutcome))
            }
        }
    }

    /// Whether the states are just what this call wanted to make of them.
    async fn states_are_written(&self) -> Result<bool, Error> {
        let items = self
            .retry
            .run(|| self.ports.context.items(self.conversation))
            .await
            .map_err(|_| Error::Unavailable(Cause::UnknownOutcome))?;
        Ok(self.states.iter().all(|write| {
            let kept = items.states.get(&write.agent);
            let version = write
                .expected_version
                .map(|version| version.saturating_add(1));
            kept.is_some_and(|kept| {
                kept.value == write.value && version.is_none_or(|version| version == kept.version)
            })
        }))
    }
}

/// Whether this is the first store of a day. Renewing the rest of the context once a day, with expiries a day
/// longer than the events', keeps it as long as the events without a write of each item at each store.
fn renewal_is_due(head: &Head, now_ms: i64) -> bool {
    const DAY_MS: i64 = 24 * 60 * 60 * 1000;
    now_ms.div_euclid(DAY_MS) > head.last_ms.div_euclid(DAY_MS)
}

/// The head of a turn that turned out to be committed. Where others have followed it, the caller gets the
/// head as this turn made it: it has not seen what followed, and its next store has to notice.
fn done(commit: &Commit, found: &Head, unknown: bool) -> Settled {
    let head = if found.turn == commit.head.turn {
        found.clone()
    } else {
        commit.head.clone()
    };
    Settled::Done {
        head: Box::new(head),
        replayed: !unknown,
    }
}

/// Whether two heads are the same but for what they remember.
fn is_same(one: &Head, other: &Head) -> bool {
    (one.revision, one.turn, one.count, &one.last_event)
        == (other.revision, other.turn, other.count, &other.last_event)
}

/// What of the lookup is not as it was when the commit was made; nothing where it can be tried again.
fn difference(base: &Base, found: HeadLookup) -> Option<Finding> {
    let unchanged = match (&base.expected, &found.head) {
        (HeadExpectation::Absent, None) => true,
        (HeadExpectation::Is(expected), Some(head)) => expected.revision == head.revision,
        _ => false,
    };
    if unchanged && found.key.is_none() {
        return None;
    }
    Some(Finding {
        head: (!unchanged).then(|| found.head.map(Box::new)),
        key: found.key.map(Box::new),
        state: None,
    })
}
