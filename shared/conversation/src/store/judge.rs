//! What it means that a commit found something else than it expected.

use super::base::Base;
use super::commit::{Committing, Settled};
use super::mine::{self, Memory};
use super::plan::Written;
use crate::error::{Cause, ConflictKind, Error};
use crate::head::Head;
use crate::ports::{
    Clock, Commit, ContextReader, ContextWriter, Entropy, EventReader, HeadExpectation, HeadLookup,
    KeyRecord,
};

/// What was found instead of what was expected.
pub(super) struct Finding {
    /// The head, where it is not the expected one. The outer option is whether that is so and the inner
    /// whether there is one, as in the port's own answer.
    #[allow(clippy::option_option)]
    pub(super) head: Option<Option<Box<Head>>>,
    pub(super) key: Option<Box<KeyRecord>>,
    pub(super) state: Option<(String, u64)>,
}

impl<E, C, K, R> Committing<'_, E, C, K, R>
where
    E: EventReader,
    C: ContextReader + ContextWriter,
    K: Clock,
    R: Entropy,
{
    /// Decides what the finding means. Getting this wrong doubles a turn.
    pub(super) async fn judge(
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
pub(super) fn difference(base: &Base, found: HeadLookup) -> Option<Finding> {
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
