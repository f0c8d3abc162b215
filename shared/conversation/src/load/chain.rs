//! The walk from the head back through the parents, as far as the window asks.

use std::time::Duration;

use codec::Mode;
use codec::model::Message;
use window::Scan;

use super::decode::decode_turn;
use super::pages::Log;
use super::verify::{Assembled, Whole, assemble};
use crate::error::{Cause, Error, IntegrityKind};
use crate::head::Head;
use crate::id::Conversation;
use crate::ports::{Clock, Entropy, EventReader};
use crate::report::Report;
use crate::retry::Retry;
use crate::settings::{IntegrityMode, Settings};
use crate::turn::TurnId;

/// Clocks of writer and reader may be five minutes off either way; the rest is margin.
const SKEW: Duration = Duration::from_mins(15);

/// How often the first page alone is read again before the rest of the listing is.
const QUICK_LOOKS: u32 = 3;

/// How the walk is done, and what it has found.
#[derive(Debug)]
pub(crate) struct Walk<'a, K, R> {
    pub(crate) conversation: &'a Conversation,
    pub(crate) settings: &'a Settings,
    pub(crate) retry: &'a Retry<'a, K, R>,
    pub(crate) mode: Mode,
    /// How many messages a summary stands for: where the window is the one that follows it.
    pub(crate) covered: u64,
    /// How many pinned messages there are to be found.
    pub(crate) pins: u64,
    /// The window, shown the messages so far.
    pub(crate) scan: Scan,
    /// The messages so far, newest first.
    pub(crate) newest_first: Vec<Message>,
    /// The turns they were in, newest first.
    pub(crate) turns: Vec<Taken>,
    pub(crate) report: Report,
}

/// A turn whose messages were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) turn: TurnId,
    /// The number of its first message.
    pub(crate) seq: u64,
    /// The number of messages up to its end.
    pub(crate) upper: u64,
    /// How many messages it was read as.
    pub(crate) messages: usize,
}

/// Why the walk ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The window is full, and every pinned message is found.
    Full,
    /// The first message has been reached.
    Genesis,
    /// What is older has expired.
    Expired,
    /// The chain continues events of other software.
    Adopted(Adopted),
}

/// Where a chain took over from other software.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Adopted {
    /// How many messages it took over.
    pub(crate) count: u64,
    /// The timestamp of the last event it took over.
    pub(crate) last_ms: i64,
    /// The branch they lie on.
    pub(crate) branch: Option<String>,
}

/// What is looked for next.
struct Want {
    turn: TurnId,
    /// The number of messages up to its end.
    upper: u64,
    /// When its last event was written.
    known_ms: i64,
    /// The branch its child lies on.
    branch: Option<String>,
}

enum Found {
    More,
    Expired,
}

impl<K: Clock, R: Entropy> Walk<'_, K, R> {
    /// Walks from `head` of `branch`.
    pub(crate) async fn from<E: EventReader>(
        &mut self,
        log: &mut Log<'_, E, K, R>,
        head: &Head,
        branch: Option<&str>,
    ) -> Result<End, Error> {
        let mut want = Want {
            turn: head.turn,
            upper: head.count,
            known_ms: head.last_ms,
            branch: branch.map(str::to_owned),
        };
        let genesis = TurnId::genesis(self.conversation);
        let mut looks = 0;
        loop {
            if self.scan.is_done(want.upper > 0, self.pins) {
                return Ok(End::Full);
            }
            if want.turn == genesis {
                return at_genesis(&want);
            }
            if want.turn == TurnId::adopted(self.conversation, want.upper, want.known_ms) {
                return Ok(End::Adopted(Adopted {
                    count: want.upper,
                    last_ms: want.known_ms,
                    branch: want.branch,
                }));
            }
            let pieces = log.turn(want.turn);
            match assemble(want.turn, pieces) {
                Assembled::Whole(whole) => {
                    self.report.duplicates += (pieces.len() - whole.pieces.len()) as u64;
                    want = self.take(&want, &whole)?;
                    looks = 0;
                }
                Assembled::Missing(part) => {
                    match self.search(log, &want, part, &mut looks).await? {
                        Found::More => {}
                        Found::Expired => {
                            // What a summary stands for may well be gone.
                            self.report.expired = want.upper.saturating_sub(self.covered);
                            return Ok(End::Expired);
                        }
                    }
                }
            }
        }
    }

    /// Takes a turn's messages and says what comes before it.
    fn take(&mut self, want: &Want, whole: &Whole<'_>) -> Result<Want, Error> {
        if !whole.verified {
            self.report.mismatches += 1;
            if self.settings.integrity == IntegrityMode::Enforce {
                return Err(damaged(want, None, IntegrityKind::Tampered));
            }
        }
        let decoded = decode_turn(&whole.pieces, self.mode)?;
        for note in &decoded.notes {
            self.report.note(note.reason.code());
        }
        let found = whole.link.seq.saturating_add(decoded.messages.len() as u64);
        if whole.link.seq >= want.upper || (found != want.upper && !whole.verified) {
            let expected = want.upper;
            return Err(damaged(
                want,
                None,
                IntegrityKind::Sequence { expected, found },
            ));
        }
        if found != want.upper {
            // The content is what was stored, and still it is read as more or fewer messages than were
            // counted then: a lossy dialect. The conversation must stay loadable.
            self.report.note("message_count");
        }
        self.turns.push(Taken {
            turn: want.turn,
            seq: whole.link.seq,
            upper: want.upper,
            messages: decoded.messages.len(),
        });
        for message in decoded.messages.into_iter().rev() {
            self.scan.push(&message);
            self.newest_first.push(message);
        }
        let first = whole.pieces.first();
        Ok(Want {
            turn: whole.link.parent,
            upper: whole.link.seq,
            known_ms: whole.link.after_ms,
            branch: first.and_then(|piece| piece.branch.clone()),
        })
    }

    /// Reads more of the log for a turn that is not all there, or says what its absence means.
    async fn search<E: EventReader>(
        &self,
        log: &mut Log<'_, E, K, R>,
        want: &Want,
        part: Option<u32>,
        looks: &mut u32,
    ) -> Result<Found, Error> {
        let age_ms = self.retry.clock.now_ms().saturating_sub(want.known_ms);
        let young = age_ms < millis(SKEW);
        // Events of the turn lie between what it follows and its last one. A page beyond it hints that they
        // are new and lie before the first page, but listings need not be in order: after a few looks at
        // the first page all of it is read.
        let passed = log
            .oldest_ms()
            .is_some_and(|oldest| match log.turn(want.turn).first() {
                Some(piece) => oldest <= piece.place.link.after_ms,
                None => oldest < want.known_ms,
            });
        let look_again = young && (log.is_whole() || (passed && *looks < QUICK_LOOKS));
        if !log.is_whole() && !look_again {
            log.more().await?;
        } else if look_again {
            // New events come before the first page. The first time there is no need to wait: the page may
            // have been read just before the head was.
            if *looks > 0 && self.retry.back_off(*looks).await.is_err() {
                return Err(Error::Unavailable(Cause::NotYetVisible(want.turn)));
            }
            *looks += 1;
            log.again().await.map_err(|error| match error {
                Error::DeadlineExceeded => Error::Unavailable(Cause::NotYetVisible(want.turn)),
                error => error,
            })?;
        } else if age_ms >= millis(self.settings.retention.saturating_sub(SKEW)) {
            return Ok(Found::Expired);
        } else {
            return Err(damaged(want, part, IntegrityKind::Gap));
        }
        Ok(Found::More)
    }
}

fn at_genesis(want: &Want) -> Result<End, Error> {
    if want.upper == 0 {
        return Ok(End::Genesis);
    }
    let kind = IntegrityKind::Sequence {
        expected: 0,
        found: want.upper,
    };
    Err(damaged(want, None, kind))
}

fn damaged(want: &Want, part: Option<u32>, kind: IntegrityKind) -> Error {
    Error::Integrity {
        turn: Some(want.turn),
        part,
        kind,
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
