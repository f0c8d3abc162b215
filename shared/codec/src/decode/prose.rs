//! Events without any envelope of Camunda's: plain text, and the layouts of other writers.

use super::{Decoded, assemble};
use crate::blank::is_blank;
use crate::error::DecodeError;
use crate::foreign::{self, Item};
use crate::model::{AssistantMessage, Content, Message, ToolResultMessage, UserMessage};
use crate::note::{NoteReason, Notes};
use crate::path::Path;
use crate::payload::{Event, Payload, Role};

/// Reads item by item. Texts of one role that follow each other are one message, which is how the mapping
/// document stores a message of several texts.
pub(super) fn read(event: &Event, notes: &mut Notes) -> Result<Decoded, DecodeError> {
    let mut decoded = Decoded::default();
    let mut speaker: Option<&Role> = None;
    let items = foreign::read_items(event);
    for (index, (payload, item)) in event.payload.iter().zip(items).enumerate() {
        notes.at(index);
        match (item, payload) {
            (Item::Prose, Payload::Conversational { role, text }) => {
                if is_blank(text) {
                    notes.take(&Path::Root.key("conversational"), NoteReason::BlankText)?;
                    continue;
                }
                speak(
                    &mut decoded.messages,
                    speaker == Some(role),
                    role,
                    text,
                    notes,
                )?;
                speaker = Some(role);
                continue;
            }
            (Item::Found(found), _) => {
                for (path, reason) in found.notes {
                    notes.remark(path, NoteReason::Foreign(reason));
                }
                decoded.messages.extend(found.messages);
                decoded.agents.extend(found.agents);
            }
            (Item::Opaque(reason), _) => notes.take(&Path::Root, NoteReason::Foreign(reason))?,
            (Item::Marker | Item::Echo | Item::Prose, _) => {}
        }
        speaker = None;
    }
    Ok(decoded)
}

fn speak(
    messages: &mut Vec<Message>,
    goes_on: bool,
    role: &Role,
    text: &str,
    notes: &mut Notes,
) -> Result<(), DecodeError> {
    match messages.last_mut() {
        Some(Message::User(message)) if goes_on => message.content.push(Content::text(text)),
        Some(Message::Assistant(message)) if goes_on => message.content.push(Content::text(text)),
        Some(Message::ToolResult(message)) if goes_on => {
            message.results.push(assemble::text_result(text));
        }
        _ => messages.push(first(role, text, notes)?),
    }
    Ok(())
}

fn first(role: &Role, text: &str, notes: &mut Notes) -> Result<Message, DecodeError> {
    let content = vec![Content::text(text)];
    match role {
        Role::Assistant => Ok(Message::Assistant(AssistantMessage {
            content,
            ..AssistantMessage::default()
        })),
        Role::Tool => Ok(Message::ToolResult(ToolResultMessage {
            results: vec![assemble::text_result(text)],
            ..ToolResultMessage::default()
        })),
        Role::User | Role::Other | Role::Unknown(_) => {
            if *role != Role::User {
                let root = Path::Root;
                let member = root.key("conversational");
                notes.take(&member.key("role"), NoteReason::UnknownRole)?;
            }
            Ok(Message::User(UserMessage {
                content,
                ..UserMessage::default()
            }))
        }
    }
}
