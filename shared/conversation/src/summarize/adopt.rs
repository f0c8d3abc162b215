//! A head for a conversation that other software wrote alone, so that a summary has something to belong to.

use crate::error::Error;
use crate::head::Head;
use crate::id::Conversation;
use crate::ports::{Clock, Commit, ContextWriter, Entropy, HeadExpectation};
use crate::request_token::request_token;
use crate::retry::Retry;
use crate::settings::Settings;
use crate::store::expires_at;

/// Makes the root of the chain its head, as a first store that changes only the context would. Where another
/// head is there by now, or an answer was lost, the caller sees it when it reads again.
pub(super) async fn adopt<C: ContextWriter, K: Clock, R: Entropy>(
    context: &C,
    settings: &Settings,
    retry: &Retry<'_, K, R>,
    (conversation, branch): (&Conversation, Option<&str>),
    root: Head,
) -> Result<(), Error> {
    let now_s = retry.clock.now_ms() / 1000;
    let commit = Commit {
        expected: HeadExpectation::Absent,
        request_token: request_token(&[&root.turn.0], retry.entropy.next_u64()),
        head: Head {
            revision: 1,
            ..root
        },
        system: None,
        states: Vec::new(),
        renew: Vec::new(),
        key: None,
        expires_at: expires_at(settings, now_s),
        now_s,
    };
    retry
        .run(|| context.commit(conversation, branch, &commit))
        .await?;
    Ok(())
}
