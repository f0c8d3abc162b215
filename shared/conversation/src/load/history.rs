//! All that a summary does not stand for yet, each message with its place in the conversation.

use codec::model::Message;
use futures_util::future::try_join;
use window::Policy;

use super::Reading;
use super::pages::Log;
use super::request::LoadRequest;
use crate::error::Error;
use crate::head::Head;
use crate::ports::{Clock, ContextItems, ContextReader, Entropy, EventReader};
use crate::retry::Retry;
use crate::settings::{Ports, Settings};
use crate::summarize::SummaryRecord;
use crate::turn::TurnId;

/// The messages of a branch that its summary does not cover.
#[derive(Debug)]
pub(crate) struct History {
    pub(crate) items: ContextItems,
    /// The head, where the branch has one.
    pub(crate) head: Option<Head>,
    /// The head a first commit would make of what other software wrote, where there is no head.
    pub(crate) root: Option<Head>,
    /// The head's token, as a load gives it.
    pub(crate) token: Option<String>,
    /// The number of messages stored.
    pub(crate) count: u64,
    /// The messages, oldest first.
    pub(crate) messages: Vec<Message>,
    /// The place of each.
    pub(crate) positions: Vec<Position>,
}

/// The place of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    /// Its turn, or the root of the chain where other software wrote it.
    pub(crate) turn: TurnId,
    /// Its number, counted from 0.
    pub(crate) seq: u64,
}

/// Reads everything after the summary of the branch. The window of the request is not looked at.
pub(crate) async fn history<E, C, K, R>(
    ports: &Ports<E, C, K, R>,
    settings: &Settings,
    retry: &Retry<'_, K, R>,
    request: &LoadRequest,
) -> Result<History, Error>
where
    E: EventReader,
    C: ContextReader,
    K: Clock,
    R: Entropy,
{
    let mut log = Log::new(&ports.events, retry, &request.conversation, None);
    let items = retry.run(|| ports.context.items(&request.conversation));
    let (items, ()) = try_join(items, log.more()).await?;
    let branch = request.branch.as_deref();
    let head = items.heads.get(branch.unwrap_or_default()).cloned();
    let floor = items.summary(branch).map_or(0, SummaryRecord::covered);
    let window = [Policy::Summarizing];
    // Pinned messages that the summary covers are no part of the next one, so they are not looked for.
    let of = head.as_ref();
    let mut reading = Reading::new(ports, settings, retry, request, &window, of, floor);
    let found = match &head {
        Some(head) => reading.committed(&mut log, head).await?,
        None => reading.foreign(&mut log).await?,
    };
    let root = reading.root.clone().filter(|_| head.is_none());
    let (messages, positions) = reading.placed(floor);
    Ok(History {
        items,
        head,
        root,
        token: found.head,
        count: found.count,
        messages,
        positions,
    })
}

impl<E, C, K, R> Reading<'_, E, C, K, R> {
    /// The messages from number `floor` on, oldest first, each with its place.
    fn placed(self, floor: u64) -> (Vec<Message>, Vec<Position>) {
        let mut newest_first = Vec::new();
        for taken in &self.walk.turns {
            // A lossy dialect may have been read as fewer messages than were stored; the last one of a turn
            // always stands at its end, so that nothing of the turn is left out after it.
            let last = Position {
                turn: taken.turn,
                seq: taken.upper.saturating_sub(1),
            };
            newest_first.extend((taken.messages > 0).then_some(last));
            newest_first.extend((1..taken.messages).rev().map(|place| Position {
                turn: taken.turn,
                seq: taken.seq.saturating_add(place as u64 - 1),
            }));
        }
        let foreign = self
            .walk
            .newest_first
            .len()
            .saturating_sub(newest_first.len());
        if let Some(root) = &self.root {
            newest_first.extend((1..=foreign as u64).map(|back| Position {
                turn: root.turn,
                seq: root.count.saturating_sub(back),
            }));
        }
        let wanted = |position: &Position| position.seq >= floor;
        let kept = newest_first
            .iter()
            .take_while(|&place| wanted(place))
            .count();
        let mut messages = self.walk.newest_first;
        messages.truncate(kept);
        newest_first.truncate(kept);
        messages.reverse();
        newest_first.reverse();
        (messages, newest_first)
    }
}
