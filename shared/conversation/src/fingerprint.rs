//! Fingerprints: what sync mode compares and what tells a changed system message.
//!
//! ```text
//! fp(0)     = 32 zero bytes
//! fp(n)     = SHA-256( fp(n-1)  digest(message n) )
//! digest    = SHA-256( "colloquy/message/1"  role  (tag lp(x))… )
//! tag       = 't' a text that is not blank, 'c' the id of a tool call, 'r' the id of a tool result
//! ```
//!
//! Only what every dialect preserves goes in, so that a conversation read back from the log has the
//! fingerprint of the messages that were stored.

use codec::is_blank;
use codec::model::{Content, Message, SystemMessage};
use sha2::{Digest, Sha256};

use crate::error::{Error, InvalidReason};

/// The fingerprint of no messages.
pub(crate) const EMPTY: [u8; 32] = [0; 32];

/// The fingerprint of a conversation after these messages follow the ones `from` stands for.
pub(crate) fn extend<'a>(
    from: [u8; 32],
    messages: impl IntoIterator<Item = &'a Message>,
) -> [u8; 32] {
    messages.into_iter().fold(from, |fingerprint, message| {
        let mut hash = Sha256::new();
        hash.update(fingerprint);
        hash.update(digest(message));
        hash.finalize().into()
    })
}

/// The hash of a system message as a head keeps it; zeros for none. Never zeros for a message.
pub(crate) fn of_system(system: Option<&SystemMessage>) -> Result<[u8; 8], Error> {
    let Some(system) = system else {
        return Ok([0; 8]);
    };
    let text = serde_json::to_string(system)
        .map_err(|_| Error::invalid("/systemMessage", InvalidReason::Refused("not JSON".into())))?;
    let mut hash = Sha256::new_with_prefix("colloquy/system/1");
    hash.update(text);
    let mut short: [u8; 8] = first(&<[u8; 32]>::from(hash.finalize()));
    if short == [0; 8] {
        short = [1; 8];
    }
    Ok(short)
}

/// The first bytes of a hash.
pub(crate) fn first<const N: usize>(hash: &[u8; 32]) -> [u8; N] {
    let mut short = [0; N];
    for (to, from) in short.iter_mut().zip(hash) {
        *to = *from;
    }
    short
}

fn digest(message: &Message) -> [u8; 32] {
    let mut hash = Sha256::new_with_prefix("colloquy/message/1");
    match message {
        Message::System(message) => {
            hash.update("S");
            texts(&mut hash, &message.content);
        }
        Message::User(message) => {
            hash.update("U");
            texts(&mut hash, &message.content);
        }
        Message::Assistant(message) => {
            hash.update("A");
            texts(&mut hash, &message.content);
            for call in &message.tool_calls {
                field(&mut hash, b'c', &call.id);
            }
        }
        Message::ToolResult(message) => {
            hash.update("T");
            for result in &message.results {
                // A result without an id is not one with an empty id for every dialect, so both count
                // as the same.
                field(&mut hash, b'r', result.id.as_deref().unwrap_or_default());
            }
        }
    }
    hash.finalize().into()
}

fn texts(hash: &mut Sha256, content: &[Content]) {
    for block in content {
        if let Content::Text { text, .. } = block
            && !is_blank(text)
        {
            field(hash, b't', text);
        }
    }
}

fn field(hash: &mut Sha256, tag: u8, text: &str) {
    hash.update([tag]);
    hash.update((text.len() as u64).to_be_bytes());
    hash.update(text);
}

#[cfg(test)]
mod tests {
    use super::{EMPTY, extend, of_system};
    use codec::model::{
        AssistantMessage, Content, Message, SystemMessage, ToolCall, ToolResult, ToolResultMessage,
        UserMessage,
    };

    fn user(texts: &[&str]) -> Message {
        Message::User(UserMessage {
            content: texts.iter().map(|text| Content::text(*text)).collect(),
            ..UserMessage::default()
        })
    }

    fn call(id: &str) -> Message {
        Message::Assistant(AssistantMessage {
            tool_calls: vec![ToolCall {
                id: id.into(),
                ..ToolCall::default()
            }],
            ..AssistantMessage::default()
        })
    }

    fn result(id: &str) -> Message {
        Message::ToolResult(ToolResultMessage {
            results: vec![ToolResult {
                id: Some(id.into()),
                ..ToolResult::default()
            }],
            ..ToolResultMessage::default()
        })
    }

    #[test]
    fn no_messages_leave_the_fingerprint_as_it_was() {
        assert_eq!(extend(EMPTY, []), EMPTY);
    }

    #[test]
    fn it_runs_on_from_where_it_stood() {
        let (a, b) = (user(&["a"]), user(&["b"]));
        assert_eq!(extend(extend(EMPTY, [&a]), [&b]), extend(EMPTY, [&a, &b]));
    }

    #[test]
    fn everything_every_dialect_keeps_counts() {
        let all = [
            vec![user(&["a"])],
            vec![user(&["b"])],
            vec![user(&["a", "b"])],
            vec![user(&["ab"])],
            vec![user(&["a"]), user(&["b"])],
            vec![user(&["b"]), user(&["a"])],
            vec![call("a")],
            vec![call("b")],
            vec![result("a")],
            vec![result("b")],
        ];
        for (i, one) in all.iter().enumerate() {
            for other in &all[i + 1..] {
                assert_ne!(
                    extend(EMPTY, one),
                    extend(EMPTY, other),
                    "{one:?} {other:?}"
                );
            }
        }
    }

    #[test]
    fn blank_text_does_not_count() {
        assert_eq!(
            extend(EMPTY, [&user(&["a", " \n"])]),
            extend(EMPTY, [&user(&["a"])])
        );
    }

    #[test]
    fn a_system_message_has_a_hash_of_its_own() {
        let one = SystemMessage {
            content: vec![Content::text("be kind")],
            ..SystemMessage::default()
        };
        assert_eq!(of_system(None), Ok([0; 8]));
        assert_ne!(of_system(Some(&one)), Ok([0; 8]));
        assert_ne!(
            of_system(Some(&one)),
            of_system(Some(&SystemMessage::default()))
        );
    }
}
