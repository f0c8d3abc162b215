//! As many messages as fit a budget of tokens.

use super::Start;
use crate::estimate;
use crate::history::History;

/// The oldest turn from which on everything fits. The newest turn stays even when it alone does not:
/// a model without the question cannot answer it.
pub(super) fn fitting(history: &History<'_>, budget: u64) -> Start {
    super::longest_fitting(history, budget, estimate::message).unwrap_or(Start::At(0))
}
