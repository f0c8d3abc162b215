//! Tool uses and their results.

use std::collections::{HashMap, HashSet};

use codec::converse::Block;
use serde_json::{Value, json};

use super::MendingKind;

/// What a made-up result says.
const INTERRUPTED: &str = "The tool was interrupted before it could answer.";

/// An assistant's blocks with each tool use id once. A tool use without an id can't be answered.
pub(super) fn distinct_uses(content: Vec<Block>, mut log: impl FnMut(MendingKind)) -> Vec<Block> {
    let mut seen = HashSet::new();
    let mut content = content;
    content.retain(|block| {
        if !block.contains_key("toolUse") {
            return true;
        }
        let fault = match use_id(block) {
            None => Some(MendingKind::MisplacedBlock),
            Some(id) if seen.insert(id.to_owned()) => None,
            Some(_) => Some(MendingKind::RepeatedToolUse),
        };
        fault.map(&mut log).is_none()
    });
    content
}

/// A user's blocks as the answer to what the assistant `asked`: one result a tool use, in their order and
/// in front, then everything else.
pub(super) fn answer(
    asked: &[Block],
    content: Vec<Block>,
    mut log: impl FnMut(MendingKind),
) -> Vec<Block> {
    let uses: Vec<&str> = asked.iter().filter_map(use_id).collect();
    let mut open: HashMap<&str, Place> = HashMap::with_capacity(uses.len());
    for (rank, id) in uses.iter().enumerate() {
        open.insert(id, Place { rank, taken: false });
    }
    let mut placed: Vec<(usize, Block)> = Vec::with_capacity(content.len());
    for block in content {
        if !block.contains_key("toolResult") {
            placed.push((uses.len(), block));
            continue;
        }
        match result_id(&block).and_then(|id| open.get_mut(id)) {
            None => log(MendingKind::StrayToolResult),
            Some(place) if place.taken => log(MendingKind::RepeatedToolResult),
            Some(place) => {
                place.taken = true;
                placed.push((place.rank, block));
            }
        }
    }
    if !placed.is_sorted_by_key(|(rank, _)| *rank) {
        log(MendingKind::ToolResultsOrdered);
    }
    for (rank, id) in uses.iter().enumerate() {
        if open.get(id).is_some_and(|place| !place.taken) {
            log(MendingKind::MissingToolResult);
            placed.push((rank, interrupted(id)));
        }
    }
    placed.sort_by_key(|(rank, _)| *rank);
    placed.into_iter().map(|(_, block)| block).collect()
}

/// Where the result of one tool use goes, and whether it was found.
struct Place {
    rank: usize,
    taken: bool,
}

fn interrupted(id: &str) -> Block {
    let result = json!({
        "toolUseId": id,
        "status": "error",
        "content": [{ "text": INTERRUPTED }],
    });
    Block::from_iter([("toolResult".to_owned(), result)])
}

fn use_id(block: &Block) -> Option<&str> {
    block
        .get("toolUse")?
        .get("toolUseId")
        .and_then(Value::as_str)
}

fn result_id(block: &Block) -> Option<&str> {
    block
        .get("toolResult")?
        .get("toolUseId")
        .and_then(Value::as_str)
}
