//! The head of a branch as an item.
//!
//! An update is billed by the size of the whole item in steps of 1 KB, so the names are one letter:
//!
//! ```text
//! v  revision      n   turns        l  timestamp of the last event    f  fingerprint
//! t  turn          c   messages     e  id of the last event           s  system message's hash
//! k  tokens        p   pins         u  tokens the summary stands for: no commit writes or compares it
//! A C … T U        first halves of the last turns' ids, each at its number modulo 16
//! expires          seconds since the epoch, for the table's TTL
//! ```

use aws_sdk_dynamodb::types::AttributeValue;
use conversation::ports::{ContextError, EventId, HeadExpectation};
use conversation::{Head, REMEMBERED_TURNS, ShortTurn, TurnId};

use crate::attribute::{Item, Reader, bytes, number, text};
use crate::table::{PARTITION_KEY, TTL_ATTRIBUTE};

/// The attribute of what the summary stands for, in tokens. Only a summary's own write sets it.
pub(crate) const SUMMARIZED: &str = "u";

/// The attributes of the remembered turns. Those letters are left out that are DynamoDB's names of types: an item with
/// one of them as an attribute looks like a value to software that guesses which it has before it.
const SLOTS: &str = "ACDEFGHIJKOPQRTU";

/// A conditional update of a head.
#[derive(Clone, Debug)]
pub(crate) struct HeadUpdate {
    pub(crate) update: String,
    pub(crate) condition: String,
    pub(crate) values: Item,
}

/// The update that replaces `expected` by `head`, without having read anything.
pub(crate) fn update(expected: &HeadExpectation, head: &Head, expires_at: i64) -> HeadUpdate {
    let mut values = Item::new();
    let mut sets = Vec::new();
    let fields = fields(head)
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    let own = (slot_name(head.slot()), bytes(&short(&head.turn)));
    let expiry = (TTL_ATTRIBUTE.to_owned(), number(expires_at));
    for (name, value) in fields.chain([own, expiry]) {
        sets.push(format!("{name} = :{name}"));
        values.insert(format!(":{name}"), value);
    }
    let mut update = format!("SET {}", sets.join(", "));
    if head.last_event.is_none() {
        update.push_str(" REMOVE e");
    }
    HeadUpdate {
        update,
        condition: condition(expected, &mut values),
        values,
    }
}

/// The attributes of a head that a commit writes and compares: all but its ring and the hint of what
/// is summarised.
pub(crate) fn fields(head: &Head) -> Vec<(&'static str, AttributeValue)> {
    let mut fields = vec![
        ("v", number(head.revision)),
        ("t", bytes(&head.turn.0)),
        ("n", number(head.turns)),
        ("c", number(head.count)),
        ("k", number(head.tokens)),
        ("p", number(head.pins)),
        ("l", number(head.last_ms)),
        ("f", bytes(&head.fingerprint)),
        ("s", bytes(&head.system)),
    ];
    if let Some(event) = &head.last_event {
        fields.push(("e", text(&event.0)));
    }
    fields
}

/// Reads a head, its ring included where the item has one.
pub(crate) fn read(name: &'static str, item: &Item) -> Result<Head, ContextError> {
    let reader = Reader { name, item };
    let mut head = Head {
        revision: reader.number("v")?,
        turn: TurnId(reader.bytes("t")?),
        turns: reader.number("n")?,
        count: reader.number("c")?,
        tokens: reader.number("k")?,
        pins: reader.number("p")?,
        summarized: reader.optional_number(SUMMARIZED)?.unwrap_or_default(),
        last_ms: reader.number("l")?,
        last_event: reader.optional_text("e")?.map(|id| EventId(id.to_owned())),
        fingerprint: reader.bytes("f")?,
        system: reader.bytes("s")?,
        recent: Vec::new(),
    };
    head.recent = recent(reader, head.turns)?;
    Ok(head)
}

/// The turns before the last one, newest first, as far as the ring has them.
fn recent(reader: Reader<'_>, turns: u64) -> Result<Vec<ShortTurn>, ContextError> {
    let mut recent = Vec::new();
    for number in (1..turns).rev().take(REMEMBERED_TURNS - 1) {
        let name = slot_name(usize::try_from(number % REMEMBERED_TURNS as u64).unwrap_or_default());
        // A branch, or a chain that was adopted, did not write the slots before its own beginning.
        if !reader.item.contains_key(&name) {
            break;
        }
        recent.push(reader.bytes(&name)?);
    }
    Ok(recent)
}

/// The whole head but the hint is the condition, so that nothing but the very head a caller knows is replaced.
fn condition(expected: &HeadExpectation, values: &mut Item) -> String {
    let HeadExpectation::Is(head) = expected else {
        return format!("attribute_not_exists({PARTITION_KEY})");
    };
    let mut terms = Vec::new();
    for (name, value) in fields(head) {
        terms.push(format!("{name} = :was_{name}"));
        values.insert(format!(":was_{name}"), value);
    }
    if head.last_event.is_none() {
        terms.push("attribute_not_exists(e)".to_owned());
    }
    terms.join(" AND ")
}

fn slot_name(slot: usize) -> String {
    let letter = SLOTS.chars().nth(slot % REMEMBERED_TURNS);
    letter.unwrap_or_default().to_string()
}

fn short(turn: &TurnId) -> ShortTurn {
    let mut half = ShortTurn::default();
    half.iter_mut()
        .zip(turn.0)
        .for_each(|(to, from)| *to = from);
    half
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::ItemKey;
    use crate::size::item_size;
    use conversation::Conversation;

    fn head(turns: u64) -> Head {
        Head {
            revision: 999_999_999,
            turn: TurnId([7; 32]),
            turns,
            count: 999_999_999,
            tokens: 999_999_999_999,
            pins: 999_999,
            summarized: 999_999_999_999,
            last_ms: 9_999_999_999_999,
            last_event: Some(EventId(format!(
                "{:019}#{:08x}",
                9_999_999_999_999_u64,
                u32::MAX
            ))),
            fingerprint: [8; 32],
            system: [9; 8],
            recent: vec![[1; 16]; 15],
        }
    }

    fn item(head: &Head) -> Item {
        let fields = fields(head)
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        let slots = (0..16).map(|slot| (slot_name(slot), bytes(&[1; 16])));
        let hint = (SUMMARIZED.to_owned(), number(head.summarized));
        fields.chain(slots).chain([hint]).collect()
    }

    #[test]
    fn the_item_stays_below_a_kilobyte_with_the_longest_ids() {
        let conversation = Conversation {
            memory: format!("{}-0123456789", "m".repeat(100)),
            actor: "a".repeat(255),
            session: "s".repeat(100),
        };
        let mut item = item(&head(999_999_999));
        item.extend(ItemKey::head(&conversation, Some(&"b".repeat(100))).attributes());
        item.insert(TTL_ATTRIBUTE.to_owned(), number(9_999_999_999_i64));
        let size = item_size(&item);
        assert!(size < 1024, "{size} bytes");
    }

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let head = head(999_999_999);
        assert_eq!(read("head", &item(&head)), Ok(head));
    }

    #[test]
    fn no_attribute_is_named_like_a_type() {
        let item = item(&head(16));
        assert_eq!(item.len(), 27, "every slot has a name of its own");
        for name in ["S", "N", "B", "M", "L", "SS", "NS", "BS", "BOOL", "NULL"] {
            assert!(!item.contains_key(name), "{name}");
        }
    }

    #[test]
    fn the_ring_is_read_newest_first_and_no_further_than_the_first_turn() {
        let mut item = item(&head(3));
        for slot in 0..16_u8 {
            item.insert(slot_name(slot.into()), bytes(&[slot; 16]));
        }
        assert_eq!(
            read("head", &item).expect("whole").recent,
            [[2; 16], [1; 16]]
        );
        item.insert("n".to_owned(), number(18));
        let recent = read("head", &item).expect("whole").recent;
        let slots: Vec<u8> = recent.iter().map(|turn| turn[0]).collect();
        assert_eq!(slots, [1, 0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
        item.remove("U");
        assert_eq!(read("head", &item).expect("whole").recent.len(), 2);
    }

    #[test]
    fn a_missing_or_strange_attribute_is_named() {
        let mut item = item(&head(3));
        item.insert("t".to_owned(), bytes(&[0; 31]));
        let error = read("head", &item).expect_err("31 bytes are no turn id");
        assert_eq!(
            error.to_string(),
            "context item head is corrupt: attribute t is of another length"
        );
        item.remove("c");
        let error = read("head", &item).expect_err("no turn id");
        assert!(error.to_string().contains("attribute t"));
    }
}
