//! The head token: a head the caller carries, so that its next store needs no read.
//!
//! ```text
//! token     = base64url( version u8 = 1, kind u8, branch [8], revision u64, turn [32], turns u64,
//!                        count u64, tokens u64, pins u64, summarized u64, last_ms i64,
//!                        fingerprint [32], system [8], event length u8, event [..],
//!                        check [8] )                                     integers big-endian
//! kind      = 1 genesis, 2 adopted, 3 head                               stored forever
//! branch    = first bytes of SHA-256("colloquy/branch/1" name); zeros for the main line
//! check     = first bytes of SHA-256("colloquy/token/1" genesis(conversation) all bytes before)
//! ```
//!
//! The check is no signature: it catches typing errors and tokens of other conversations. A forged
//! token gains nothing, since the commit's condition covers the whole head but the hint `summarized`,
//! which only advice goes by.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::error::{Error, InvalidReason};
use crate::fingerprint::{EMPTY, first};
use crate::head::Head;
use crate::id::Conversation;
use crate::ports::EventId;
use crate::turn::TurnId;

const VERSION: u8 = 1;
const CHECK_BYTES: usize = 8;

/// What a token says about the head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// What kind of head it is.
    pub(crate) kind: Kind,
    /// The branch it is the head of.
    pub(crate) branch: BranchTag,
    /// The head; for the first two kinds the root a first turn hangs on, with revision 0.
    pub(crate) head: Head,
}

/// What kind of head a token names. The numbers are stored by callers and never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing is stored.
    Genesis = 1,
    /// Only events of other software are stored.
    Adopted = 2,
    /// There is a head.
    Head = 3,
}

/// Which branch, without its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BranchTag([u8; 8]);

impl BranchTag {
    pub(crate) fn of(branch: Option<&str>) -> Self {
        let Some(name) = branch else {
            return Self([0; 8]);
        };
        let mut hash = Sha256::new_with_prefix("colloquy/branch/1");
        hash.update(name);
        Self(first(&hash.finalize().into()))
    }
}

impl Token {
    /// The token of a head.
    pub(crate) fn head(branch: Option<&str>, head: Head) -> Self {
        Self {
            kind: Kind::Head,
            branch: BranchTag::of(branch),
            head,
        }
    }

    /// The token of an empty conversation.
    pub(crate) fn genesis(conversation: &Conversation, branch: Option<&str>) -> Self {
        Self {
            kind: Kind::Genesis,
            branch: BranchTag::of(branch),
            head: Head {
                revision: 0,
                turn: TurnId::genesis(conversation),
                turns: 0,
                count: 0,
                tokens: 0,
                pins: 0,
                summarized: 0,
                last_ms: 0,
                last_event: None,
                fingerprint: EMPTY,
                system: [0; 8],
                recent: Vec::new(),
            },
        }
    }

    /// Its text.
    pub(crate) fn encode(&self, conversation: &Conversation) -> String {
        let head = &self.head;
        let mut bytes = vec![VERSION, self.kind as u8];
        bytes.extend(self.branch.0);
        bytes.extend(head.revision.to_be_bytes());
        bytes.extend(head.turn.0);
        bytes.extend(head.turns.to_be_bytes());
        bytes.extend(head.count.to_be_bytes());
        bytes.extend(head.tokens.to_be_bytes());
        bytes.extend(head.pins.to_be_bytes());
        bytes.extend(head.summarized.to_be_bytes());
        bytes.extend(head.last_ms.to_be_bytes());
        bytes.extend(head.fingerprint);
        bytes.extend(head.system);
        let event = head.last_event.as_ref().map_or("", |id| id.0.as_str());
        // Ids of the service have 28 characters. One that does not fit is left out, and a branch
        // cannot start from this token.
        let length = u8::try_from(event.len()).unwrap_or_default();
        bytes.push(length);
        bytes.extend(event.bytes().take(length.into()));
        bytes.extend(check(conversation, &bytes));
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads it back.
    pub(crate) fn decode(conversation: &Conversation, text: &str) -> Result<Self, Error> {
        read(conversation, text).ok_or_else(|| Error::invalid("/head", InvalidReason::HeadToken))
    }
}

fn read(conversation: &Conversation, text: &str) -> Option<Token> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(CHECK_BYTES)?)?;
    if sum != check(conversation, body) {
        return None;
    }
    let mut rest = body;
    let [version, kind] = take(&mut rest)?;
    if version != VERSION {
        return None;
    }
    let kind = match kind {
        1 => Kind::Genesis,
        2 => Kind::Adopted,
        3 => Kind::Head,
        _ => return None,
    };
    let branch = BranchTag(take(&mut rest)?);
    let head = Head {
        revision: u64::from_be_bytes(take(&mut rest)?),
        turn: TurnId(take(&mut rest)?),
        turns: u64::from_be_bytes(take(&mut rest)?),
        count: u64::from_be_bytes(take(&mut rest)?),
        tokens: u64::from_be_bytes(take(&mut rest)?),
        pins: u64::from_be_bytes(take(&mut rest)?),
        summarized: u64::from_be_bytes(take(&mut rest)?),
        last_ms: i64::from_be_bytes(take(&mut rest)?),
        fingerprint: take(&mut rest)?,
        system: take(&mut rest)?,
        last_event: event(&mut rest)?,
        recent: Vec::new(),
    };
    rest.is_empty().then_some(Token { kind, branch, head })
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (value, tail) = rest.split_first_chunk()?;
    *rest = tail;
    Some(*value)
}

/// The outer option is whether it could be read, the inner whether there is one.
#[allow(clippy::option_option)]
fn event(rest: &mut &[u8]) -> Option<Option<EventId>> {
    let [length] = take(rest)?;
    let (id, tail) = rest.split_at_checked(length.into())?;
    *rest = tail;
    let id = std::str::from_utf8(id).ok()?;
    Some((!id.is_empty()).then(|| EventId(id.to_owned())))
}

fn check(conversation: &Conversation, body: &[u8]) -> [u8; CHECK_BYTES] {
    let mut hash = Sha256::new_with_prefix("colloquy/token/1");
    hash.update(TurnId::genesis(conversation).0);
    hash.update(body);
    first(&hash.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::{BranchTag, Kind, Token};
    use crate::error::{Error, InvalidReason};
    use crate::head::Head;
    use crate::id::Conversation;
    use crate::ports::EventId;
    use crate::turn::TurnId;

    fn conversation(session: &str) -> Conversation {
        Conversation {
            memory: "m".into(),
            actor: "a".into(),
            session: session.into(),
        }
    }

    fn token() -> Token {
        Token {
            kind: Kind::Adopted,
            branch: BranchTag::of(Some("b")),
            head: Head {
                revision: 3,
                turn: TurnId([4; 32]),
                turns: 5,
                count: 6,
                tokens: 60,
                pins: 1,
                summarized: 20,
                last_ms: -7,
                last_event: Some(EventId("0000001772375782346#c5e4dee5".into())),
                fingerprint: [8; 32],
                system: [9; 8],
                recent: Vec::new(),
            },
        }
    }

    #[test]
    fn a_token_survives_the_round_trip() {
        let conversation = conversation("s");
        for kind in [Kind::Genesis, Kind::Adopted, Kind::Head] {
            let token = Token { kind, ..token() };
            let text = token.encode(&conversation);
            assert_eq!(Token::decode(&conversation, &text), Ok(token));
        }
        let genesis = Token::genesis(&conversation, None);
        let text = genesis.encode(&conversation);
        assert_eq!(Token::decode(&conversation, &text), Ok(genesis));
    }

    #[test]
    fn a_damaged_token_is_invalid_at_head() {
        let conversation = conversation("s");
        let text = token().encode(&conversation);
        let bad = Err(Error::invalid("/head", InvalidReason::HeadToken));
        assert_eq!(Token::decode(&conversation, ""), bad);
        assert_eq!(Token::decode(&conversation, "é"), bad);
        for cut in 0..text.len() {
            assert_eq!(
                Token::decode(&conversation, &text[..cut]),
                bad,
                "cut at {cut}"
            );
            let mut typo = text.clone().into_bytes();
            typo[cut] = if typo[cut] == b'A' { b'B' } else { b'A' };
            let typo = String::from_utf8(typo).unwrap();
            assert_eq!(
                Token::decode(&conversation, &typo),
                bad,
                "typing error at {cut}"
            );
        }
    }

    #[test]
    fn a_token_belongs_to_one_conversation() {
        let text = token().encode(&conversation("s"));
        assert!(Token::decode(&conversation("t"), &text).is_err());
    }

    #[test]
    fn branches_are_told_apart() {
        assert_ne!(BranchTag::of(None), BranchTag::of(Some("")));
        assert_ne!(BranchTag::of(Some("a")), BranchTag::of(Some("b")));
    }
}
