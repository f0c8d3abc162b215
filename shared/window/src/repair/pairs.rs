//! Tool uses and their results.

use std::collections::{HashMap, HashSet};

use codec::converse::{Block, BlockKind, Blocks, OutgoingBlock};
use serde_json::json;

use super::MendingKind;

/// What a made-up result says.
const INTERRUPTED: &str = "The tool was interrupted before it could answer.";

/// Leaves each tool use id of an assistant's blocks once.
pub(super) fn distinct_uses(content: &mut Blocks<'_>, mut log: impl FnMut(MendingKind)) {
    if are_distinct(content) {
        return;
    }
    let mut seen = HashSet::new();
    let is_first = |block| use_id(block).is_none_or(|id| seen.insert(id));
    let firsts: Vec<bool> = content.iter().map(is_first).collect();
    let mut firsts = firsts.into_iter();
    content.retain(|_| {
        let stays = firsts.next().unwrap_or(true);
        if !stays {
            log(MendingKind::RepeatedToolUse);
        }
        stays
    });
}

/// Makes a user's blocks the answer to what the assistant `asked`: one result a tool use, in their order
/// and in front, then everything else.
pub(super) fn answer<'a>(
    asked: &[OutgoingBlock<'a>],
    content: Blocks<'a>,
    mut log: impl FnMut(MendingKind),
) -> Blocks<'a> {
    if is_answer(asked, &content) {
        return content;
    }
    let uses: Vec<&str> = asked.iter().filter_map(use_id).collect();
    let mut open: HashMap<&str, Place> = HashMap::with_capacity(uses.len());
    for (rank, id) in uses.iter().enumerate() {
        open.insert(id, Place { rank, taken: false });
    }
    let mut placed: Vec<(usize, OutgoingBlock<'a>)> = Vec::with_capacity(content.len());
    for block in content {
        let BlockKind::ToolResult(id) = block.kind() else {
            placed.push((uses.len(), block));
            continue;
        };
        match id.and_then(|id| open.get_mut(id)) {
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

/// Whether no tool use has the id of another, as nearly always. Only few are compared: many are for a table.
fn are_distinct(content: &[OutgoingBlock<'_>]) -> bool {
    const FEW: usize = 8;
    let mut rest = content.iter().filter_map(use_id);
    while let Some(id) = rest.next() {
        let mut others = rest.clone();
        if others.clone().nth(FEW).is_some() || others.any(|other| other == id) {
            return false;
        }
    }
    true
}

/// Where the result of one tool use goes, and whether it was found.
struct Place {
    rank: usize,
    taken: bool,
}

/// Whether there is nothing to mend, as nearly always: the results come first and are those asked for.
fn is_answer(asked: &[OutgoingBlock<'_>], content: &[OutgoingBlock<'_>]) -> bool {
    let mut uses = asked.iter().filter_map(use_id);
    let mut blocks = content.iter().map(OutgoingBlock::kind);
    let is_result = |kind: &BlockKind<'_>| matches!(kind, BlockKind::ToolResult(_));
    let answered = uses.all(|id| blocks.next() == Some(BlockKind::ToolResult(Some(id))));
    answered && !blocks.any(|kind| is_result(&kind))
}

fn interrupted(id: &str) -> OutgoingBlock<'static> {
    let result = json!({
        "toolUseId": id,
        "status": "error",
        "content": [{ "text": INTERRUPTED }],
    });
    let block = Block::from_iter([("toolResult".to_owned(), result)]);
    OutgoingBlock::Verbatim(Box::new(block))
}

fn use_id<'b>(block: &'b OutgoingBlock<'_>) -> Option<&'b str> {
    match block.kind() {
        BlockKind::ToolUse(id) => id,
        _ => None,
    }
}
