//! One message from the items that belong to it.

use super::Decoded;
use super::camunda::{Piece, PieceKind};
use super::envelope::MetadataBlob;
use crate::error::DecodeError;
use crate::model::{
    AssistantMessage, Content, Message, Object, ToolCall, ToolResult, ToolResultMessage,
    UserMessage,
};
use crate::note::{NoteReason, Notes};
use crate::path::Path;
use crate::payload::Role;

/// Puts a message together and adds it to what was decoded.
pub(super) fn message(
    pieces: Vec<Piece<'_>>,
    decoded: &mut Decoded,
    notes: &mut Notes,
) -> Result<(), DecodeError> {
    let mut parts = gather(pieces, notes)?;
    let Some(speaker) = speaker(&parts, notes)? else {
        return Ok(());
    };
    let metadata = parts.metadata.take();
    let mut message = match speaker {
        Speaker::User => user(&mut parts, notes)?,
        Speaker::Assistant => assistant(&mut parts, notes)?,
        Speaker::Tool => tool_result(&mut parts, metadata.is_some(), notes)?,
    };
    if let Some((index, blob)) = metadata {
        notes.at(index);
        decoded.part = describe(&mut message, *blob, notes)?.or(decoded.part);
    }
    decoded.messages.push(message);
    Ok(())
}

/// The items of a message by kind.
#[derive(Default)]
struct Parts<'a> {
    /// Texts and blocks in stored order.
    contents: Vec<(usize, Content)>,
    /// The role of the first text that is not a tool's.
    said_by: Option<&'a Role>,
    /// TOOL texts.
    tool_texts: Vec<(usize, &'a str)>,
    calls: Option<(usize, Vec<ToolCall>)>,
    results: Option<(usize, Vec<ToolResult>)>,
    metadata: Option<(usize, Box<MetadataBlob>)>,
}

/// Whose message it is.
#[derive(Clone, Copy)]
enum Speaker {
    User,
    Assistant,
    Tool,
}

fn gather<'a>(pieces: Vec<Piece<'a>>, notes: &mut Notes) -> Result<Parts<'a>, DecodeError> {
    let mut parts = Parts::default();
    let (mut texts, mut blocks) = (Vec::new(), Vec::new());
    let ordered = pieces
        .iter()
        .any(|piece| matches!(piece.kind, PieceKind::Metadata(_)));
    for Piece { index, kind } in pieces {
        match kind {
            PieceKind::Text(Role::Tool, text) => parts.tool_texts.push((index, text)),
            PieceKind::Text(role, text) => {
                parts.said_by.get_or_insert(role);
                texts.push((index, Content::text(text)));
            }
            // Without a metadata blob the layout is the mapping document's: texts first, then blocks.
            PieceKind::Block(block) if ordered => texts.push((index, block)),
            PieceKind::Block(block) => blocks.push((index, block)),
            PieceKind::Calls(calls) => keep_last(&mut parts.calls, (index, calls), notes)?,
            PieceKind::Results(results) => keep_last(&mut parts.results, (index, results), notes)?,
            PieceKind::Metadata(blob) => parts.metadata = Some((index, blob)),
        }
    }
    texts.append(&mut blocks);
    parts.contents = texts;
    Ok(parts)
}

fn keep_last<T>(
    kept: &mut Option<(usize, T)>,
    found: (usize, T),
    notes: &mut Notes,
) -> Result<(), DecodeError> {
    if let Some((earlier, _)) = kept.replace(found) {
        notes.at(earlier);
        notes.take(&Path::Root.key("blob"), NoteReason::Superseded)?;
    }
    Ok(())
}

/// Whose message it is by the metadata blob, or else by what the other items suggest. Nobody's, if there are none.
fn speaker(parts: &Parts<'_>, notes: &mut Notes) -> Result<Option<Speaker>, DecodeError> {
    if let Some((index, blob)) = &parts.metadata {
        notes.at(*index);
        let root = Path::Root;
        let blob_path = root.key("blob");
        let properties = blob_path.key("properties");
        match blob.role.as_deref() {
            Some("USER") => return Ok(Some(Speaker::User)),
            Some("ASSISTANT") => return Ok(Some(Speaker::Assistant)),
            Some("TOOL") => return Ok(Some(Speaker::Tool)),
            Some(_) => notes.take(&properties.key("role"), NoteReason::UnknownRole)?,
            None => notes.take(&properties, NoteReason::RoleInferred)?,
        }
    }
    infer(parts, notes)
}

fn infer(parts: &Parts<'_>, notes: &mut Notes) -> Result<Option<Speaker>, DecodeError> {
    if parts.results.is_some() {
        return Ok(Some(Speaker::Tool));
    }
    match parts.said_by {
        Some(Role::User) => return Ok(Some(Speaker::User)),
        Some(Role::Assistant) => return Ok(Some(Speaker::Assistant)),
        _ => {}
    }
    if parts.calls.is_some() {
        return Ok(Some(Speaker::Assistant));
    }
    if parts.contents.is_empty() && !parts.tool_texts.is_empty() {
        return Ok(Some(Speaker::Tool));
    }
    let Some((index, _)) = parts.contents.first() else {
        // Nothing was said and nothing says by whom: an envelope that could not be read, noted before.
        return Ok(parts.metadata.is_some().then_some(Speaker::User));
    };
    notes.at(*index);
    notes.take(&Path::Root, NoteReason::RoleInferred)?;
    Ok(Some(Speaker::User))
}

fn user(parts: &mut Parts<'_>, notes: &mut Notes) -> Result<Message, DecodeError> {
    if let Some((index, _)) = parts.calls.take() {
        notes.at(index);
        notes.take(&Path::Root.key("blob"), NoteReason::StrayToolCalls)?;
    }
    Ok(Message::User(UserMessage {
        content: said(parts, notes)?,
        ..UserMessage::default()
    }))
}

fn assistant(parts: &mut Parts<'_>, notes: &mut Notes) -> Result<Message, DecodeError> {
    Ok(Message::Assistant(AssistantMessage {
        tool_calls: parts
            .calls
            .take()
            .map(|(_, calls)| calls)
            .unwrap_or_default(),
        content: said(parts, notes)?,
        ..AssistantMessage::default()
    }))
}

/// The content of a message that is no tool result.
fn said(parts: &mut Parts<'_>, notes: &mut Notes) -> Result<Vec<Content>, DecodeError> {
    if let Some((index, _)) = parts.results.take() {
        notes.at(index);
        notes.take(&Path::Root.key("blob"), NoteReason::StrayResults)?;
    }
    for (index, _) in parts.tool_texts.drain(..) {
        notes.at(index);
        notes.take(&Path::Root.key("conversational"), NoteReason::StrayToolText)?;
    }
    Ok(parts.contents.drain(..).map(|(_, block)| block).collect())
}

fn tool_result(
    parts: &mut Parts<'_>,
    stated: bool,
    notes: &mut Notes,
) -> Result<Message, DecodeError> {
    for (index, _) in parts.contents.drain(..) {
        notes.at(index);
        notes.take(&Path::Root, NoteReason::StrayContent)?;
    }
    if let Some((index, _)) = parts.calls.take() {
        notes.at(index);
        notes.take(&Path::Root.key("blob"), NoteReason::StrayToolCalls)?;
    }
    let results = match parts.results.take() {
        Some((_, results)) if stated => results,
        Some((_, results)) => results.into_iter().map(flattened).collect(),
        None => {
            if stated {
                notes.take(&Path::Root, NoteReason::MissingField("results"))?;
            }
            parts
                .tool_texts
                .drain(..)
                .map(|(_, text)| text_result(text))
                .collect()
        }
    };
    Ok(Message::ToolResult(ToolResultMessage {
        results,
        ..ToolResultMessage::default()
    }))
}

/// A result of which only the text is left.
pub(super) fn text_result(text: &str) -> ToolResult {
    ToolResult {
        content: vec![Content::text(text)],
        ..ToolResult::default()
    }
}

/// The mapping document nests the properties it flattens elsewhere.
fn flattened(mut result: ToolResult) -> ToolResult {
    if result.properties.contains_key("properties")
        && let Some(serde_json::Value::Object(nested)) = result.properties.get_mut("properties")
    {
        let nested: Object = std::mem::take(nested);
        result.properties.shift_remove("properties");
        result.properties.extend(nested);
    }
    result
}

/// Gives a message what its metadata blob knows of it.
fn describe(
    message: &mut Message,
    blob: MetadataBlob,
    notes: &mut Notes,
) -> Result<Option<crate::part::Part>, DecodeError> {
    match message {
        Message::System(_) => {}
        Message::User(message) => {
            message.name = blob.user_name;
            message.metadata = blob.metadata;
        }
        Message::Assistant(message) => {
            message.model_id = blob.model_id;
            message.message_id = blob.message_id;
            message.stop_reason = blob.stop_reason;
            message.metadata = blob.metadata;
        }
        Message::ToolResult(message) => message.metadata = blob.metadata,
    }
    let Some(hints) = blob.hints else {
        return Ok(None);
    };
    let part = hints.part();
    if !hints.apply(message) {
        let root = Path::Root;
        let blob_path = root.key("blob");
        notes.take(&blob_path.key("properties"), NoteReason::BadHint)?;
        return Ok(None);
    }
    Ok(part)
}
