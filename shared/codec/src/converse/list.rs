//! The JSON array of messages on their way out.

use super::{Outgoing, Reader};
use crate::json::Out;

/// How many messages are written before they tell how long the others will be.
const SAMPLE: usize = 64;

/// The room for these: a long message each.
const SAMPLE_BYTES: usize = SAMPLE * 1024;

/// A JSON array of Converse messages, written one message after the other, so that none has to wait in memory for the rest.
#[derive(Debug)]
pub struct JsonList {
    out: String,
    reader: Reader,
    /// How many messages there will be, about.
    count: usize,
    /// How many messages were written.
    len: usize,
}

impl JsonList {
    /// Begins a list of about `count` messages. The guess saves most of the copying that growing takes.
    #[must_use]
    pub fn for_messages(count: usize, reader: Reader) -> Self {
        let mut out = String::with_capacity(SAMPLE_BYTES);
        out.syntax("[");
        Self {
            out,
            reader,
            count,
            len: 0,
        }
    }

    /// Writes the next message.
    pub fn push(&mut self, message: &Outgoing<'_>) {
        self.out.comma(self.len);
        message.write(&mut self.out, self.reader);
        self.len += 1;
        if self.len == SAMPLE {
            self.make_room();
        }
    }

    /// Makes room for the messages to come, as long as those that were written and a little more: a list that has to grow is
    /// copied.
    fn make_room(&mut self) {
        let length = self.out.len() / SAMPLE;
        let to_come = self.count.saturating_sub(SAMPLE);
        self.out
            .reserve(to_come.saturating_mul(length + length / 8));
    }

    /// The whole list.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.out.syntax("]");
        self.out
    }
}

/// The JSON array of the messages, each written as soon as it is made.
pub fn to_json<'a>(messages: impl IntoIterator<Item = Outgoing<'a>>, reader: Reader) -> String {
    let messages = messages.into_iter();
    let mut list = JsonList::for_messages(messages.size_hint().0, reader);
    for message in messages {
        list.push(&message);
    }
    list.finish()
}
