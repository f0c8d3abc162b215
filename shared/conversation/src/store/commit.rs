//! The commit: one conditional write, tried until its outcome is known.

use super::base::Base;
use super::judge::{Finding, difference};
use super::plan::{Content, Plan, Written, next_head};
use super::renewal::expires_at;
use crate::error::{Cause, ConflictKind, Error};
use crate::head::Head;
use crate::id::{Conversation, KeyHash};
use crate::ports::{
    Clock, Commit, CommitOutcome, ContextError, ContextItem, ContextReader, ContextWriter, Entropy,
    EventReader, HeadLookup, KeyRecord, StateWrite,
};
use crate::request_token::request_token;
use crate::retry::Retry;
use crate::settings::{Ports, Settings};

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
            if deadline.remaining(clock).is_zero() {
                // Without a call there is nothing unknown about it.
                return Err(if *unknown {
                    Error::Unavailable(Cause::UnknownOutcome)
                } else {
                    Error::DeadlineExceeded
                });
            }
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

    fn build(
        &self,
        base: &Base,
        plan: &Plan,
        written: Option<&Written>,
        renew: Vec<ContextItem>,
    ) -> Commit {
        let now_s = self.retry.clock.now_ms() / 1000;
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
            request_token: request_token(&[&head.turn.0, &head.revision.to_be_bytes()], self.salt),
            head,
            system: system.map(|change| change.write.clone()),
            states: self.states.to_vec(),
            renew,
            key,
            expires_at: expires_at(self.settings, now_s),
            now_s,
        }
    }
}
