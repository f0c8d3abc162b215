//! Converse messages on their way out, borrowed from the messages they show.
//!
//! Nothing is copied until the JSON is written: what is long in a conversation, texts and tool results, goes
//! from the stored message to the answer once. A hint is worked out only when the message is written, and not at all
//! for one that was altered on the way: it is not the stored message any more.

use std::borrow::Cow;
use std::iter::{self, Peekable};

use super::hint::{hint, metadata, original, write_hint};
use super::write::{blocks, extra, tracking_id, unknown_fields};
use super::{Block, Blocks, ConverseMessage, ConverseRole, HINT_KEY, OutgoingBlock};
use crate::json::keys::Keys;
use crate::json::{self, Out};
use crate::model::{Fields, Message, Object, inside};

const HINT: Keys = Keys::of(&[HINT_KEY]);
const LEFT_OUT: Keys = Keys::of(&["role", "content", "metadata"]);
const TRACKING_ID: Keys = Keys::of(&["tracking_id"]);

/// A Converse message that borrows from a message of the model, or stands for itself.
#[derive(Clone, Debug)]
pub struct Outgoing<'a> {
    /// Who speaks.
    pub role: ConverseRole,
    /// The blocks, in order.
    pub content: Blocks<'a>,
    beside: Beside<'a>,
}

/// What stands beside role and content.
#[derive(Clone, Debug)]
enum Beside<'a> {
    /// What the message of the model has, with a hint where one is needed.
    Exact(&'a Message),
    /// The same without a hint.
    Plain(&'a Message),
    /// What a Converse message has.
    Own(Box<Own>),
}

#[derive(Clone, Debug, Default)]
struct Own {
    metadata: Option<Object>,
    tracking_id: Option<String>,
    extra: Object,
}

/// Who is going to read the JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// A caller, who may store the message again: everything is written, hints included.
    Caller,
    /// A model: role and content alone, each block as the Converse API knows it.
    Model,
}

/// The messages as Converse messages, oldest first, each made when it is asked for. System messages are left out, since
/// Converse takes the system prompt apart from the history.
pub fn outgoing<'a, M>(messages: M) -> impl Iterator<Item = Outgoing<'a>> + use<'a, M>
where
    M: IntoIterator<Item = &'a Message>,
{
    let mut messages = messages.into_iter().peekable();
    iter::from_fn(move || {
        while let Some(message) = messages.next() {
            let next = next_outgoing(message, &mut messages);
            if next.is_some() {
                return next;
            }
        }
        None
    })
}

fn next_outgoing<'a>(
    message: &'a Message,
    behind: &mut Peekable<impl Iterator<Item = &'a Message>>,
) -> Option<Outgoing<'a>> {
    // Only a message that bears a hint can be the stored form of a Converse message.
    let metadata = metadata(message);
    if metadata.may_have(HINT) && metadata.contains_key(HINT_KEY) {
        if let Some(next) = behind.peek()
            && let Some(whole) = original(&[message.clone(), (*next).clone()])
        {
            behind.next();
            return Some(whole.into());
        }
        if let Some(alone) = original(std::slice::from_ref(message)) {
            return Some(alone.into());
        }
    }
    let mut plain = Outgoing::plain(message)?;
    plain.beside = Beside::Exact(message);
    Some(plain)
}

impl<'a> Outgoing<'a> {
    /// A message that nobody stored.
    #[must_use]
    pub fn new(role: ConverseRole, content: Blocks<'a>) -> Self {
        Self {
            role,
            content,
            beside: Beside::Own(Box::default()),
        }
    }

    /// The plain writing of a message, or nothing for a system message.
    pub(super) fn plain(message: &'a Message) -> Option<Self> {
        let (role, content) = blocks(message)?;
        Some(Self {
            role,
            content,
            beside: Beside::Plain(message),
        })
    }

    /// Says that the content is not that of the stored message any more, so that no hint claims it is.
    pub fn alter(&mut self) {
        if let Beside::Exact(message) = self.beside {
            self.beside = Beside::Plain(message);
        }
    }

    /// The message itself, without borrowing.
    #[must_use]
    pub fn into_message(self) -> ConverseMessage {
        let content = self.content.into_iter().map(OutgoingBlock::into_block);
        let content: Vec<Block> = content.collect();
        let (message, hint) = match self.beside {
            Beside::Exact(message) => (message, hint(message)),
            Beside::Plain(message) => (message, None),
            Beside::Own(own) => {
                return ConverseMessage {
                    role: self.role,
                    content,
                    metadata: own.metadata,
                    tracking_id: own.tracking_id,
                    extra: own.extra,
                };
            }
        };
        let mut metadata = metadata(message).clone().into_object();
        metadata.shift_remove(HINT_KEY);
        metadata.extend(hint.into_iter().flatten());
        let unknown = unknown_fields(message);
        ConverseMessage {
            role: self.role,
            content,
            metadata: (!metadata.is_empty()).then_some(metadata),
            tracking_id: tracking_id(unknown).map(Cow::into_owned),
            extra: extra(unknown)
                .map(|(key, value)| (key.into_owned(), value.to_value()))
                .collect(),
        }
    }

    pub(super) fn write(&self, out: &mut String, reader: Reader) {
        out.syntax(match self.role {
            ConverseRole::User => "{\"role\":\"user\",\"content\":",
            ConverseRole::Assistant => "{\"role\":\"assistant\",\"content\":",
        });
        json::list(out, &self.content, |out, block| block.write(out, reader));
        if reader == Reader::Caller {
            self.write_beside(out);
        }
        out.syntax("}");
    }

    fn write_beside(&self, out: &mut String) {
        match &self.beside {
            Beside::Exact(message) => {
                write_metadata(out, metadata(message), Some(message));
                write_rest(out, unknown_fields(message));
            }
            Beside::Plain(message) => {
                write_metadata(out, metadata(message), None);
                write_rest(out, unknown_fields(message));
            }
            Beside::Own(own) => {
                if let Some(metadata) = &own.metadata {
                    out.syntax(",\"metadata\":");
                    json::object(out, metadata);
                }
                if let Some(id) = &own.tracking_id {
                    json::text_member(out, "tracking_id", id);
                }
                for (key, value) in &own.extra {
                    out.syntax(",");
                    json::member(out, key, value);
                }
            }
        }
    }
}

impl From<ConverseMessage> for Outgoing<'_> {
    fn from(message: ConverseMessage) -> Self {
        let blocks = message.content.into_iter().map(Box::new);
        Self {
            role: message.role,
            content: blocks.map(OutgoingBlock::Verbatim).collect(),
            beside: Beside::Own(Box::new(Own {
                metadata: message.metadata,
                tracking_id: message.tracking_id,
                extra: message.extra,
            })),
        }
    }
}

/// Metadata with our key left to the hint of the message it is `of`.
fn write_metadata(out: &mut String, metadata: &Fields, of: Option<&Message>) {
    let mut before = ",\"metadata\":{";
    match metadata.text().and_then(inside) {
        Some(inside) if !metadata.may_have(HINT) => {
            out.syntax(before);
            out.compact(inside);
            before = ",";
        }
        _ => {
            for (key, value) in metadata.members().filter(|(key, _)| key != HINT_KEY) {
                out.syntax(before);
                json::view_member(out, &key, value);
                before = ",";
            }
        }
    }
    if of.is_some_and(|message| write_hint(out, before, message)) {
        before = ",";
    }
    if before == "," {
        out.syntax("}");
    }
}

/// The id, then the other fields.
fn write_rest(out: &mut String, unknown: &Fields) {
    if is_in_order(unknown) {
        return unknown.write_members(out);
    }
    if let Some(id) = tracking_id(unknown) {
        json::text_member(out, "tracking_id", &id);
    }
    for (key, value) in extra(unknown) {
        out.syntax(",");
        json::view_member(out, &key, value);
    }
}

/// Whether a text can be copied as it is: the id comes first, and nothing is left out.
fn is_in_order(unknown: &Fields) -> bool {
    let Some(json) = unknown.text() else {
        return unknown.is_empty();
    };
    !unknown.may_have(LEFT_OUT)
        && (json.starts_with("{\"tracking_id\":\"") || !unknown.may_have(TRACKING_ID))
}

#[cfg(test)]
mod tests {
    use super::{Outgoing, OutgoingBlock};

    #[test]
    fn it_is_handed_on_with_a_few_instructions() {
        assert_eq!(size_of::<OutgoingBlock<'_>>(), 3 * size_of::<usize>());
        // Larger ones are copied by a call.
        assert!(size_of::<(usize, Outgoing<'_>)>() <= 128);
    }
}
