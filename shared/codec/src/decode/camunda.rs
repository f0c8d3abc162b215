//! Events with Camunda's envelopes: ours, Camunda's in all its dialects, and the mapping document's.

use serde_json::Value;

use super::envelope::{self, Envelope, MetadataBlob};
use super::{Decoded, assemble};
use crate::blank::is_blank;
use crate::error::DecodeError;
use crate::model::{Content, ToolCall, ToolResult};
use crate::note::{NoteReason, Notes};
use crate::path::Path;
use crate::payload::{Event, Payload, Role};
use crate::wire::PREFIX;

/// An item of an event, read.
pub(super) struct Piece<'a> {
    /// The item's index in its event.
    pub(super) index: usize,
    pub(super) kind: PieceKind<'a>,
}

/// What an item turned out to be.
#[allow(
    clippy::large_enum_variant,
    reason = "a block is moved once or twice; a box would cost an allocation for each"
)]
pub(super) enum PieceKind<'a> {
    Text(&'a Role, &'a str),
    Block(Content),
    Calls(Vec<ToolCall>),
    Results(Vec<ToolResult>),
    Metadata(Box<MetadataBlob>),
}

/// Whether an item is an envelope of Camunda's, be it a broken one.
pub(super) fn is_enveloped(payload: &Payload) -> bool {
    match payload {
        Payload::Blob(Value::String(text)) => envelope::is_text_envelope(text),
        Payload::Blob(Value::Object(fields)) => {
            let blob_type = fields.get("blobType").and_then(Value::as_str);
            blob_type.is_some_and(|word| word.starts_with(PREFIX))
        }
        _ => false,
    }
}

/// Reads an event that has an envelope.
pub(super) fn read(event: &Event, notes: &mut Notes) -> Result<Decoded, DecodeError> {
    let mut pieces = Vec::with_capacity(event.payload.len());
    let mut ends = 0;
    for (index, payload) in event.payload.iter().enumerate() {
        notes.at(index);
        if let Some(kind) = piece(payload, notes)? {
            ends += usize::from(matches!(kind, PieceKind::Metadata(_)));
            pieces.push(Piece { index, kind });
        }
    }
    let mut decoded = Decoded::default();
    // With a single metadata blob the order of the items says nothing about where the message ends, just as
    // Camunda's reader has it. Only a packed event has several, and then each of them ends a message.
    if ends < 2 {
        assemble::message(pieces, &mut decoded, notes)?;
        return Ok(decoded);
    }
    let mut open = Vec::new();
    for piece in pieces {
        let last = matches!(piece.kind, PieceKind::Metadata(_));
        open.push(piece);
        if last {
            assemble::message(std::mem::take(&mut open), &mut decoded, notes)?;
        }
    }
    if let Some(first) = open.first() {
        notes.at(first.index);
        notes.take(&Path::Root, NoteReason::Trailing)?;
        assemble::message(open, &mut decoded, notes)?;
    }
    Ok(decoded)
}

fn piece<'a>(
    payload: &'a Payload,
    notes: &mut Notes,
) -> Result<Option<PieceKind<'a>>, DecodeError> {
    let root = Path::Root;
    match payload {
        Payload::Conversational { role, text } if is_blank(text) => {
            // Camunda never looks at a TOOL text, so a blank one is no loss to speak of.
            if *role != Role::Tool {
                let member = root.key("conversational");
                let content = member.key("content");
                notes.take(&content.key("text"), NoteReason::BlankText)?;
            }
            Ok(None)
        }
        Payload::Conversational { role, text } => Ok(Some(PieceKind::Text(role, text))),
        Payload::Blob(blob) => Ok(envelope::read(blob, notes)?.map(PieceKind::from)),
        Payload::Json(_) | Payload::Unknown(_) => {
            notes.take(&root, NoteReason::ForeignItem)?;
            Ok(None)
        }
    }
}

impl From<Envelope> for PieceKind<'_> {
    fn from(envelope: Envelope) -> Self {
        match envelope {
            Envelope::Content(block) => Self::Block(block),
            Envelope::ToolCalls(calls) => Self::Calls(calls),
            Envelope::Results(results) => Self::Results(results),
            Envelope::Metadata(blob) => Self::Metadata(blob),
        }
    }
}
