//! The JSON of the model as text: what serialising gives, without a serialiser, so that kept text is copied as it is.

use super::{Content, Fields, Json, Message, ToolCall, ToolResult};
use crate::json::{self, Out};

/// The bytes a short message takes.
const SHORT_MESSAGE: usize = 256;

/// The JSON array of messages, the very text they serialise to.
///
/// ```
/// use codec::model::{Content, Message, UserMessage, to_json};
///
/// let message = Message::User(UserMessage {
///     content: vec![Content::text("hi")],
///     ..UserMessage::default()
/// });
/// let json = to_json([&message]);
/// assert_eq!(json, r#"[{"role":"user","content":[{"type":"text","text":"hi"}]}]"#);
/// ```
pub fn to_json<'a>(messages: impl IntoIterator<Item = &'a Message>) -> String {
    let messages = messages.into_iter();
    let mut out = String::with_capacity(messages.size_hint().0.saturating_mul(SHORT_MESSAGE));
    out.syntax("[");
    for (index, message) in messages.enumerate() {
        out.comma(index);
        self::message(&mut out, message);
    }
    out.syntax("]");
    out
}

fn message(out: &mut String, message: &Message) {
    out.syntax("{\"role\":");
    let (metadata, extra) = match message {
        Message::System(system) => {
            json::word(out, "system");
            blocks(out, &system.content);
            (&system.metadata, &system.extra)
        }
        Message::User(user) => {
            json::word(out, "user");
            text(out, "name", user.name.as_deref());
            blocks(out, &user.content);
            (&user.metadata, &user.extra)
        }
        Message::Assistant(assistant) => {
            json::word(out, "assistant");
            blocks(out, &assistant.content);
            if !assistant.tool_calls.is_empty() {
                out.syntax(",\"toolCalls\":");
                json::list(out, &assistant.tool_calls, tool_call);
            }
            text(out, "modelId", assistant.model_id.as_deref());
            text(out, "messageId", assistant.message_id.as_deref());
            text(out, "stopReason", assistant.stop_reason.as_deref());
            (&assistant.metadata, &assistant.extra)
        }
        Message::ToolResult(answered) => {
            json::word(out, "tool_call_result");
            out.syntax(",\"results\":");
            json::list(out, &answered.results, tool_result);
            (&answered.metadata, &answered.extra)
        }
    };
    beside(out, metadata, extra);
}

fn blocks(out: &mut String, content: &[Content]) {
    if !content.is_empty() {
        out.syntax(",\"content\":");
        json::list(out, content, |out, block| {
            self::block(out, block, "content");
        });
    }
}

fn tool_call(out: &mut String, call: &ToolCall) {
    out.syntax("{\"id\":");
    json::string(out, &call.id);
    json::text_member(out, "name", &call.name);
    out.syntax(",\"arguments\":");
    call.arguments.write(out);
    call.extra.write_members(out);
    out.syntax("}");
}

fn tool_result(out: &mut String, result: &ToolResult) {
    out.syntax("{");
    for (key, text) in [("id", &result.id), ("name", &result.name)] {
        if let Some(text) = text {
            json::key(out, key);
            json::string(out, text);
            out.syntax(",");
        }
    }
    out.syntax("\"content\":");
    json::list(out, &result.content, |out, block| {
        self::block(out, block, "content");
    });
    text(out, "elementId", result.element_id.as_deref());
    text(out, "completedAt", result.completed_at.as_deref());
    result.properties.write_members(out);
    out.syntax("}");
}

fn text(out: &mut String, key: &str, text: Option<&str>) {
    if let Some(text) = text {
        json::text_member(out, key, text);
    }
}

/// Writes a block; object content goes under the key given, since the dialects differ in it.
pub(crate) fn block(out: &mut impl Out, block: &Content, object_key: &str) {
    let (metadata, extra) = match block {
        Content::Text {
            text,
            metadata,
            extra,
        } => {
            open(out, "text", "text");
            json::string(out, text);
            (metadata, extra)
        }
        Content::Document {
            document,
            metadata,
            extra,
        } => {
            open(out, "document", "document");
            document.write(out);
            (metadata, extra)
        }
        Content::Object {
            content,
            metadata,
            extra,
        } => {
            open(out, "object", object_key);
            content.write(out);
            (metadata, extra)
        }
        Content::Reasoning {
            provider,
            payload,
            metadata,
            extra,
        } => {
            provided(out, "reasoning", provider, payload);
            (metadata, extra)
        }
        Content::Provider {
            provider,
            payload,
            metadata,
            extra,
        } => {
            provided(out, "provider", provider, payload);
            (metadata, extra)
        }
        Content::Unknown(fields) => return fields.write(out),
    };
    beside(out, metadata, extra);
}

/// Writes `{"type":…,"key":`.
pub(crate) fn open(out: &mut impl Out, kind: &str, key: &str) {
    out.syntax("{");
    json::key(out, "type");
    json::word(out, kind);
    out.syntax(",");
    json::key(out, key);
}

fn provided(out: &mut impl Out, kind: &str, provider: &str, payload: &Json) {
    open(out, kind, "provider");
    json::string(out, provider);
    out.syntax(",");
    json::key(out, "payload");
    payload.write(out);
}

/// Ends an object with metadata and unknown fields.
fn beside(out: &mut impl Out, metadata: &Fields, extra: &Fields) {
    if !metadata.is_empty() {
        out.syntax(",");
        json::key(out, "metadata");
        metadata.write(out);
    }
    extra.write_members(out);
    out.syntax("}");
}
