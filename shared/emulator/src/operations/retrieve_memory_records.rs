//! `RetrieveMemoryRecords`, scored by shared words: a stand-in for semantic search, and no more than that.

use serde_json::{Map, Value};

use super::list_memory_records::{Choice, page};
use crate::error::ApiError;
use crate::route::{Labels, Operation};
use crate::validate::{Violations, integer_member, object_member, text_member};
use crate::world::{Context, Reply};

const DEFAULT_TOP: i64 = 10;

pub(super) fn run(
    context: &Context<'_>,
    labels: &Labels,
    body: &Map<String, Value>,
) -> Result<Reply, ApiError> {
    let mut violations = Violations::default();
    let empty = Map::new();
    let criteria = object_member(body, "searchCriteria")?;
    if criteria.is_none() {
        violations.missing("searchCriteria");
    }
    let criteria = criteria.unwrap_or(&empty);
    let query = text_member(criteria, "searchQuery")?;
    match query {
        Some(query) => violations.length(
            "searchCriteria.searchQuery",
            query.chars().count(),
            1,
            10_000,
        ),
        None => violations.missing("searchCriteria.searchQuery"),
    }
    let top = integer_member(criteria, "topK")?.unwrap_or(DEFAULT_TOP);
    violations.range("searchCriteria.topK", top, 1, 100);
    let choice = Choice::parse(body, criteria, &mut violations)?;
    let records = choice.read(
        context,
        labels,
        Operation::RetrieveMemoryRecords,
        body,
        violations,
    )?;
    let words = words(query.unwrap_or_default());
    let mut scored: Vec<_> = records
        .iter()
        .map(|record| (score(&words, &record.text), record))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    scored.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    let top = usize::try_from(top).unwrap_or(usize::MAX);
    let rendered = scored
        .iter()
        .take(top)
        .map(|(score, record)| record.render(Some(*score)))
        .collect();
    page(labels, body, "RetrieveMemoryRecords", rendered)
}

fn words(query: &str) -> Vec<String> {
    query.split_whitespace().map(str::to_lowercase).collect()
}

/// The share of the query's words that occur in the text as substrings, whatever their case.
fn score(words: &[String], text: &str) -> f64 {
    let text = text.to_lowercase();
    let found = words
        .iter()
        .filter(|word| text.contains(word.as_str()))
        .count();
    let ratio = |part: usize, whole: usize| {
        let count = |value: usize| f64::from(u32::try_from(value).unwrap_or(u32::MAX));
        count(part) / count(whole.max(1))
    };
    ratio(found, words.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_is_the_share_of_words_found() {
        let check = |query: &str, text: &str| score(&words(query), text);
        assert!((check("blue sky", "The SKY is blue") - 1.0).abs() < 1e-9);
        assert!((check("blue sea", "The sky is blue") - 0.5).abs() < 1e-9);
        assert!(check("green", "The sky is blue").abs() < 1e-9);
    }
}
