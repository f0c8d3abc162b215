//! Repair: any list of messages becomes one a model accepts, and a second repair changes nothing.
//!
//! After it, roles alternate and the user speaks first; every tool use (but those of the very last
//! message, which the caller is about to answer) is answered exactly once, in order, at the front of the
//! next message; no text is blank; reasoning comes first; nobody utters the other's blocks.

mod blocks;
mod mending;
mod pairs;

use codec::converse::{ConverseMessage, ConverseRole};

pub use mending::{Mending, MendingKind};

/// Said for the user where a history opens with the assistant: models refuse that.
const OPENING: &str = "(The earlier part of this conversation is not shown.)";

/// Mends `messages` and tells what it did.
#[must_use]
pub fn repair(messages: Vec<ConverseMessage>) -> (Vec<ConverseMessage>, Vec<Mending>) {
    let mut repair = Repair::default();
    let mut runs: Vec<(usize, ConverseMessage)> = Vec::with_capacity(messages.len());
    for (index, message) in messages.into_iter().enumerate() {
        let message = blocks::clean(message, &mut repair.log(index));
        repair.push_run(&mut runs, index, message);
    }
    for (index, message) in runs {
        repair.push(index, message);
    }
    (repair.messages, repair.mendings)
}

/// The list being built: always valid up to its last message.
#[derive(Default)]
struct Repair {
    messages: Vec<ConverseMessage>,
    mendings: Vec<Mending>,
}

impl Repair {
    fn log(&mut self, message: usize) -> impl FnMut(MendingKind) {
        let mendings = &mut self.mendings;
        move |kind| mendings.push(Mending { message, kind })
    }

    /// Gathers what one speaker says in a row, so that a tool use meets its results.
    fn push_run(
        &mut self,
        runs: &mut Vec<(usize, ConverseMessage)>,
        index: usize,
        message: ConverseMessage,
    ) {
        if message.content.is_empty() {
            self.log(index)(MendingKind::EmptyMessage);
            return;
        }
        match runs.last_mut() {
            Some((_, last)) if last.role == message.role => {
                self.log(index)(MendingKind::Joined);
                blocks::join(last, message);
            }
            _ => runs.push((index, message)),
        }
    }

    fn push(&mut self, index: usize, mut message: ConverseMessage) {
        match message.role {
            ConverseRole::User => {
                let asked = self.messages.last();
                let asked = asked
                    .map(|asked| asked.content.as_slice())
                    .unwrap_or_default();
                let answer = pairs::answer(asked, message.content, |kind| {
                    self.mendings.push(Mending {
                        message: index,
                        kind,
                    });
                });
                message.content = answer;
            }
            ConverseRole::Assistant => {
                message.content = pairs::distinct_uses(message.content, self.log(index));
            }
        }
        if message.content.is_empty() {
            self.log(index)(MendingKind::EmptyMessage);
            return;
        }
        self.append(index, message);
    }

    fn append(&mut self, index: usize, message: ConverseMessage) {
        match self.messages.last_mut() {
            // The user message between two of the assistant's is gone.
            Some(last) if last.role == message.role => {
                blocks::join(last, message);
                self.log(index)(MendingKind::Joined);
                return;
            }
            None if message.role == ConverseRole::Assistant => {
                self.messages.push(blocks::user_text(OPENING));
                self.log(index)(MendingKind::OpeningAdded);
            }
            _ => {}
        }
        self.messages.push(message);
    }
}
