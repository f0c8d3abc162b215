//! The metadata of our events: what says which turn an event belongs to.
//!
//! ```text
//! colloquy.v        1
//! colloquy.turn     the turn's id, 64 hex digits
//! colloquy.parent   the id of the turn before it, or of the root
//! colloquy.part     i/n, counted from 1
//! colloquy.after    timestamp of the last event before the turn, in milliseconds
//! seq               number of the event's first message; the plain name is the one Camunda sorts by
//! ```
//!
//! All of it is ASCII without content or names, since the customer's key does not cover metadata.

use std::collections::BTreeMap;

use crate::turn::{Link, TurnId};

const VERSION_KEY: &str = "colloquy.v";
const TURN_KEY: &str = "colloquy.turn";
const PARENT_KEY: &str = "colloquy.parent";
const PART_KEY: &str = "colloquy.part";
const AFTER_KEY: &str = "colloquy.after";
const SEQ_KEY: &str = "seq";

/// Where an event of ours belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Its turn.
    pub(crate) turn: TurnId,
    /// What the turn follows; `seq` is that of the event, not of the turn.
    pub(crate) link: Link,
    /// Which part of the turn it is, from 1.
    pub(crate) part: u32,
    /// How many parts the turn has.
    pub(crate) parts: u32,
}

impl Place {
    /// The metadata to write.
    pub(crate) fn to_metadata(self) -> BTreeMap<String, String> {
        [
            (VERSION_KEY, "1".to_owned()),
            (TURN_KEY, self.turn.to_string()),
            (PARENT_KEY, self.link.parent.to_string()),
            (PART_KEY, format!("{}/{}", self.part, self.parts)),
            (AFTER_KEY, self.link.after_ms.to_string()),
            (SEQ_KEY, self.link.seq.to_string()),
        ]
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect()
    }

    /// Reads it back.
    pub(crate) fn of(metadata: &BTreeMap<String, String>) -> Origin {
        let Some(turn) = metadata.get(TURN_KEY).and_then(|id| id.parse().ok()) else {
            return Origin::Foreign;
        };
        Self::read(turn, metadata).map_or(Origin::Broken, Origin::Ours)
    }

    fn read(turn: TurnId, metadata: &BTreeMap<String, String>) -> Option<Self> {
        if metadata.get(VERSION_KEY)? != "1" {
            return None;
        }
        let (part, parts) = metadata.get(PART_KEY)?.split_once('/')?;
        let (part, parts) = (part.parse().ok()?, parts.parse().ok()?);
        let place = Self {
            turn,
            link: Link {
                parent: metadata.get(PARENT_KEY)?.parse().ok()?,
                seq: metadata.get(SEQ_KEY)?.parse().ok()?,
                after_ms: metadata.get(AFTER_KEY)?.parse().ok()?,
            },
            part,
            parts,
        };
        (1..=parts).contains(&part).then_some(place)
    }
}

/// Who wrote an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// This protocol.
    Ours(Place),
    /// This protocol by its turn id, but the rest cannot be read: it belongs to no turn.
    Broken,
    /// Other software.
    Foreign,
}

/// The number other software sorts its events by within one timestamp.
pub(crate) fn sort_number(metadata: &BTreeMap<String, String>) -> Option<i64> {
    metadata.get(SEQ_KEY)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Origin, Place, sort_number};
    use crate::turn::{Link, TurnId};

    fn place() -> Place {
        Place {
            turn: TurnId([1; 32]),
            link: Link {
                parent: TurnId([2; 32]),
                seq: 7,
                after_ms: 1_700_000_000_000,
            },
            part: 2,
            parts: 3,
        }
    }

    #[test]
    fn a_place_survives_the_round_trip() {
        assert_eq!(Place::of(&place().to_metadata()), Origin::Ours(place()));
    }

    #[test]
    fn the_service_takes_every_key_and_value() {
        let metadata = place().to_metadata();
        assert!(metadata.len() <= codec::limits::MAX_METADATA_PAIRS);
        for (key, value) in &metadata {
            assert!(codec::limits::is_metadata_key(key), "{key}");
            assert!(codec::limits::is_metadata_value(value), "{value}");
        }
    }

    #[test]
    fn an_event_without_a_turn_id_is_foreign() {
        let mut metadata = place().to_metadata();
        metadata.insert("colloquy.turn".into(), "x".into());
        assert_eq!(Place::of(&metadata), Origin::Foreign);
        metadata.remove("colloquy.turn");
        assert_eq!(Place::of(&metadata), Origin::Foreign);
    }

    #[test]
    fn anything_else_wrong_breaks_it() {
        for (key, value) in [
            ("colloquy.v", "2"),
            ("colloquy.part", "0/3"),
            ("colloquy.part", "4/3"),
            ("colloquy.part", "1"),
            ("colloquy.parent", "AA"),
            ("colloquy.after", "soon"),
            ("seq", "-1"),
        ] {
            let mut metadata = place().to_metadata();
            metadata.insert(key.into(), value.into());
            assert_eq!(Place::of(&metadata), Origin::Broken, "{key}={value}");
        }
    }

    #[test]
    fn a_sort_number_is_an_integer() {
        assert_eq!(sort_number(&place().to_metadata()), Some(7));
        assert_eq!(sort_number(&[("seq".into(), "x".into())].into()), None);
    }
}
