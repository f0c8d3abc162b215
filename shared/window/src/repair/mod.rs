//! Repair: any list of messages becomes one a model accepts, and a second repair changes nothing.
//!
//! After it, roles alternate and the user speaks first; every tool use (but those of the very last
//! message, which the caller is about to answer) is answered exactly once, in order, at the front of the
//! next message; no text is blank; reasoning comes first; nobody utters the other's blocks.

mod blocks;
mod mending;
mod pairs;

use std::borrow::Cow;

use codec::converse::{Blocks, ConverseRole, Outgoing, OutgoingBlock};

pub use mending::{Mending, MendingKind};

/// Said for the user where a history opens with the assistant: models refuse that.
const OPENING: &str = "(The earlier part of this conversation is not shown.)";

/// Mends `messages` and tells what it did. A message that is not as it was stored any more loses its hint.
#[must_use]
pub fn repair<'a>(
    messages: impl IntoIterator<Item = Outgoing<'a>>,
) -> (Vec<Outgoing<'a>>, Vec<Mending>) {
    let mut mended = Vec::new();
    let mendings = repair_into(messages, |message| mended.push(message));
    (mended, mendings)
}

/// The same, but each message goes to `sink` as soon as nothing that follows can change it. Two messages at most are held
/// back, so a long conversation takes no more memory than a short one.
pub fn repair_into<'a>(
    messages: impl IntoIterator<Item = Outgoing<'a>>,
    sink: impl FnMut(Outgoing<'a>),
) -> Vec<Mending> {
    let mut repair = Repair {
        sink,
        mendings: Vec::new(),
        run: None,
        last: None,
    };
    for (index, message) in messages.into_iter().enumerate() {
        repair.push(index, message);
    }
    repair.finish()
}

/// A list being mended: valid up to `last`, which `run` follows.
struct Repair<'a, S> {
    sink: S,
    mendings: Vec<Mending>,
    /// What one speaker has said in a row so far, with the index of the first message of it.
    run: Option<(usize, Outgoing<'a>)>,
    /// What was said before. It goes to the sink once nothing can be joined to it.
    last: Option<Outgoing<'a>>,
}

impl<'a, S: FnMut(Outgoing<'a>)> Repair<'a, S> {
    fn log(&mut self, message: usize, kind: MendingKind) {
        self.mendings.push(Mending { message, kind });
    }

    /// Gathers what one speaker says in a row, so that a tool use meets its results.
    fn push(&mut self, index: usize, mut message: Outgoing<'a>) {
        let before = self.mendings.len();
        blocks::clean(&mut message, &mut |kind| self.log(index, kind));
        if self.mendings.len() > before {
            message.alter();
        }
        if message.content.is_empty() {
            self.log(index, MendingKind::EmptyMessage);
            return;
        }
        match &mut self.run {
            Some((_, run)) if run.role == message.role => {
                blocks::join(run, message);
                self.log(index, MendingKind::Joined);
            }
            _ => {
                let run = self.run.replace((index, message));
                self.settle(run);
            }
        }
    }

    fn finish(mut self) -> Vec<Mending> {
        let run = self.run.take();
        self.settle(run);
        self.last.map(self.sink);
        self.mendings
    }

    /// Makes a run, now whole, the answer to what was said before it.
    fn settle(&mut self, run: Option<(usize, Outgoing<'a>)>) {
        let Some((index, mut message)) = run else {
            return;
        };
        let before = self.mendings.len();
        let log = |kind| {
            self.mendings.push(Mending {
                message: index,
                kind,
            });
        };
        match message.role {
            ConverseRole::User => {
                let asked = self.last.as_ref().map(|asked| asked.content.as_slice());
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
        match &mut self.last {
            // The user message between two of the assistant's is gone.
            Some(last) if last.role == message.role => {
                blocks::join(last, message);
                self.log(index, MendingKind::Joined);
                return;
            }
            None if message.role == ConverseRole::Assistant => {
                let opening = OutgoingBlock::Text(Cow::Borrowed(OPENING));
                (self.sink)(Outgoing::new(
                    ConverseRole::User,
                    Blocks::from_iter([opening]),
                ));
                self.log(index, MendingKind::OpeningAdded);
            }
            _ => {}
        }
        self.last.replace(message).map(&mut self.sink);
    }
}
