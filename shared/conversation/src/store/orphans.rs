//! Events no head will ever lead to, taken back as far as time allows.
//!
//! Readers ignore them; they are deleted for the sake of other software that reads the same session.
//! A caller deletes only events it created itself, and only when their turn can no longer be committed.

use futures_util::future::join_all;

use crate::id::Conversation;
use crate::pace::{DELETES_PER_SECOND, Pace};
use crate::ports::{Clock, Entropy, EventId, EventWriter};
use crate::retry::Retry;

/// Deletes the events. A failure is of no consequence and not repeated.
pub(super) async fn delete<E: EventWriter, K: Clock, R: Entropy>(
    events: &E,
    retry: &Retry<'_, K, R>,
    conversation: &Conversation,
    ids: Vec<EventId>,
) {
    let pace = Pace::new(DELETES_PER_SECOND);
    let pace = &pace;
    join_all(ids.iter().map(|id| async move {
        if pace.start(retry.clock, retry.deadline).await.is_ok() {
            let call = events.delete(conversation, id);
            let _ = retry.deadline.bound(retry.clock, call).await;
        }
    }))
    .await;
}
