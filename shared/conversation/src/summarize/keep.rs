//! The summary kept: one conditional write, tried until its outcome is known.

use crate::error::{Cause, ConflictKind, Error};
use crate::id::Conversation;
use crate::ports::{Clock, ContextError, Entropy, SummaryOutcome, SummaryWrite, SummaryWriter};
use crate::retry::Retry;

use super::record::SummaryRecord;

/// Keeps the summary in place of the one it was made from. Gives the summary there is then.
///
/// An answer that was lost needs no read of its own: the same write again finds either the summary it
/// wanted to replace, or its own, or another's.
pub(super) async fn keep<C: SummaryWriter, K: Clock, R: Entropy>(
    context: &C,
    retry: &Retry<'_, K, R>,
    conversation: &Conversation,
    branch: Option<&str>,
    write: SummaryWrite,
) -> Result<SummaryRecord, Error> {
    let mut unknown = false;
    let mut attempt = 0;
    loop {
        if retry.deadline.remaining(retry.clock).is_zero() {
            // Without a call there is nothing unknown about it.
            return Err(if unknown {
                Error::Unavailable(Cause::UnknownOutcome)
            } else {
                Error::DeadlineExceeded
            });
        }
        let call = context.put_summary(conversation, branch, &write);
        let failure = match retry.deadline.bound(retry.clock, call).await {
            Some(Ok(SummaryOutcome::Put)) => return Ok(write.record),
            Some(Ok(SummaryOutcome::Refused { current })) => {
                return found(&write.record, current, unknown);
            }
            Some(Ok(SummaryOutcome::NoHead)) => return Err(conflict(ConflictKind::HeadMoved)),
            Some(Err(error @ (ContextError::Throttled | ContextError::Unavailable { .. }))) => {
                Some(error)
            }
            Some(Err(_)) if unknown => return Err(Error::Unavailable(Cause::UnknownOutcome)),
            Some(Err(error)) => return Err(error.into()),
            None => None,
        };
        unknown |= !matches!(failure, Some(ContextError::Throttled));
        if !retry.spend() || retry.back_off(attempt).await.is_err() {
            return Err(match failure {
                Some(error) if !unknown => error.into(),
                _ => Error::Unavailable(Cause::UnknownOutcome),
            });
        }
        attempt += 1;
    }
}

/// What it means that another summary is there than the one to be replaced.
fn found(
    own: &SummaryRecord,
    current: Option<Box<SummaryRecord>>,
    unknown: bool,
) -> Result<SummaryRecord, Error> {
    match current {
        // An earlier attempt of this call, or a call that came to the very same summary.
        Some(current) if current.id == own.id => Ok(*current),
        // An earlier attempt of this call, and somebody has gone on from there.
        Some(current) if unknown && current.previous == Some(own.id) => Ok(*current),
        _ => Err(conflict(ConflictKind::SummaryMoved)),
    }
}

fn conflict(kind: ConflictKind) -> Error {
    Error::Conflict { kind, head: None }
}
