//! Messages that were spread over several events, made whole.

use super::Decoded;
use crate::model::Message;
use crate::note::{Note, NoteReason};
use crate::part::{Part, append};

/// Puts together what consecutive events held, in order, and makes messages whole that were spread over several
/// of them. Parts whose neighbours are missing stay messages of their own, with a note.
#[must_use]
pub fn join(events: Vec<Decoded>) -> Decoded {
    let mut joined = Decoded::default();
    let mut open: Option<(Part, Message)> = None;
    for mut event in events {
        joined.agents.append(&mut event.agents);
        joined.notes.append(&mut event.notes);
        let part = event.part.filter(|_| event.messages.len() == 1);
        for message in event.messages {
            open = match (open.take(), part) {
                (Some((last, mut whole)), Some(part))
                    if follows(last, part) && is_alike(&whole, &message) =>
                {
                    append(&mut whole, message, part.continues);
                    Some((part, whole))
                }
                (unfinished, part) => {
                    give_up(unfinished, &mut joined);
                    begin(part, message, &mut joined)
                }
            };
            if let Some((last, _)) = &open
                && last.index + 1 == last.count
            {
                joined.messages.extend(open.take().map(|(_, whole)| whole));
            }
        }
    }
    give_up(open, &mut joined);
    joined
}

fn follows(last: Part, part: Part) -> bool {
    part.count == last.count && part.index == last.index + 1
}

fn is_alike(whole: &Message, part: &Message) -> bool {
    std::mem::discriminant(whole) == std::mem::discriminant(part)
}

/// A message that is whole goes straight on; a first part waits for the others.
fn begin(part: Option<Part>, message: Message, joined: &mut Decoded) -> Option<(Part, Message)> {
    match part {
        Some(part) if part.index == 0 => return Some((part, message)),
        Some(part) => give_up(Some((part, message)), joined),
        None => joined.messages.push(message),
    }
    None
}

fn give_up(open: Option<(Part, Message)>, joined: &mut Decoded) {
    if let Some((_, message)) = open {
        joined.messages.push(message);
        joined.notes.push(Note {
            payload: 0,
            path: String::new(),
            reason: NoteReason::MissingPart,
        });
    }
}
