//! How many of the oldest messages a summary takes the place of.

use codec::model::Message;
use thiserror::Error;
use window::{estimate, is_document_message};

/// The part of a conversation to summarise, in thousandths: 0.1 to 0.8, 0.3 unless told otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ratio(u16);

impl Ratio {
    /// What is summarised unless the caller says otherwise.
    pub const DEFAULT: Self = Self(300);
    const SMALLEST: u16 = 100;
    const LARGEST: u16 = 800;
    /// How much more an overflow takes with each try.
    const STEP: u16 = 100;

    /// So many thousandths, moved into the allowed range.
    #[must_use]
    pub fn thousandths(value: u16) -> Self {
        Self(value.clamp(Self::SMALLEST, Self::LARGEST))
    }

    /// The next larger one an overflow tries; nothing above the largest.
    fn wider(self) -> Option<Self> {
        (self.0 < Self::LARGEST).then(|| Self::thousandths(self.0 + Self::STEP))
    }

    fn of(self, length: usize) -> usize {
        (length * usize::from(self.0) / 1000).max(1)
    }
}

/// There are too few messages, or no place to part them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("nothing to summarise: {messages} messages, of which {preserved} are to stay as they are")]
pub struct NothingToSummarise {
    /// How many messages there are.
    pub messages: usize,
    /// How many of the newest had to stay.
    pub preserved: usize,
}

/// How many of `messages` to summarise: the given part, but none of the `preserve` newest, and never
/// between a tool call and its result.
pub fn split(
    messages: &[Message],
    ratio: Ratio,
    preserve: usize,
) -> Result<usize, NothingToSummarise> {
    let nothing = NothingToSummarise {
        messages: messages.len(),
        preserved: preserve,
    };
    let most = messages.len().saturating_sub(preserve);
    let wanted = ratio.of(messages.len()).min(most);
    if wanted == 0 {
        return Err(nothing);
    }
    tool_safe(messages, wanted).ok_or(nothing)
}

/// How many of `messages` to summarise so that the rest is estimated at `target` tokens or less: the
/// given part, then ever more, at most four fifths, but none of the `preserve` newest. What does not fit
/// even then is summarised as far.
pub fn overflow(
    messages: &[Message],
    ratio: Ratio,
    preserve: usize,
    target: u64,
) -> Result<usize, NothingToSummarise> {
    let costs: Vec<u64> = messages.iter().map(estimate::message).collect();
    let mut ratio = ratio;
    loop {
        let count = split(messages, ratio, preserve)?;
        let rest: u64 = costs.iter().skip(count).sum();
        match ratio.wider() {
            Some(wider) if rest > target => ratio = wider,
            _ => return Ok(count),
        }
    }
}

/// The first place from `wanted` on where nothing is torn apart.
fn tool_safe(messages: &[Message], wanted: usize) -> Option<usize> {
    (wanted..messages.len()).find(|&index| {
        let next = messages.get(index + 1);
        match messages.get(index) {
            Some(Message::ToolResult(_)) | None => false,
            Some(Message::Assistant(assistant)) if !assistant.tool_calls.is_empty() => {
                matches!(next, Some(Message::ToolResult(_)))
            }
            Some(message) => !is_document_message(message),
        }
    })
}
