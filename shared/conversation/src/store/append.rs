//! The events of a turn, written side by side but no faster than the service takes them.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::join_all;
use sha2::{Digest, Sha256};

use super::orphans;
use super::plan::{Place, Written};
use super::turnstile::Turnstile;
use crate::error::Error;
use crate::id::Conversation;
use crate::layout::{Part, creates_per_second};
use crate::metadata;
use crate::pace::Pace;
use crate::ports::{BranchRoot, Clock, Entropy, EventId, EventLogError, EventWriter, NewEvent};
use crate::retry::{Retry, Transient};
use crate::turn::{Link, TurnId};

/// Where the events of one call go.
#[derive(Debug)]
pub(super) struct Appending<'a, E, K, R> {
    pub(super) events: &'a E,
    pub(super) retry: &'a Retry<'a, K, R>,
    pub(super) conversation: &'a Conversation,
    /// Drawn once a call: two calls never share a client token, so none can delete the other's events.
    pub(super) salt: u64,
}

/// What the writes of one turn share.
#[derive(Debug)]
struct Wave {
    starts: Pace,
    turnstile: Turnstile,
    /// Whether one of them has failed for good.
    failed: AtomicBool,
}

impl<E: EventWriter, K: Clock, R: Entropy> Appending<'_, E, K, R> {
    /// Writes all parts of a turn, or gives an error and takes back what it wrote, as far as time allows.
    pub(super) async fn write(
        &self,
        place: Place,
        parts: &[Part],
        branch: Option<&BranchRoot>,
    ) -> Result<Written, Error> {
        let (clock, deadline) = (self.retry.clock, self.retry.deadline);
        let starts = Pace::new(creates_per_second(parts));
        if starts.span(parts.len()) >= deadline.remaining(clock) {
            return Err(Error::DeadlineExceeded);
        }
        let events = self.events_of(place, parts, branch);
        let wave = Wave {
            starts,
            turnstile: Turnstile::default(),
            failed: AtomicBool::new(false),
        };
        let creates = events.iter().map(|event| self.create(event, &wave));
        let results = join_all(creates).await;
        let mut ids = Vec::with_capacity(results.len());
        let mut error = None;
        for result in results {
            match result {
                Ok(id) => ids.extend(id),
                Err(first) => error = error.or(Some(first)),
            }
        }
        if let Some(error) = error {
            // Nothing was committed, nor ever will be: these events are nobody's.
            orphans::delete(self.events, self.retry, self.conversation, ids).await;
            return Err(error);
        }
        Ok(Written {
            turn: place.turn,
            last_ms: events.last().map_or(0, |event| event.timestamp_ms),
            ids,
        })
    }

    fn events_of(
        &self,
        place: Place,
        parts: &[Part],
        branch: Option<&BranchRoot>,
    ) -> Vec<NewEvent> {
        let now = self.retry.clock.now_ms();
        // Strictly rising, so that readers that sort by time see the order too.
        let first_ms = now.max(place.link.after_ms.saturating_add(1));
        let count = u32::try_from(parts.len()).unwrap_or(u32::MAX);
        let mut events = Vec::with_capacity(parts.len());
        for (number, part) in (1..=count).zip(parts) {
            let timestamp_ms = first_ms.saturating_add(i64::from(number) - 1);
            let place_of_part = metadata::Place {
                turn: place.turn,
                link: Link {
                    seq: place.link.seq.saturating_add(part.offset),
                    ..place.link
                },
                part: number,
                parts: count,
            };
            events.push(NewEvent {
                timestamp_ms,
                payload: part.payload.clone(),
                metadata: place_of_part.to_metadata(),
                branch: branch.cloned(),
                client_token: client_token(place.turn, number, timestamp_ms, self.salt),
            });
        }
        events
    }

    /// Writes one event; nothing where another has failed before this one was begun.
    async fn create(&self, event: &NewEvent, wave: &Wave) -> Result<Option<EventId>, Error> {
        let result = self.create_paced(event, wave).await;
        if result.is_err() {
            wave.failed.store(true, Ordering::Relaxed);
        }
        result
    }

    async fn create_paced(&self, event: &NewEvent, wave: &Wave) -> Result<Option<EventId>, Error> {
        let (clock, deadline) = (self.retry.clock, self.retry.deadline);
        let mut attempt = 0;
        loop {
            wave.starts.start(clock, deadline).await?;
            let passage = wave.turnstile.pass().await;
            if wave.failed.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let call = self.events.create(self.conversation, event);
            let error = match deadline.bound(clock, call).await {
                Some(Ok(id)) => return Ok(Some(id)),
                Some(Err(error)) => error,
                None => return Err(Error::DeadlineExceeded),
            };
            let in_line = error == EventLogError::Conflict;
            if in_line {
                wave.turnstile.narrow();
            }
            drop(passage);
            // Who waits behind another writer waits as long as there is time: the service is not in trouble.
            let may_repeat = in_line || (error.is_transient() && self.retry.spend());
            if !may_repeat {
                return Err(error.into());
            }
            if self.retry.back_off(attempt).await.is_err() {
                return Err(error.into());
            }
            attempt += 1;
        }
    }
}

fn client_token(turn: TurnId, part: u32, timestamp_ms: i64, salt: u64) -> String {
    let mut hash = Sha256::new_with_prefix("colloquy/client-token/1");
    hash.update(turn.0);
    hash.update(part.to_be_bytes());
    hash.update(timestamp_ms.to_be_bytes());
    hash.update(salt.to_be_bytes());
    // The same form as a turn id: 64 hex digits.
    TurnId(hash.finalize().into()).to_string()
}
