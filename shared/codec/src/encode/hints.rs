//! What Camunda's reader would refuse or lose, kept beside the message in `properties.colloquy`.
//!
//! ```text
//! {"extra":{…},                                 fields of the message this version does not know
//!  "nulls":["k"],                               metadata keys whose value is null
//!  "toolCalls":{"0":{"nulls":["k"],"extra":{…}}},   the same of the call with that index
//!  "results":{"0":{"nulls":["k"]}},             properties of that result whose value is null
//!  "part":{"index":0,"count":2,"continues":0}}  where a message is spread over several events
//! ```

use std::borrow::Cow;

use crate::json::{self, Out};
use crate::model::{Fields, Message};
use crate::part::Part;
use crate::wire::COLLOQUY;

/// The hints of one message; each list holds only what there is something to say about.
pub(super) struct Hints<'a> {
    extra: Option<&'a Fields>,
    nulls: Vec<Cow<'a, str>>,
    calls: Vec<(usize, Lost<'a>)>,
    results: Vec<(usize, Lost<'a>)>,
    part: Option<Part>,
}

/// What a call or a result cannot be written with.
struct Lost<'a> {
    nulls: Vec<Cow<'a, str>>,
    extra: Option<&'a Fields>,
}

impl<'a> Hints<'a> {
    pub(super) fn of(message: &'a Message, part: Option<Part>) -> Self {
        let (metadata, extra) = match message {
            Message::System(message) => (&message.metadata, &message.extra),
            Message::User(message) => (&message.metadata, &message.extra),
            Message::Assistant(message) => (&message.metadata, &message.extra),
            Message::ToolResult(message) => (&message.metadata, &message.extra),
        };
        let mut hints = Self {
            extra: some(extra),
            nulls: nulls(metadata),
            calls: Vec::new(),
            results: Vec::new(),
            part,
        };
        match message {
            Message::Assistant(message) => {
                let lost = message
                    .tool_calls
                    .iter()
                    .map(|call| Lost::of(&call.arguments, some(&call.extra)));
                hints.calls = indexed(lost);
            }
            Message::ToolResult(message) => {
                let lost = message
                    .results
                    .iter()
                    .map(|result| Lost::of(&result.properties, None));
                hints.results = indexed(lost);
            }
            Message::System(_) | Message::User(_) => {}
        }
        hints
    }

    /// Writes `,"colloquy":{…}`, or nothing where there is nothing to say.
    pub(super) fn write(&self, out: &mut impl Out) {
        if self.is_empty() {
            return;
        }
        out.syntax(",");
        json::key(out, COLLOQUY);
        out.syntax("{");
        let mut members = Members { out, comma: "" };
        if let Some(extra) = self.extra {
            extra.write(members.key("extra"));
        }
        if !self.nulls.is_empty() {
            strings(members.key("nulls"), &self.nulls);
        }
        for (key, lost) in [("toolCalls", &self.calls), ("results", &self.results)] {
            if !lost.is_empty() {
                by_index(members.key(key), lost);
            }
        }
        if let Some(part) = self.part {
            self::part(members.key("part"), part);
        }
        out.syntax("}");
    }

    fn is_empty(&self) -> bool {
        self.extra.is_none()
            && self.nulls.is_empty()
            && self.calls.is_empty()
            && self.results.is_empty()
            && self.part.is_none()
    }
}

impl<'a> Lost<'a> {
    fn of(fields: &'a Fields, extra: Option<&'a Fields>) -> Option<Self> {
        let nulls = nulls(fields);
        (!nulls.is_empty() || extra.is_some()).then_some(Self { nulls, extra })
    }
}

struct Members<'a, O> {
    out: &'a mut O,
    comma: &'static str,
}

impl<O: Out> Members<'_, O> {
    /// Writes the key of the next member; its value is for the caller to write.
    fn key(&mut self, name: &str) -> &mut O {
        self.out.syntax(self.comma);
        self.comma = ",";
        json::key(self.out, name);
        self.out
    }
}

fn by_index(out: &mut impl Out, lost: &[(usize, Lost<'_>)]) {
    out.syntax("{");
    let mut entries = Members { out, comma: "" };
    for (index, lost) in lost {
        let out = entries.key(&index.to_string());
        out.syntax("{");
        let mut members = Members { out, comma: "" };
        if !lost.nulls.is_empty() {
            strings(members.key("nulls"), &lost.nulls);
        }
        if let Some(extra) = lost.extra {
            extra.write(members.key("extra"));
        }
        out.syntax("}");
    }
    out.syntax("}");
}

fn part(out: &mut impl Out, part: Part) {
    out.syntax("{");
    let numbers = [
        ("index", part.index),
        ("count", part.count),
        ("continues", usize::from(part.continues.number())),
    ];
    let mut members = Members { out, comma: "" };
    for (key, number) in numbers {
        members.key(key).syntax(&number.to_string());
    }
    out.syntax("}");
}

fn strings<O: Out>(out: &mut O, texts: &[Cow<'_, str>]) {
    json::list(out, texts, |out, text| json::string(out, text));
}

fn some(fields: &Fields) -> Option<&Fields> {
    (!fields.is_empty()).then_some(fields)
}

fn nulls(fields: &Fields) -> Vec<Cow<'_, str>> {
    if !fields.has_nulls() {
        return Vec::new();
    }
    let nulls = fields.members().filter(|(_, value)| value.is_null());
    nulls.map(|(key, _)| key).collect()
}

fn indexed<'a>(lost: impl Iterator<Item = Option<Lost<'a>>>) -> Vec<(usize, Lost<'a>)> {
    lost.enumerate()
        .filter_map(|(index, lost)| Some((index, lost?)))
        .collect()
}
