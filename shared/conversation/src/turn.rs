//! Turn ids: what makes the event log a chain.
//!
//! ```text
//! genesis  = SHA-256( "colloquy/genesis/1"  lp(memory) lp(actor) lp(session) )
//! adopted  = SHA-256( "colloquy/adopted/1"  genesis  u64(count)  i64(last_ms) )
//! part     = SHA-256( "colloquy/part/1"     u64(items)  item… )
//! item     = u8(kind)  lp(role)  lp(text)
//! turn     = SHA-256( "colloquy/turn/1"     parent  u64(seq)  i64(after_ms)  u64(parts)  part… )
//!
//! lp(x)    = u64(length in bytes)  x          integers big-endian
//! kind     = 1 conversational, 2 blob, 3 json, 4 unknown
//! ```
//!
//! A blob is hashed as the string it is; any other JSON as its compact text. Timestamps and event ids
//! are not part of it, so a retry of the same messages on the same parent has the same id.

use std::fmt;
use std::str::FromStr;

use codec::{Payload, Role};
use sha2::{Digest, Sha256};

use crate::id::Conversation;

/// The id of a turn: hash of its parent, its place and its payloads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TurnId(pub [u8; 32]);

/// The hash of one event's payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PartHash([u8; 32]);

/// Where a turn stands: what it follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The turn before it, or the root of the chain.
    pub parent: TurnId,
    /// Number of its first message in the conversation, counted from 0.
    pub seq: u64,
    /// Timestamp of the last event before it; 0 where there is none. It lets a reader tell an expired
    /// parent from a lost one.
    pub after_ms: i64,
}

impl TurnId {
    /// The root of a conversation's chain. Derived rather than drawn, so that a repeated first turn has
    /// the same id as the first.
    #[must_use]
    pub fn genesis(conversation: &Conversation) -> Self {
        let mut hash = Sha256::new_with_prefix("colloquy/genesis/1");
        field(&mut hash, conversation.memory.as_bytes());
        field(&mut hash, conversation.actor.as_bytes());
        field(&mut hash, conversation.session.as_bytes());
        Self(hash.finalize().into())
    }

    /// The root of a chain that continues events other software wrote.
    #[must_use]
    pub fn adopted(conversation: &Conversation, count: u64, last_ms: i64) -> Self {
        let mut hash = Sha256::new_with_prefix("colloquy/adopted/1");
        hash.update(Self::genesis(conversation).0);
        hash.update(count.to_be_bytes());
        hash.update(last_ms.to_be_bytes());
        Self(hash.finalize().into())
    }

    /// The id of the turn with these parts at this place.
    #[must_use]
    pub fn of(link: &Link, parts: &[PartHash]) -> Self {
        let mut hash = Sha256::new_with_prefix("colloquy/turn/1");
        hash.update(link.parent.0);
        hash.update(link.seq.to_be_bytes());
        hash.update(link.after_ms.to_be_bytes());
        hash.update((parts.len() as u64).to_be_bytes());
        for part in parts {
            hash.update(part.0);
        }
        Self(hash.finalize().into())
    }
}

impl PartHash {
    /// The hash of one event's payload items in order.
    #[must_use]
    pub fn of(payload: &[Payload]) -> Self {
        let mut hash = Sha256::new_with_prefix("colloquy/part/1");
        hash.update((payload.len() as u64).to_be_bytes());
        for item in payload {
            hash_item(&mut hash, item);
        }
        Self(hash.finalize().into())
    }
}

fn hash_item(hash: &mut Sha256, item: &Payload) {
    match item {
        Payload::Conversational { role, text } => {
            hash.update([1]);
            field(hash, role_name(role).as_bytes());
            field(hash, text.as_bytes());
        }
        Payload::Blob(serde_json::Value::String(text)) => {
            hash.update([2]);
            field(hash, b"");
            field(hash, text.as_bytes());
        }
        Payload::Blob(value) => json(hash, 2, &value.to_string()),
        Payload::Json(value) => json(hash, 3, &value.to_string()),
        Payload::Unknown(object) => {
            json(
                hash,
                4,
                &serde_json::Value::Object(object.clone()).to_string(),
            );
        }
    }
}

fn json(hash: &mut Sha256, kind: u8, text: &str) {
    hash.update([kind]);
    // Keeps a blob that is JSON apart from a blob that is a string of the same letters.
    field(hash, b"json");
    field(hash, text.as_bytes());
}

fn field(hash: &mut Sha256, bytes: &[u8]) {
    hash.update((bytes.len() as u64).to_be_bytes());
    hash.update(bytes);
}

fn role_name(role: &Role) -> &str {
    match role {
        Role::User => "USER",
        Role::Assistant => "ASSISTANT",
        Role::Tool => "TOOL",
        Role::Other => "OTHER",
        Role::Unknown(name) => name,
    }
}

impl fmt::Display for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digit = |nibble: u8| char::from_digit(nibble.into(), 16).unwrap_or_default();
        let digits = |byte: &u8| [digit(byte >> 4), digit(byte & 15)];
        f.write_str(&self.0.iter().flat_map(digits).collect::<String>())
    }
}

impl fmt::Debug for TurnId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not 64 lower-case hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a turn id")]
pub struct NotATurnId;

impl FromStr for TurnId {
    type Err = NotATurnId;

    fn from_str(text: &str) -> Result<Self, NotATurnId> {
        let digits: &[u8; 64] = text.as_bytes().try_into().map_err(|_| NotATurnId)?;
        let (pairs, _) = digits.as_chunks();
        let mut id = [0; 32];
        for (byte, [high, low]) in id.iter_mut().zip(pairs) {
            *byte = (nibble(*high)? << 4) | nibble(*low)?;
        }
        Ok(Self(id))
    }
}

/// Every event of a page has two ids, so this is not left to the standard library, which takes ten times as long.
fn nibble(digit: u8) -> Result<u8, NotATurnId> {
    match digit {
        b'0'..=b'9' => Ok(digit - b'0'),
        // Only one spelling is accepted: two texts never name one turn.
        b'a'..=b'f' => Ok(digit - b'a' + 10),
        _ => Err(NotATurnId),
    }
}

#[cfg(test)]
mod tests {
    use super::{Link, NotATurnId, PartHash, TurnId};
    use crate::id::Conversation;
    use codec::{Payload, Role};
    use serde_json::json;

    fn conversation(memory: &str, actor: &str, session: &str) -> Conversation {
        Conversation {
            memory: memory.into(),
            actor: actor.into(),
            session: session.into(),
        }
    }

    fn said(role: Role, text: &str) -> Payload {
        Payload::Conversational {
            role,
            text: text.into(),
        }
    }

    fn link() -> Link {
        Link {
            parent: TurnId::genesis(&conversation("m", "a", "s")),
            seq: 3,
            after_ms: 1_790_000_000_000,
        }
    }

    /// Ids are stored, so they may never come out differently. The values were computed from the drawing
    /// above by other means.
    #[test]
    fn ids_are_what_they_always_were() {
        let here = conversation("m", "a", "s");
        let part = PartHash::of(&[said(Role::User, "hi"), Payload::Blob(json!("{}"))]);
        let ids = [
            TurnId::genesis(&here),
            TurnId::adopted(&here, 2, 5),
            TurnId::of(&link(), &[part]),
        ];
        assert_eq!(
            ids.map(|id| id.to_string()),
            [
                "26d1643cb62d54f5e23c93578dd31a6d9ab3b030f2007e852b2b86eff39ed55b",
                "fbbc0b973219a19ffec6f9a4b5c667f521ed283ca2d6f0067e6c857479dbb3b8",
                "906c9ee975b06bf66dea96db9fa4fd3a27c7dc9ac795c82a85f84d318b32101f"
            ]
        );
    }

    #[test]
    fn everything_makes_a_difference() {
        let payloads = [
            vec![],
            vec![said(Role::User, "a")],
            vec![said(Role::Assistant, "a")],
            vec![said(Role::User, "b")],
            vec![said(Role::User, "a"), said(Role::User, "b")],
            vec![said(Role::User, "b"), said(Role::User, "a")],
            vec![said(Role::User, "ab")],
            vec![Payload::Blob(json!("a"))],
            vec![Payload::Blob(json!({"a": 1}))],
            vec![Payload::Blob(json!("{\"a\":1}"))],
            vec![Payload::Json(json!({"a": 1}))],
        ];
        let mut ids: Vec<_> = payloads
            .iter()
            .map(|payload| TurnId::of(&link(), &[PartHash::of(payload)]))
            .collect();
        let one = PartHash::of(&[said(Role::User, "a")]);
        ids.push(TurnId::of(&link(), &[one, one]));
        ids.push(TurnId::of(&Link { seq: 4, ..link() }, &[one]));
        ids.push(TurnId::of(
            &Link {
                after_ms: 0,
                ..link()
            },
            &[one],
        ));
        let parent = TurnId([0; 32]);
        ids.push(TurnId::of(&Link { parent, ..link() }, &[one]));
        for other in [
            ("ma", "", "s"),
            ("m", "as", ""),
            ("m", "a", "t"),
            ("m", "a", "s"),
        ] {
            ids.push(TurnId::genesis(&conversation(other.0, other.1, other.2)));
        }
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }

    #[test]
    fn an_id_has_one_spelling() {
        let id = TurnId([0xab; 32]);
        assert_eq!(id.to_string().parse(), Ok(id));
        for text in [
            "",
            "ab",
            &"AB".repeat(32),
            &"zz".repeat(32),
            &"é".repeat(32),
        ] {
            assert_eq!(text.parse::<TurnId>(), Err(NotATurnId), "{text}");
        }
    }
}
