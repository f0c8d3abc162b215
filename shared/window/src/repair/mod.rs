//! Repair: any list of messages becomes one a model accepts, and a second repair changes nothing.
//!
//! After it, roles alternate and the user speaks first; every tool use (but those of the very last
//! message, which the caller is about to answer) is answered exactly once, in order, at the front of the
//! next message; no text is blank; reasoning comes first; nobody utters the other's blocks.

mod blocks;
mod mending;
mod pairs;

use std::borrow::Cow;

use codec::converse::{ConverseRole, Outgoing, OutgoingBlock};

pub use mending::{Mending, MendingKind};

/// Said for the user where a history opens with the assistant: models refuse that.
const OPENING: &str = "(The earlier part of this conversation is not shown.)";

/// Mends `messages` and tells what it did. A message that is not as it was stored any more loses its hint.
#[must_use]
pub fn repair(messages: Vec<Outgoing<'_>>) -> (Vec<Outgoing<'_>>, Vec<Mending>) {
    let mut repair = Repair {
        messages: Vec::with_capacity(messages.len()),
        mendings: Vec::new(),
    };
    let mut runs: Vec<(usize, Outgoing<'_>)> = Vec::with_capacity(messages.len());
    for (index, mut message) in messages.into_iter().enumerate() {
        let before = repair.mendings.len();
        blocks::clean(&mut message, &mut |kind| repair.log(index, kind));
        if repair.mendings.len() > before {
            message.alter();
        }
        repair.push_run(&mut runs, index, message);
    }
    for (index, message) in runs {
        repair.push(index, message);
    }
    (repair.messages, repair.mendings)
}

/// The list being built: always valid up to its last message.
struct Repair<'a> {
    messages: Vec<Outgoing<'a>>,
    mendings: Vec<Mending>,
}

impl<'a> Repair<'a> {
    fn log(&mut self, message: usize, kind: MendingKind) {
        self.mendings.push(Mending { message, kind });
    }

    /// Gathers what one speaker says in a row, so that a tool use meets its results.
    fn push_run(
        &mut self,
        runs: &mut Vec<(usize, Outgoing<'a>)>,
        index: usize,
        message: Outgoing<'a>,
    ) {
        if message.content.is_empty() {
            self.log(index, MendingKind::EmptyMessage);
            return;
        }
        match runs.last_mut() {
            Some((_, last)) if last.role == message.role => {
                self.log(index, MendingKind::Joined);
                blocks::join(last, message);
            }
            _ => runs.push((index, message)),
        }
    }

    fn push(&mut self, index: usize, mut message: Outgoing<'a>) {
        let before = self.mendings.len();
        let log = |kind| {
            self.mendings.push(Mending {
                message: index,
                kind,
            });
        };
        match message.role {
            ConverseRole::User => {
                let asked = self.messages.last().map(|asked| asked.content.as_slice());
                message.content = pairs::answer(asked.unwrap_or_default(), message.content, log);
            }
            ConverseRole::Assistant => pairs::distinct_uses(&mut message.content, log),
        }
        if self.mendings.len() > before {
            message.alter();
        }
        if message.content.is_empty() {
            self.log(index, MendingKind::EmptyMessage);
            return;
        }
        self.append(index, message);
    }

    fn append(&mut self, index: usize, message: Outgoing<'a>) {
        match self.messages.last_mut() {
            // The user message between two of the assistant's is gone.
            Some(last) if last.role == message.role => {
                blocks::join(last, message);
                self.log(index, MendingKind::Joined);
                return;
            }
            None if message.role == ConverseRole::Assistant => {
                let opening = OutgoingBlock::Text(Cow::Borrowed(OPENING));
                let opening = Outgoing::new(ConverseRole::User, vec![opening]);
                self.messages.push(opening);
                self.log(index, MendingKind::OpeningAdded);
            }
            _ => {}
        }
        self.messages.push(message);
    }
}
