//! Hints that can be told without converting a message there and back: none at all for what the plain mapping
//! keeps, and what it is known to lose of ordinary messages.
//!
//! A patch from here need not be the smallest. It has to turn the plain reading of the message's plain writing into the
//! message, and to be the same each time; everything out of the ordinary is left to the comparison. It is written at once: what
//! turns out not to be needed is taken back.

use std::borrow::Cow;

use super::{BEDROCK, HINT_KEY};
use crate::json::keys::Keys;
use crate::json::{self, Out};
use crate::model::compact;
use crate::model::{Content, Fields, Message, ToolCall, ToolResult, View, inside};

/// Fields of a message's JSON that have a meaning on one side or the other.
const FIELDS: [&str; 9] = [
    "role",
    "content",
    "metadata",
    "toolCalls",
    "modelId",
    "messageId",
    "stopReason",
    "name",
    "results",
];

/// The same of a tool result.
const RESULT_FIELDS: [&str; 6] = [
    "toolUseId",
    "content",
    "id",
    "name",
    "elementId",
    "completedAt",
];

const RESULT_KEYS: Keys = Keys::of(&RESULT_FIELDS);

/// The properties of a tool result that may come back by themselves.
const OWN_WAY_BACK: Keys = Keys::of(&["status", "type"]);

/// What the plain mapping does to a block.
enum Fate {
    /// It comes back as it was.
    Kept,
    /// It comes back as something else.
    Changed,
    /// Who knows.
    Unknown,
}

/// Writes the patch that makes the message of its plain reading, or nothing where they are the same; whether it did.
/// None where only a comparison can tell, and then there may be some of a patch.
pub(super) fn write_patch(out: &mut String, message: &Message) -> Option<bool> {
    let mut patch = Patch::begin(out);
    match message {
        Message::System(_) => return None,
        Message::User(user) => {
            ordinary(&user.metadata, &user.extra)?;
            patch.put_name("name", user.name.as_deref());
            patch.close_put();
            patch.edit_content(&user.content, in_message)?;
        }
        Message::Assistant(assistant) => {
            ordinary(&assistant.metadata, &assistant.extra)?;
            assistant.tool_calls.iter().all(is_kept).then_some(())?;
            patch.put_name("modelId", assistant.model_id.as_deref());
            patch.put_name("messageId", assistant.message_id.as_deref());
            patch.put_name("stopReason", assistant.stop_reason.as_deref());
            patch.close_put();
            patch.edit_content(&assistant.content, in_message)?;
        }
        Message::ToolResult(answered) => {
            ordinary(&answered.metadata, &answered.extra)?;
            patch.edit_results(&answered.results)?;
        }
    }
    Some(patch.end())
}

/// The patch that makes a result of its plain reading, as [`write_patch`] does.
fn write_result_patch(out: &mut String, result: &ToolResult) -> Option<bool> {
    result.id.as_ref()?;
    let mut patch = Patch::begin(out);
    patch.put_name("name", result.name.as_deref());
    patch.put_name("elementId", result.element_id.as_deref());
    patch.put_name("completedAt", result.completed_at.as_deref());
    let has_status = patch.put_properties(&result.properties)?;
    patch.close_put();
    if !has_status {
        patch.part("\"drop\":[\"status\"]");
    }
    patch.edit_content(&result.content, in_result)?;
    Some(patch.end())
}

const PUT: &str = "{\"put\":{";

/// A patch being written.
struct Patch<'o> {
    out: &'o mut String,
    /// What comes before the next part, or before the next member of the first one.
    before: &'static str,
}

impl<'o> Patch<'o> {
    fn begin(out: &'o mut String) -> Self {
        Self { out, before: PUT }
    }

    fn part(&mut self, part: &str) {
        self.out.syntax(self.before);
        self.out.syntax(part);
        self.before = ",";
    }

    fn put_name(&mut self, key: &str, name: Option<&str>) {
        if let Some(name) = name {
            self.part("\"");
            self.out.syntax(key);
            self.out.syntax("\":");
            json::string(self.out, name);
        }
    }

    /// Puts back all but those that come back by themselves; whether there is a status.
    fn put_properties(&mut self, properties: &Fields) -> Option<bool> {
        if !properties.may_have(RESULT_KEYS)
            && !properties.may_have(OWN_WAY_BACK)
            && let Some(inside) = properties.text().and_then(inside)
        {
            self.part(inside);
            return Some(false);
        }
        let mut has_status = false;
        for (key, value) in properties.members() {
            if RESULT_FIELDS.contains(&&*key) {
                return None;
            }
            has_status |= key == "status";
            // These come back by themselves.
            if !(key == "type" || (key == "status" && value.is_string())) {
                self.out.syntax(self.before);
                json::view_member(self.out, &key, value);
                self.before = ",";
            }
        }
        Some(has_status)
    }

    fn close_put(&mut self) {
        if self.before == PUT {
            self.before = "{";
        } else {
            self.out.syntax("}");
        }
    }

    fn edit_content(&mut self, content: &[Content], fate: fn(&Content) -> Fate) -> Option<()> {
        self.edit("content", content, |out, _, block| match fate(block) {
            Fate::Kept => Some(false),
            Fate::Changed => {
                out.syntax("{\"new\":");
                compact::block(out, block, "content");
                out.syntax("}");
                Some(true)
            }
            Fate::Unknown => None,
        })
    }

    fn edit_results(&mut self, results: &[ToolResult]) -> Option<()> {
        // Without a result it is a user message.
        (!results.is_empty()).then_some(())?;
        self.close_put();
        self.edit("results", results, |out, index, result| {
            out.syntax("[");
            write_index(out, index);
            out.syntax(",");
            let is_edited = write_result_patch(out, result)?;
            out.syntax("]");
            Some(is_edited)
        })
    }

    /// Edits a list where `entry` has written a new item for one of the old. A list that names something new names what is
    /// kept around it as well.
    fn edit<T>(
        &mut self,
        key: &str,
        items: &[T],
        entry: impl Fn(&mut String, usize, &T) -> Option<bool>,
    ) -> Option<()> {
        let out = &mut *self.out;
        let mut is_named = false;
        for (index, item) in items.iter().enumerate() {
            let start = out.len();
            if is_named {
                out.syntax(",");
            } else {
                out.syntax(self.before);
                out.syntax("\"edit\":{\"");
                out.syntax(key);
                out.syntax("\":{\"list\":[");
                for kept in 0..index {
                    write_index(out, kept);
                    out.syntax(",");
                }
            }
            let begun = out.len();
            if entry(out, index, item)? {
                is_named = true;
            } else if is_named {
                out.truncate(begun);
                write_index(out, index);
            } else {
                out.truncate(start);
            }
        }
        if is_named {
            out.syntax("]}}");
            self.before = ",";
        }
        Some(())
    }

    /// Whether there is anything in it.
    fn end(self) -> bool {
        let is_patch = self.before == ",";
        if is_patch {
            self.out.syntax("}");
        }
        is_patch
    }
}

fn write_index(out: &mut String, index: usize) {
    // Few messages have more blocks than a hand has fingers.
    const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
    match DIGITS.get(index) {
        Some(digit) => out.syntax(digit),
        None => out.syntax(&index.to_string()),
    }
}

/// Nothing if the message's own fields do not come back.
fn ordinary(metadata: &Fields, extra: &Fields) -> Option<()> {
    const HINT: Keys = Keys::of(&[HINT_KEY]);
    const KEYS: Keys = Keys::of(&FIELDS);
    let is_field = |(key, _): (Cow<'_, str>, View<'_>)| FIELDS.contains(&&*key);
    let bears_hint = metadata.may_have(HINT) && metadata.contains_key(HINT_KEY);
    let has_fields = extra.may_have(KEYS) && extra.members().any(is_field);
    (!bears_hint && !has_fields).then_some(())
}

fn is_kept(call: &ToolCall) -> bool {
    let mut keys = call.extra.members().map(|(key, _)| key);
    keys.all(|key| matches!(&*key, "reasoningSignature" | "type"))
}

fn in_message(content: &Content) -> Fate {
    match content {
        // They are shown as text.
        Content::Document { .. } | Content::Object { .. } => Fate::Changed,
        Content::Text { .. } if is_bare(content) => Fate::Kept,
        Content::Reasoning {
            provider, payload, ..
        } if provider == BEDROCK && !payload.is_null() && is_bare(content) => Fate::Kept,
        Content::Provider {
            provider, payload, ..
        } if provider == BEDROCK && payload.is_object() && is_bare(content) => {
            const OURS: [&str; 4] = ["text", "reasoningContent", "toolUse", "toolResult"];
            if payload.may_have(Keys::of(&OURS)) && OURS.iter().any(|key| payload.contains_key(key))
            {
                return Fate::Unknown;
            }
            Fate::Kept
        }
        _ => Fate::Unknown,
    }
}

fn in_result(content: &Content) -> Fate {
    match content {
        // It is shown as an object.
        Content::Document { .. } => Fate::Changed,
        Content::Text { .. } if is_bare(content) => Fate::Kept,
        Content::Object { content: json, .. } if !json.is_null() && is_bare(content) => Fate::Kept,
        Content::Provider {
            provider, payload, ..
        } if provider == BEDROCK && payload.is_object() && is_bare(content) => {
            const OURS: [&str; 2] = ["text", "json"];
            if payload.may_have(Keys::of(&OURS)) && OURS.iter().any(|key| payload.contains_key(key))
            {
                return Fate::Unknown;
            }
            Fate::Kept
        }
        _ => Fate::Unknown,
    }
}

/// Whether nothing stands beside what the block holds.
fn is_bare(content: &Content) -> bool {
    match content {
        Content::Text {
            metadata, extra, ..
        }
        | Content::Document {
            metadata, extra, ..
        }
        | Content::Object {
            metadata, extra, ..
        }
        | Content::Reasoning {
            metadata, extra, ..
        }
        | Content::Provider {
            metadata, extra, ..
        } => metadata.is_empty() && extra.is_empty(),
        Content::Unknown(_) => false,
    }
}
