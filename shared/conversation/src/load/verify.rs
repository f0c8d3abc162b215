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
