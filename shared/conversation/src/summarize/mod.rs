//! Summarize: the oldest messages condensed into a record that outlives them.

mod record;

pub use record::{SummaryId, SummaryRecord};
