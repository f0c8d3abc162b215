//! A summary's record as answers have it.

use conversation::SummaryRecord;
use serde::Serialize;

/// The record of a summary.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SummaryBody<'a> {
    id: String,
    text: &'a str,
    first_seq: u64,
    last_seq: u64,
    ends_at: String,
    model: &'a str,
    prompt_version: u32,
    input_hash: String,
    input_tokens: u64,
    output_tokens: u64,
    covered_tokens: u64,
    created_at_ms: i64,
    previous: Option<String>,
}

impl<'a> SummaryBody<'a> {
    pub(crate) fn new(record: &'a SummaryRecord) -> Self {
        Self {
            id: record.id.to_string(),
            text: &record.text,
            first_seq: record.first_seq,
            last_seq: record.last_seq,
            ends_at: record.ends_at.to_string(),
            model: &record.model,
            prompt_version: record.prompt_version,
            input_hash: conversation::TurnId(record.input_hash).to_string(),
            input_tokens: record.input_tokens,
            output_tokens: record.output_tokens,
            covered_tokens: record.covered_tokens,
            created_at_ms: record.created_at_ms,
            previous: record.previous.map(|id| id.to_string()),
        }
    }
}
