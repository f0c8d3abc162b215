//! A message beyond the limits of one event, spread over several.
//!
//! Every part is a message of its own to other readers: it has items and a metadata blob with the role. The first
//! part bears the names, metadata and hints of the message, and each says which part it is. The message is taken
//! apart into atoms (a block, a call, a result, a piece of a text), and as many of them as fit are joined again by
//! the very function the reader uses. So what the parts make up is the message, by construction.

use super::{camunda, size, summary};
use crate::error::EncodeError;
use crate::json;
use crate::json::escape::{Escapes, NESTED, PLAIN};
use crate::limits::Limits;
use crate::model::{
    AssistantMessage, Content, Fields, Message, ToolResult, ToolResultMessage, UserMessage,
};
use crate::part::{Continues, Part, append};
use crate::payload::Payload;

/// Room for the hint that says which part it is.
const PART_HINT: usize = 160;

/// The share of an event a summary may take: it is a service to long-term memory, and must not crowd out what
/// it is a summary of.
const SUMMARY_SHARE: usize = 4;

/// The events of a message that is too large for one.
pub(super) fn events(message: &Message, limits: &Limits) -> Result<Vec<Vec<Payload>>, EncodeError> {
    let summary = match message {
        Message::ToolResult(message) => summary::summary(&message.results, limits.text_bytes)
            .map(|text| start(&text, limits.event_bytes / SUMMARY_SHARE, &PLAIN).to_owned()),
        _ => None,
    };
    let mut spread = Spread {
        limits,
        parts: Vec::new(),
    };
    let summary_bytes = summary
        .as_deref()
        .map_or(0, |text| size::ITEM_OVERHEAD + json::escaped_len(text));
    let mut head = Atom::new(head(message), Continues::Nothing, limits);
    head.bytes += summary_bytes;
    spread.begin(head)?;
    spread.atoms(message)?;
    Ok(spread.into_events(summary))
}

/// The smallest thing that is not torn apart, as a message with nothing else in it.
struct Atom {
    message: Message,
    continues: Continues,
    /// Its size as an event of its own. A few of them joined are never larger than the sum.
    bytes: usize,
}

impl Atom {
    fn new(message: Message, continues: Continues, limits: &Limits) -> Self {
        let bytes = PART_HINT + size::bytes(&camunda::part(&message, None, None, limits));
        Self {
            message,
            continues,
            bytes,
        }
    }
}

struct Spread<'a> {
    limits: &'a Limits,
    parts: Vec<Atom>,
}

impl Spread<'_> {
    fn atoms(&mut self, message: &Message) -> Result<(), EncodeError> {
        match message {
            Message::System(_) => {}
            Message::User(message) => {
                for block in &message.content {
                    self.block(block, Continues::Nothing, &said_by_user)?;
                }
            }
            Message::Assistant(message) => {
                for block in &message.content {
                    self.block(block, Continues::Nothing, &said_by_assistant)?;
                }
                for call in &message.tool_calls {
                    let call = Message::Assistant(AssistantMessage {
                        tool_calls: vec![call.clone()],
                        ..AssistantMessage::default()
                    });
                    self.add(Atom::new(call, Continues::Nothing, self.limits))?;
                }
            }
            Message::ToolResult(message) => {
                for result in &message.results {
                    self.result(result)?;
                }
            }
        }
        Ok(())
    }

    /// A result goes whole if it can, and block by block otherwise.
    fn result(&mut self, result: &ToolResult) -> Result<(), EncodeError> {
        let whole = Atom::new(answered(result.clone()), Continues::Nothing, self.limits);
        if whole.bytes <= self.limits.event_bytes {
            return self.add(whole);
        }
        let without_content = ToolResult {
            content: Vec::new(),
            ..result.clone()
        };
        self.add(Atom::new(
            answered(without_content),
            Continues::Nothing,
            self.limits,
        ))?;
        let further = |block| {
            answered(ToolResult {
                id: result.id.clone(),
                name: result.name.clone(),
                content: vec![block],
                ..ToolResult::default()
            })
        };
        result
            .content
            .iter()
            .try_for_each(|block| self.block(block, Continues::Result, &further))
    }

    /// A block goes whole if it can, and a text piece by piece otherwise.
    fn block(
        &mut self,
        block: &Content,
        continues: Continues,
        message: &dyn Fn(Content) -> Message,
    ) -> Result<(), EncodeError> {
        let whole = Atom::new(message(block.clone()), continues, self.limits);
        match block {
            Content::Text {
                text,
                metadata,
                extra,
            } if whole.bytes > self.limits.event_bytes => {
                let (mut rest, mut continues) = (text.as_str(), continues);
                let (mut metadata, mut extra) = (metadata.clone(), extra.clone());
                while !rest.is_empty() {
                    let piece = |text: &str, metadata: &Fields, extra: &Fields| {
                        message(Content::Text {
                            text: text.to_owned(),
                            metadata: metadata.clone(),
                            extra: extra.clone(),
                        })
                    };
                    let around = Atom::new(piece("", &metadata, &extra), continues, self.limits);
                    let room = self.limits.event_bytes.saturating_sub(around.bytes);
                    let text = start(rest, room, &NESTED);
                    if text.is_empty() {
                        return Err(self.too_large(around.bytes));
                    }
                    let atom = Atom::new(piece(text, &metadata, &extra), continues, self.limits);
                    self.begin(atom)?;
                    rest = rest.get(text.len()..).unwrap_or_default();
                    continues = Continues::Text;
                    (metadata, extra) = (Fields::new(), Fields::new());
                }
                Ok(())
            }
            _ => self.add(whole),
        }
    }

    /// Joins an atom to the last part if both fit into one event, or begins another part with it.
    fn add(&mut self, atom: Atom) -> Result<(), EncodeError> {
        let limits = self.limits;
        let Some(last) = self.parts.last_mut().filter(|last| {
            last.bytes + atom.bytes <= limits.event_bytes
                && items(&last.message) + items(&atom.message) <= limits.items
        }) else {
            return self.begin(atom);
        };
        append(&mut last.message, atom.message, atom.continues);
        last.bytes += atom.bytes;
        Ok(())
    }

    fn begin(&mut self, atom: Atom) -> Result<(), EncodeError> {
        if atom.bytes > self.limits.event_bytes {
            return Err(self.too_large(atom.bytes));
        }
        self.parts.push(atom);
        Ok(())
    }

    fn too_large(&self, bytes: usize) -> EncodeError {
        EncodeError::TooLarge {
            bytes,
            limit: self.limits.event_bytes,
        }
    }

    fn into_events(self, mut summary: Option<String>) -> Vec<Vec<Payload>> {
        let count = self.parts.len();
        let event = |(index, atom): (usize, Atom)| {
            let part = Part {
                index,
                count,
                continues: atom.continues,
            };
            camunda::part(
                &atom.message,
                summary.take().as_deref(),
                Some(part),
                self.limits,
            )
        };
        self.parts.into_iter().enumerate().map(event).collect()
    }
}

/// The message without its content.
fn head(message: &Message) -> Message {
    match message {
        Message::System(message) => Message::System(message.clone()),
        Message::User(message) => Message::User(UserMessage {
            content: Vec::new(),
            name: message.name.clone(),
            metadata: message.metadata.clone(),
            extra: message.extra.clone(),
        }),
        Message::Assistant(message) => Message::Assistant(AssistantMessage {
            content: Vec::new(),
            tool_calls: Vec::new(),
            model_id: message.model_id.clone(),
            message_id: message.message_id.clone(),
            stop_reason: message.stop_reason.clone(),
            metadata: message.metadata.clone(),
            extra: message.extra.clone(),
        }),
        Message::ToolResult(message) => Message::ToolResult(ToolResultMessage {
            results: Vec::new(),
            metadata: message.metadata.clone(),
            extra: message.extra.clone(),
        }),
    }
}

fn said_by_user(block: Content) -> Message {
    Message::User(UserMessage {
        content: vec![block],
        ..UserMessage::default()
    })
}

fn said_by_assistant(block: Content) -> Message {
    Message::Assistant(AssistantMessage {
        content: vec![block],
        ..AssistantMessage::default()
    })
}

fn answered(result: ToolResult) -> Message {
    Message::ToolResult(ToolResultMessage {
        results: vec![result],
        ..ToolResultMessage::default()
    })
}

/// The most items a message takes, its metadata blob counted in the smallest way that is safe when joined.
fn items(message: &Message) -> usize {
    match message {
        Message::System(_) => 0,
        Message::User(message) => message.content.len() + 1,
        Message::Assistant(message) => {
            message.content.len() + 1 + usize::from(!message.tool_calls.is_empty())
        }
        // However many results there are: a summary, the results, the metadata.
        Message::ToolResult(_) => 1,
    }
}

/// The longest start of a text that stays within a budget of bytes once it is escaped.
fn start<'a>(text: &'a str, budget: usize, escapes: &Escapes) -> &'a str {
    let mut spent = 0;
    let mut end = 0;
    for c in text.chars() {
        let mut utf8 = [0; 4];
        spent += c
            .encode_utf8(&mut utf8)
            .bytes()
            .map(|byte| json::byte_len(byte, escapes))
            .sum::<usize>();
        if spent > budget {
            break;
        }
        end += c.len_utf8();
    }
    text.get(..end).unwrap_or_default()
}
