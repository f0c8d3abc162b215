//! The report of a load: what was left out or mended, and how much.

use std::collections::BTreeMap;

/// Counts of what a load met. Those of events cover the pages that were read and no others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Messages the conversation has, expired ones included.
    pub stored: u64,
    /// Messages in the answer.
    pub returned: u64,
    /// Messages the window left out.
    pub evicted: u64,
    /// Messages the summary stands for, in a window that follows it; some of them may be pinned and in the
    /// answer all the same.
    pub summarized: u64,
    /// Messages whose events have expired and for which no summary stands.
    pub expired: u64,
    /// Messages in the answer, or left out by the window, that other software wrote.
    pub foreign: u64,
    /// Events of other software that are no part of the conversation.
    pub skipped: u64,
    /// Events of ours whose turn was never committed.
    pub uncommitted: u64,
    /// Events that repeat another.
    pub duplicates: u64,
    /// The estimate of the answer in tokens: system message, summary where the window follows it, messages.
    pub tokens: u64,
    /// The tokens of the model's context, as configured.
    pub context_window_tokens: u64,
    /// Turns whose content does not match their hash.
    pub mismatches: u64,
    /// What decoding skipped or mended, by its code.
    pub notes: BTreeMap<String, u64>,
}

impl Report {
    pub(crate) fn note(&mut self, code: &str) {
        *self.notes.entry(code.to_owned()).or_default() += 1;
    }
}
