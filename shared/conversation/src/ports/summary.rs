//! The summaries kept with a conversation's context; they are read with the rest of it.

use std::future::Future;

use super::ContextError;
use crate::id::Conversation;
use crate::summarize::{SummaryId, SummaryRecord};

/// Replaces summaries.
pub trait SummaryWriter: Send + Sync {
    /// Keeps the summary of a branch in place of the one the caller knew, and notes with the branch's head
    /// how many tokens it stands for: both or neither. The head keeps its revision, so a store under way is
    /// not disturbed.
    fn put_summary(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        write: &SummaryWrite,
    ) -> impl Future<Output = Result<SummaryOutcome, ContextError>> + Send;
}

/// A summary to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryWrite {
    /// The summary.
    pub record: SummaryRecord,
    /// The one it replaces; none where there must not be one.
    pub replaces: Option<SummaryId>,
    /// When it may be dropped: seconds since the epoch. The stores of each day renew it with the rest.
    pub expires_at: i64,
    /// Unique to this write and its retries, so that a store with transactions can recognise them.
    pub request_token: String,
}

/// What became of a summary whose write was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SummaryOutcome {
    /// It is kept.
    Put,
    /// Another summary is there than the expected one, and this is it. Nothing was changed.
    Refused {
        /// The summary found; none where there is none.
        current: Option<Box<SummaryRecord>>,
    },
    /// The branch has no head, or one with fewer messages than the summary stands for. Nothing was changed.
    NoHead,
}
