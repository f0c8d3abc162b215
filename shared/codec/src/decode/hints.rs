//! The hints in `properties.colloquy`, put back into the message they belong to.

use serde_json::Value;

use crate::model::read::into_object;
use crate::model::{Fields, Message};
use crate::part::{Continues, Part};

/// What the message could not be written with.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Hints {
    extra: Fields,
    nulls: Vec<String>,
    calls: Vec<(usize, Lost)>,
    results: Vec<(usize, Lost)>,
    part: Option<Part>,
}

/// What a call or a result could not be written with.
#[derive(Debug, Default, PartialEq)]
struct Lost {
    nulls: Vec<String>,
    extra: Fields,
}

impl Hints {
    /// Reads hints, all or none: anyone can write properties, so what is not exactly as we write it is not ours.
    pub(super) fn read(value: Value) -> Option<Self> {
        let mut hints = Self::default();
        for (key, value) in into_object(value)? {
            hints.take(&key, value)?;
        }
        Some(hints)
    }

    /// Reads one member, if it is exactly as we write it.
    pub(super) fn take(&mut self, key: &str, value: Value) -> Option<()> {
        match key {
            "extra" => self.set_extra(into_object(value)?.into()),
            "nulls" => self.nulls = texts(value)?,
            "toolCalls" => self.calls = by_index(value)?,
            "results" => self.results = by_index(value)?,
            "part" => self.part = Some(part(&value)?),
            _ => return None,
        }
        Some(())
    }

    /// Takes the fields of the message that the writer did not know.
    pub(super) fn set_extra(&mut self, extra: Fields) {
        self.extra = extra;
    }

    /// The part of its message that the event holds, if it does not hold the whole.
    pub(super) fn part(&self) -> Option<Part> {
        self.part
    }

    /// Puts everything back, or nothing where the hints name what the message does not have.
    pub(super) fn apply(self, message: &mut Message) -> bool {
        if !self.fits(message) {
            return false;
        }
        let (metadata, extra) = match message {
            Message::System(message) => (&mut message.metadata, &mut message.extra),
            Message::User(message) => (&mut message.metadata, &mut message.extra),
            Message::Assistant(message) => (&mut message.metadata, &mut message.extra),
            Message::ToolResult(message) => (&mut message.metadata, &mut message.extra),
        };
        insert_nulls(metadata, self.nulls);
        add(extra, self.extra);
        match message {
            Message::Assistant(message) => {
                for (index, lost) in self.calls {
                    if let Some(call) = message.tool_calls.get_mut(index) {
                        insert_nulls(&mut call.arguments, lost.nulls);
                        add(&mut call.extra, lost.extra);
                    }
                }
            }
            Message::ToolResult(message) => {
                for (index, lost) in self.results {
                    if let Some(result) = message.results.get_mut(index) {
                        insert_nulls(&mut result.properties, lost.nulls);
                    }
                }
            }
            Message::System(_) | Message::User(_) => {}
        }
        true
    }

    fn fits(&self, message: &Message) -> bool {
        let (calls, results) = match message {
            Message::Assistant(message) => (message.tool_calls.len(), 0),
            Message::ToolResult(message) => (0, message.results.len()),
            Message::System(_) | Message::User(_) => (0, 0),
        };
        self.calls.iter().all(|(index, _)| *index < calls)
            && self.results.iter().all(|(index, _)| *index < results)
    }
}

/// Adds members; where there are none yet, what was read as text stays text.
fn add(fields: &mut Fields, more: Fields) {
    if fields.is_empty() {
        *fields = more;
    } else {
        fields.extend(more.into_object());
    }
}

fn insert_nulls(fields: &mut Fields, keys: Vec<String>) {
    for key in keys {
        fields.entry(key).or_insert(Value::Null);
    }
}

fn texts(value: Value) -> Option<Vec<String>> {
    let Value::Array(items) = value else {
        return None;
    };
    let text = |item| match item {
        Value::String(text) => Some(text),
        _ => None,
    };
    items.into_iter().map(text).collect()
}

fn by_index(value: Value) -> Option<Vec<(usize, Lost)>> {
    let entry = |(index, value): (String, Value)| Some((index.parse().ok()?, lost(value)?));
    into_object(value)?.into_iter().map(entry).collect()
}

fn lost(value: Value) -> Option<Lost> {
    let mut lost = Lost::default();
    for (key, value) in into_object(value)? {
        match key.as_str() {
            "nulls" => lost.nulls = texts(value)?,
            "extra" => lost.extra = into_object(value)?.into(),
            _ => return None,
        }
    }
    Some(lost)
}

fn part(value: &Value) -> Option<Part> {
    let number = |key| value.get(key)?.as_u64();
    let part = Part {
        index: usize::try_from(number("index")?).ok()?,
        count: usize::try_from(number("count")?).ok()?,
        continues: Continues::of(number("continues")?)?,
    };
    (part.index < part.count).then_some(part)
}
