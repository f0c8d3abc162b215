//! A summary without a model: the sentences that say most, word for word.
//!
//! Deterministic, so that a local run and the tests need no model. It is labelled as what it is in
//! every record it makes.

use std::collections::HashMap;

use crate::transcript::Line;

/// The name that stands in a record in place of a model's.
pub const EXTRACTIVE_MODEL: &str = "extractive/1";

/// How much of a tool's answer is shown.
const OUTCOME_CHARS: usize = 160;

/// A sentence, where it stands and what it is worth.
struct Sentence<'a> {
    line: &'a Line,
    text: &'a str,
    place: usize,
    score: u64,
}

/// The most telling sentences of a transcript, within `most_chars` characters, each with its speaker; the
/// tools run, each with its outcome. An `earlier` summary is carried over first.
#[must_use]
pub fn extract(lines: &[Line], earlier: Option<&str>, most_chars: usize) -> String {
    let mut sections = Vec::new();
    sections.extend(earlier.map(|text| clip(text, most_chars / 2)));
    let spoken = section("## Conversation", &spoken(lines, most_chars));
    let tools = section("## Tools", &outcomes(lines, most_chars));
    sections.extend(spoken);
    sections.extend(tools);
    sections.join("\n\n")
}

fn section(heading: &str, points: &[String]) -> Option<String> {
    (!points.is_empty()).then(|| format!("{heading}\n{}", points.join("\n")))
}

fn spoken(lines: &[Line], most_chars: usize) -> Vec<String> {
    let said = || lines.iter().filter(|line| line.tool.is_none());
    let mut frequency: HashMap<String, u64> = HashMap::new();
    for word in said().flat_map(|line| words(&line.text)) {
        *frequency.entry(word).or_default() += 1;
    }
    let mut sentences: Vec<Sentence<'_>> = said()
        .flat_map(|line| sentences(&line.text).map(move |text| (line, text)))
        .enumerate()
        .map(|(place, (line, text))| Sentence {
            line,
            text,
            place,
            score: score(text, &frequency),
        })
        .filter(|sentence| sentence.score > 0)
        .collect();
    // Ties go to the later sentence: what was said last is more likely to matter still.
    sentences.sort_by_key(|sentence| std::cmp::Reverse((sentence.score, sentence.place)));
    let mut left = most_chars;
    sentences.retain(|sentence| {
        let length = sentence.text.chars().count();
        let fits = length <= left;
        left -= if fits { length } else { 0 };
        fits
    });
    sentences.sort_by_key(|sentence| sentence.place);
    let points = sentences.iter();
    points
        .map(|sentence| format!("- {}: {}", sentence.line.speaker, sentence.text))
        .collect()
}

fn outcomes(lines: &[Line], most_chars: usize) -> Vec<String> {
    let mut left = most_chars;
    let mut points: Vec<String> = lines
        .iter()
        .rev()
        .filter(|line| line.speaker == "tool result")
        .map(|line| {
            let name = line.tool.as_deref().unwrap_or("tool");
            format!("- {name}: {}", clip(&one_line(&line.text), OUTCOME_CHARS))
        })
        .take_while(|point| {
            left = left.saturating_sub(point.len());
            left > 0
        })
        .collect();
    points.reverse();
    points
}

/// How telling a sentence is: how often its words occur in all, on average, so that length alone wins
/// nothing. A sentence with a figure or a name in it counts half as much again.
fn score(sentence: &str, frequency: &HashMap<String, u64>) -> u64 {
    let mut sum = 0;
    let mut count = 0;
    for word in words(sentence) {
        sum += frequency.get(&word).copied().unwrap_or_default() * 100;
        count += 1;
    }
    let average = sum / (count + 3);
    let telling = sentence.chars().any(|c| c.is_ascii_digit())
        || sentence.split_whitespace().skip(1).any(starts_upper);
    if telling { average * 3 / 2 } else { average }
}

fn starts_upper(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase)
}

/// The words that carry meaning, by the crudest measure: not the short ones.
fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words
        .filter(|word| word.chars().count() > 3)
        .map(str::to_lowercase)
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let pieces = text.split_inclusive(['.', '!', '?', '\n', '。', '！', '？']);
    pieces.map(str::trim).filter(|piece| !piece.is_empty())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn clip(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{head}…")
}
