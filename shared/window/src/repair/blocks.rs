//! Blocks of one message: which may stay, and in which order.

use codec::converse::{Block, ConverseMessage, ConverseRole};
use codec::model::Object;
use serde_json::Value;

use super::MendingKind;

/// Leaves out blank texts and what this speaker may not utter; puts reasoning first.
pub(super) fn clean(
    mut message: ConverseMessage,
    log: &mut impl FnMut(MendingKind),
) -> ConverseMessage {
    let forbidden: &[&str] = match message.role {
        ConverseRole::User => &["reasoningContent", "toolUse"],
        ConverseRole::Assistant => &["toolResult"],
    };
    message.content.retain(|block| {
        let blank = is_blank_text(block);
        let misplaced = forbidden.iter().any(|key| block.contains_key(*key));
        match (blank, misplaced) {
            (true, _) => log(MendingKind::BlankText),
            (_, true) => log(MendingKind::MisplacedBlock),
            _ => {}
        }
        !blank && !misplaced
    });
    if reasoning_first(&mut message.content) {
        log(MendingKind::ReasoningMoved);
    }
    message
}

/// Adds what `next` says to `message`.
pub(super) fn join(message: &mut ConverseMessage, next: ConverseMessage) {
    message.content.extend(next.content);
    reasoning_first(&mut message.content);
}

/// A user message with one text.
pub(super) fn user_text(text: &str) -> ConverseMessage {
    let mut block = Block::new();
    block.insert("text".to_owned(), Value::from(text));
    ConverseMessage {
        role: ConverseRole::User,
        content: vec![block],
        metadata: None,
        tracking_id: None,
        extra: Object::new(),
    }
}

fn is_blank_text(block: &Block) -> bool {
    let text = block.get("text").and_then(Value::as_str);
    text.is_some_and(|text| text.trim().is_empty())
}

fn is_reasoning(block: &Block) -> bool {
    block.contains_key("reasoningContent")
}

/// Moves reasoning to the front, otherwise keeping the order; whether anything moved.
fn reasoning_first(content: &mut [Block]) -> bool {
    let ordered = content.is_sorted_by_key(|block| !is_reasoning(block));
    // A stable sort by one bit is a partition.
    content.sort_by_key(|block| !is_reasoning(block));
    !ordered
}
