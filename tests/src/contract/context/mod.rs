//! The promises of [`ContextReader`] and [`ContextWriter`].

pub mod commits;
pub mod heads;
pub mod items;
mod sample;

use conversation::ports::{ContextReader, ContextWriter};

/// Seconds since the epoch that the suite calls now. Tables drop what has expired by their own
/// clock, so it is the caller's, and everything the suite keeps expires well after it.
#[derive(Clone, Copy, Debug)]
pub struct Now(pub i64);

/// All promises, one after the other.
pub async fn all<C: ContextReader + ContextWriter>(store: &C, now: Now) {
    heads::nothing_is_there_at_first(store, now).await;
    heads::a_committed_head_is_read_back(store, now).await;
    heads::only_the_exact_head_is_replaced(store, now).await;
    heads::a_commit_leaves_the_summary_hint_alone(store, now).await;
    heads::a_missing_head_refuses_a_known_one(store, now).await;
    heads::the_last_turns_are_remembered(store, now).await;
    heads::branches_have_heads_of_their_own(store, now).await;
    items::the_system_message_changes_only_when_told(store, now).await;
    items::states_are_versioned(store, now).await;
    items::renewed_items_stay_as_they_are(store, now).await;
    items::what_is_kept_comes_back_to_the_letter(store, now).await;
    commits::a_refused_commit_changes_nothing(store, now).await;
    commits::keys_are_put_once(store, now).await;
    commits::an_expired_key_is_none(store, now).await;
    commits::a_repeated_commit_is_applied_once(store, now).await;
    commits::one_of_many_writers_wins(store, now).await;
    commits::conversations_do_not_see_each_other(store, now).await;
}
