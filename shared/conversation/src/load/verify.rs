//! A turn put together from its events, and checked against its hash.

use std::collections::BTreeMap;

use super::pages::Piece;
use crate::turn::{Link, PartHash, TurnId};

/// The most ways to combine differing copies of a turn's parts that are tried. Honest logs have one.
const MOST_COMBINATIONS: usize = 64;

/// What the events at hand make of a turn.
#[derive(Debug)]
pub(crate) enum Assembled<'a> {
    /// All parts are there.
    Whole(Whole<'a>),
    /// A part is missing; which one, where the turn is known at all.
    Missing(Option<u32>),
}

/// A turn with all its parts.
#[derive(Debug)]
pub(crate) struct Whole<'a> {
    /// What it follows.
    pub(crate) link: Link,
    /// Its events in order.
    pub(crate) pieces: Vec<&'a Piece>,
    /// Whether the content is the one the turn's id was made of.
    pub(crate) verified: bool,
}

/// Puts a turn together. Several copies of a part are one; where they differ, the one that makes the
/// turn's hash come out right is the true one.
pub(crate) fn assemble(turn: TurnId, pieces: &[Piece]) -> Assembled<'_> {
    let drafts = drafts(pieces);
    let whole: Vec<_> = drafts.iter().filter(|draft| draft.is_whole()).collect();
    let mut left = MOST_COMBINATIONS;
    for draft in &whole {
        if let Some(found) = draft.verified(turn, &mut left) {
            return Assembled::Whole(found);
        }
    }
    match whole.first() {
        Some(draft) => Assembled::Whole(draft.unverified()),
        None => Assembled::Missing(drafts.iter().map(Draft::first_missing).max()),
    }
}

/// The copies that agree on what the turn follows and how many parts it has.
struct Draft<'a> {
    parts: u32,
    copies: BTreeMap<u32, Vec<&'a Piece>>,
}

fn drafts(pieces: &[Piece]) -> Vec<Draft<'_>> {
    let mut drafts: BTreeMap<_, Draft<'_>> = BTreeMap::new();
    for piece in pieces {
        let place = &piece.place;
        let draft = drafts
            .entry((place.link.parent, place.link.after_ms, place.parts))
            .or_insert_with(|| Draft {
                parts: place.parts,
                copies: BTreeMap::new(),
            });
        let copies = draft.copies.entry(place.part).or_default();
        let known = copies
            .iter()
            .any(|copy| copy.hash == piece.hash && copy.place.link.seq == place.link.seq);
        if !known {
            copies.push(piece);
        }
    }
    drafts.into_values().collect()
}

impl<'a> Draft<'a> {
    fn is_whole(&self) -> bool {
        self.copies.len() == self.parts as usize
    }

    fn first_missing(&self) -> u32 {
        (1..=self.parts)
            .find(|part| !self.copies.contains_key(part))
            .unwrap_or(self.parts)
    }

    /// Tries the combinations like the wheels of an odometer.
    fn verified(&self, turn: TurnId, left: &mut usize) -> Option<Whole<'a>> {
        let mut wheels = vec![0_usize; self.copies.len()];
        while *left > 0 {
            *left -= 1;
            let pieces = self.pick(&wheels);
            let link = link(&pieces)?;
            let hashes: Vec<PartHash> = pieces.iter().map(|piece| piece.hash).collect();
            if TurnId::of(&link, &hashes) == turn {
                return Some(Whole {
                    link,
                    pieces,
                    verified: true,
                });
            }
            if !self.advance(&mut wheels) {
                return None;
            }
        }
        None
    }

    fn unverified(&self) -> Whole<'a> {
        let pieces = self.pick(&vec![0; self.copies.len()]);
        Whole {
            link: link(&pieces).unwrap_or(Link {
                parent: TurnId([0; 32]),
                seq: 0,
                after_ms: 0,
            }),
            pieces,
            verified: false,
        }
    }

    fn pick(&self, wheels: &[usize]) -> Vec<&'a Piece> {
        let copies = self.copies.values().zip(wheels);
        copies
            .filter_map(|(copies, wheel)| copies.get(*wheel).copied())
            .collect()
    }

    fn advance(&self, wheels: &mut [usize]) -> bool {
        for (wheel, copies) in wheels.iter_mut().zip(self.copies.values()) {
            *wheel += 1;
            if *wheel < copies.len() {
                return true;
            }
            *wheel = 0;
        }
        false
    }
}

/// What the turn follows, by its first part: the others bear the numbers of their own first messages.
fn link(pieces: &[&Piece]) -> Option<Link> {
    pieces.first().map(|piece| piece.place.link)
}

#[cfg(test)]
mod tests {
    use codec::{Event, Payload, Role};

    use super::{Assembled, assemble};
    use crate::load::pages::Piece;
    use crate::metadata::Place;
    use crate::ports::EventId;
    use crate::turn::{Link, PartHash, TurnId};

    const LINK: Link = Link {
        parent: TurnId([1; 32]),
        seq: 0,
        after_ms: 0,
    };

    fn payload(text: &str) -> Vec<Payload> {
        vec![Payload::Conversational {
            role: Role::User,
            text: text.to_owned(),
        }]
    }

    fn turn(texts: &[&str]) -> TurnId {
        let hashes: Vec<_> = texts
            .iter()
            .map(|text| PartHash::of(&payload(text)))
            .collect();
        TurnId::of(&LINK, &hashes)
    }

    fn piece(turn: TurnId, part: u32, parts: u32, text: &str) -> Piece {
        Piece {
            place: Place {
                turn,
                link: LINK,
                part,
                parts,
            },
            hash: PartHash::of(&payload(text)),
            id: EventId(format!("{part} {text}")),
            branch: None,
            event: Event {
                payload: payload(text),
                ..Event::default()
            },
        }
    }

    /// The ids of the events taken and whether they verify, or the missing part.
    fn assembled(turn: TurnId, pieces: &[Piece]) -> Result<(Vec<String>, bool), Option<u32>> {
        match assemble(turn, pieces) {
            Assembled::Whole(whole) => {
                let ids = whole.pieces.iter().map(|piece| piece.id.0.clone());
                Ok((ids.collect(), whole.verified))
            }
            Assembled::Missing(part) => Err(part),
        }
    }

    #[test]
    fn parts_come_in_any_order() {
        let turn = turn(&["a", "b"]);
        let pieces = [piece(turn, 2, 2, "b"), piece(turn, 1, 2, "a")];
        let expected = vec!["1 a".to_owned(), "2 b".to_owned()];
        assert_eq!(assembled(turn, &pieces), Ok((expected, true)));
    }

    #[test]
    fn a_missing_part_is_named() {
        let turn = turn(&["a", "b", "c"]);
        let pieces = [piece(turn, 1, 3, "a"), piece(turn, 3, 3, "c")];
        assert_eq!(assembled(turn, &pieces), Err(Some(2)));
        assert_eq!(assembled(turn, &[]), Err(None));
    }

    #[test]
    fn the_true_copies_are_found_among_forged_ones() {
        let turn = turn(&["a", "b", "c"]);
        let mut pieces = Vec::new();
        for (part, text) in [(1, "a"), (2, "b"), (3, "c")] {
            pieces.push(piece(turn, part, 3, "forged"));
            pieces.push(piece(turn, part, 3, "forged too"));
            pieces.push(piece(turn, part, 3, text));
            pieces.push(piece(turn, part, 3, text));
        }
        let expected = ["1 a", "2 b", "3 c"].map(str::to_owned).to_vec();
        assert_eq!(assembled(turn, &pieces), Ok((expected, true)));
    }

    #[test]
    fn a_copy_that_claims_another_place_does_not_mix_in() {
        let turn = turn(&["a", "b"]);
        let mut stray = piece(turn, 1, 1, "stray");
        stray.place.link.parent = TurnId([0; 32]);
        let pieces = [stray, piece(turn, 1, 2, "a"), piece(turn, 2, 2, "b")];
        assert_eq!(
            assembled(turn, &pieces).map(|(_, verified)| verified),
            Ok(true)
        );
    }

    #[test]
    fn the_search_among_copies_is_bounded() {
        let turn = turn(&["a"; 12]);
        let mut pieces = Vec::new();
        for part in 1..=12 {
            for copy in 0..10 {
                pieces.push(piece(turn, part, 12, &format!("forged {copy}")));
            }
        }
        // A trillion combinations, of which a few are tried.
        assert_eq!(
            assembled(turn, &pieces).map(|(_, verified)| verified),
            Ok(false)
        );
    }
}
