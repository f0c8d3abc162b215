//! The pages of a listing, read as they are needed and sorted by whom their events belong to.

use std::collections::{HashMap, HashSet};

use codec::Event;

use crate::error::Error;
use crate::id::Conversation;
use crate::metadata::{Origin, Place};
use crate::ports::{Clock, Entropy, EventId, EventReader, Page, PageToken, StoredEvent};
use crate::retry::Retry;
use crate::turn::{PartHash, TurnId};

/// One event of ours.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Where it belongs.
    pub(crate) place: Place,
    /// The hash of its content.
    pub(crate) hash: PartHash,
    /// Its id.
    pub(crate) id: EventId,
    /// The name of its branch; the main line has none.
    pub(crate) branch: Option<String>,
    /// What is in it.
    pub(crate) event: Event,
}

/// What has been read of a session's log so far.
#[derive(Debug)]
pub(crate) struct Log<'a, E, K, R> {
    events: &'a E,
    retry: &'a Retry<'a, K, R>,
    conversation: &'a Conversation,
    branch: Option<&'a str>,
    next: Next,
    seen: HashSet<EventId>,
    oldest_ms: Option<i64>,
    turns: HashMap<TurnId, Vec<Piece>>,
    foreign: Vec<StoredEvent>,
    broken: u64,
}

#[derive(Clone, Debug)]
enum Next {
    First,
    Token(PageToken),
    End,
}

impl<'a, E: EventReader, K: Clock, R: Entropy> Log<'a, E, K, R> {
    /// Reads nothing yet. Without `branch` every branch is listed.
    pub(crate) fn new(
        events: &'a E,
        retry: &'a Retry<'a, K, R>,
        conversation: &'a Conversation,
        branch: Option<&'a str>,
    ) -> Self {
        Self {
            events,
            retry,
            conversation,
            branch,
            next: Next::First,
            seen: HashSet::new(),
            oldest_ms: None,
            turns: HashMap::new(),
            foreign: Vec::new(),
            broken: 0,
        }
    }

    /// Whether every page has been read.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.next, Next::End)
    }

    /// Reads the next page; nothing where there is none.
    pub(crate) async fn more(&mut self) -> Result<(), Error> {
        let token = match &self.next {
            Next::First => None,
            Next::Token(token) => Some(token.clone()),
            Next::End => return Ok(()),
        };
        let page = self.page(token).await?;
        self.take(page);
        Ok(())
    }

    /// Reads on to the last page.
    pub(crate) async fn rest(&mut self) -> Result<(), Error> {
        while !self.is_whole() {
            self.more().await?;
        }
        Ok(())
    }

    /// Starts the listing again. What was read stays known; what a page now shows for the first time may lie
    /// anywhere in it, since clocks differ.
    pub(crate) async fn again(&mut self) -> Result<(), Error> {
        let page = self.page(None).await?;
        self.oldest_ms = None;
        self.take(page);
        Ok(())
    }

    /// The timestamp of the oldest event of the listing so far.
    pub(crate) fn oldest_ms(&self) -> Option<i64> {
        self.oldest_ms
    }

    /// The events of a turn, in no order.
    pub(crate) fn turn(&self, turn: TurnId) -> &[Piece] {
        self.turns.get(&turn).map_or(&[], Vec::as_slice)
    }

    /// The turn that `turn` names as its parent, by its metadata alone.
    pub(crate) fn parent(&self, turn: TurnId) -> Option<TurnId> {
        self.turn(turn).first().map(|piece| piece.place.link.parent)
    }

    /// Events of ours, of turns that are not among `known` or that belong to no turn.
    pub(crate) fn events_beyond(&self, known: &HashSet<TurnId>) -> u64 {
        let unknown = self.turns.iter().filter(|(turn, _)| !known.contains(turn));
        unknown.map(|(_, pieces)| pieces.len() as u64).sum::<u64>() + self.broken
    }

    /// The events of other software.
    pub(crate) fn foreign(&self) -> &[StoredEvent] {
        &self.foreign
    }

    async fn page(&self, token: Option<PageToken>) -> Result<Page, Error> {
        self.retry
            .run(|| {
                self.events
                    .page(self.conversation, self.branch, token.clone())
            })
            .await
    }

    fn take(&mut self, page: Page) {
        self.next = page.next.map_or(Next::End, Next::Token);
        for event in page.events {
            let oldest = self.oldest_ms.get_or_insert(event.timestamp_ms);
            *oldest = event.timestamp_ms.min(*oldest);
            if !self.seen.insert(event.id.clone()) {
                continue;
            }
            match Place::of(&event.metadata) {
                Origin::Foreign => self.foreign.push(event),
                Origin::Broken => self.broken += 1,
                Origin::Ours(place) => {
                    let piece = Piece {
                        place,
                        hash: PartHash::of(&event.payload),
                        id: event.id,
                        branch: event.branch.map(|branch| branch.name),
                        event: Event {
                            payload: event.payload,
                            metadata: event.metadata,
                        },
                    };
                    self.turns.entry(place.turn).or_default().push(piece);
                }
            }
        }
    }
}
