//! Blocks of one message: which may stay, and in which order.

use codec::converse::{BlockKind, ConverseRole, Outgoing, OutgoingBlock};

use super::MendingKind;

/// Leaves out blank texts and what this speaker may not utter; puts reasoning first.
pub(super) fn clean(message: &mut Outgoing<'_>, log: &mut impl FnMut(MendingKind)) {
    let role = message.role;
    if is_clean(role, &message.content) {
        return;
    }
    message.content.retain(|block| {
        let fault = fault(role, block.kind());
        fault.map(&mut *log).is_none()
    });
    if reasoning_first(&mut message.content) {
        log(MendingKind::ReasoningMoved);
    }
}

/// Whether there is nothing to mend, as nearly always: told with one look at each block.
fn is_clean(speaker: ConverseRole, content: &[OutgoingBlock<'_>]) -> bool {
    let mut behind_reasoning = false;
    content.iter().all(|block| {
        let kind = block.kind();
        let is_reasoning = kind == BlockKind::Reasoning;
        let is_late = is_reasoning && behind_reasoning;
        behind_reasoning |= !is_reasoning;
        !is_late && fault(speaker, kind).is_none()
    })
}

/// Adds what `next` says to `message`.
pub(super) fn join<'a>(message: &mut Outgoing<'a>, next: Outgoing<'a>) {
    message.content.extend(next.content);
    reasoning_first(&mut message.content);
    message.alter();
}

fn fault(speaker: ConverseRole, kind: BlockKind<'_>) -> Option<MendingKind> {
    match (speaker, kind) {
        (_, BlockKind::Text(text)) if is_blank(text) => Some(MendingKind::BlankText),
        (ConverseRole::User, BlockKind::Reasoning | BlockKind::ToolUse(_))
        | (ConverseRole::Assistant, BlockKind::ToolResult(_) | BlockKind::ToolUse(None)) => {
            Some(MendingKind::MisplacedBlock)
        }
        _ => None,
    }
}

fn is_blank(text: &str) -> bool {
    // Nearly every text begins with a letter.
    let begins = text
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_graphic());
    !begins && text.trim().is_empty()
}

/// Moves reasoning to the front, otherwise keeping the order; whether anything moved.
fn reasoning_first(content: &mut [OutgoingBlock<'_>]) -> bool {
    let is_later = |block: &OutgoingBlock<'_>| block.kind() != BlockKind::Reasoning;
    let ordered = content.is_sorted_by_key(is_later);
    if !ordered {
        // A stable sort by one bit is a partition.
        content.sort_by_key(is_later);
    }
    !ordered
}
