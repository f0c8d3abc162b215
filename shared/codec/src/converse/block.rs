//! One content block on its way out.

use std::borrow::Cow;

use serde_json::{Value, json};
use smallvec::SmallVec;

use super::held;
use super::message::{block_for_model, is_for_model, the_member};
use super::write::{ResultItem, result_items, status, told_status, tool_input, untold_status};
use super::{Block, Reader};
use crate::json::{self, Out};
use crate::model::{Fields, Json, Object, ToolCall, ToolResult};

/// A content block that borrows what it shows.
#[derive(Clone, Debug)]
pub enum OutgoingBlock<'a> {
    /// `text`: a text, or other content shown as JSON text.
    Text(Cow<'a, str>),
    /// `reasoningContent`.
    Reasoning(&'a Json),
    /// `toolUse`.
    ToolUse(&'a ToolCall),
    /// `toolResult`: a result that has the id of a call.
    ToolResult(&'a ToolResult),
    /// Any other block, as its message holds it: a JSON object.
    Held(&'a Json),
    /// A block of its own.
    Verbatim(Box<Block>),
}

/// The blocks of a message. As many as most messages have lie in place, which spares an allocation for each; with more of them a
/// message would be too large to be handed on with a few instructions.
pub type Blocks<'a> = SmallVec<[OutgoingBlock<'a>; 3]>;

/// What a block means to the rules of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind<'b> {
    /// A text.
    Text(&'b str),
    /// What a model thought.
    Reasoning,
    /// A call, with its id where it has one.
    ToolUse(Option<&'b str>),
    /// The result of a call, with the call's id where it has one.
    ToolResult(Option<&'b str>),
    /// Anything else.
    Other,
}

impl OutgoingBlock<'_> {
    /// What the block is.
    #[must_use]
    pub fn kind(&self) -> BlockKind<'_> {
        match self {
            Self::Text(text) => BlockKind::Text(text),
            Self::Reasoning(_) => BlockKind::Reasoning,
            Self::ToolUse(call) => BlockKind::ToolUse(Some(&call.id)),
            Self::ToolResult(result) => BlockKind::ToolResult(result.id.as_deref()),
            Self::Held(block) => held::kind(block),
            Self::Verbatim(block) => kind_of(block),
        }
    }

    /// The block itself, without borrowing.
    #[must_use]
    pub fn into_block(self) -> Block {
        match self {
            Self::Text(text) => member("text", text.into_owned().into()),
            Self::Reasoning(payload) => member("reasoningContent", payload.view().to_value()),
            Self::ToolUse(call) => {
                let mut fields = Block::new();
                fields.insert("toolUseId".to_owned(), call.id.as_str().into());
                fields.insert("name".to_owned(), call.name.as_str().into());
                fields.insert(
                    "input".to_owned(),
                    match tool_input(call) {
                        Some(input) => input.to_value(),
                        None => Value::Object(call.arguments.clone().into_object()),
                    },
                );
                copy(&call.extra, &mut fields, &["reasoningSignature", "type"]);
                member("toolUse", Value::Object(fields))
            }
            Self::ToolResult(result) => {
                let mut fields = Block::new();
                fields.insert("toolUseId".to_owned(), answered(result).into());
                fields.insert("status".to_owned(), status(result).as_ref().into());
                fields.insert(
                    "content".to_owned(),
                    result_items(result).map(item).collect(),
                );
                copy(&result.properties, &mut fields, &["type"]);
                member("toolResult", Value::Object(fields))
            }
            Self::Held(block) => block.as_object().cloned().unwrap_or_default(),
            Self::Verbatim(block) => *block,
        }
    }

    /// Writes the JSON of [`OutgoingBlock::into_block`], for a model as `ConverseMessage::for_model` has it.
    pub(super) fn write(&self, out: &mut String, reader: Reader) {
        match self {
            Self::Text(text) => {
                out.syntax("{\"text\":");
                json::string(out, text);
                out.syntax("}");
            }
            Self::Reasoning(payload) => {
                out.syntax("{\"reasoningContent\":");
                payload.write(out);
                out.syntax("}");
            }
            Self::ToolUse(call) => write_tool_use(out, call, reader),
            Self::ToolResult(result) => write_tool_result(out, result, reader),
            Self::Held(block) => write_held(out, block, reader),
            Self::Verbatim(block) => write_verbatim(out, block, reader),
        }
    }
}

pub(super) fn kind_of(block: &Block) -> BlockKind<'_> {
    let Some((key, value)) = the_member(block) else {
        return BlockKind::Other;
    };
    let id = value.get("toolUseId").and_then(Value::as_str);
    match (key, value) {
        ("text", Value::String(text)) => BlockKind::Text(text),
        ("reasoningContent", _) => BlockKind::Reasoning,
        ("toolUse", _) => BlockKind::ToolUse(id),
        ("toolResult", _) => BlockKind::ToolResult(id),
        _ => BlockKind::Other,
    }
}

fn write_tool_use(out: &mut String, call: &ToolCall, reader: Reader) {
    out.syntax("{\"toolUse\":{\"toolUseId\":");
    json::string(out, &call.id);
    out.syntax(",\"name\":");
    json::string(out, &call.name);
    out.syntax(",\"input\":");
    match tool_input(call) {
        Some(input) => input.write(out),
        None => call.arguments.write(out),
    }
    if reader == Reader::Caller {
        write_copy(out, &call.extra, "reasoningSignature");
    }
    write_copy(out, &call.extra, "type");
    out.syntax("}}");
}

/// The id of the call that a result answers.
fn answered(result: &ToolResult) -> &str {
    result.id.as_deref().unwrap_or_default()
}

fn write_tool_result(out: &mut String, result: &ToolResult, reader: Reader) {
    out.syntax("{\"toolResult\":{\"toolUseId\":");
    json::string(out, answered(result));
    out.syntax(",\"status\":");
    write_status(out, result);
    out.syntax(",\"content\":[");
    for (index, item) in result_items(result).enumerate() {
        out.comma(index);
        write_item(out, item, reader);
    }
    out.syntax("]");
    write_copy(out, &result.properties, "type");
    out.syntax("}}");
}

fn write_status(out: &mut String, result: &ToolResult) {
    match told_status(result) {
        Some(status) => status.write(out),
        None => json::word(out, untold_status(result)),
    }
}

fn write_item(out: &mut String, item: ResultItem<'_>, reader: Reader) {
    match item {
        ResultItem::Text(text) => {
            out.syntax("{\"text\":");
            json::string(out, text);
            out.syntax("}");
        }
        ResultItem::Json(value) => {
            out.syntax("{\"json\":");
            value.write(out);
            out.syntax("}");
        }
        ResultItem::Verbatim(block) => write_held(out, block, reader),
    }
}

fn write_held(out: &mut String, block: &Json, reader: Reader) {
    match reader {
        Reader::Caller => block.write(out),
        Reader::Model => held::write_for_model(out, block.view()),
    }
}

fn write_verbatim(out: &mut String, block: &Block, reader: Reader) {
    // A block may hold a whole file, so it is copied only where it has to be changed.
    if reader == Reader::Caller || is_for_model(block) {
        json::object(out, block);
    } else {
        json::object(out, &block_for_model(block.clone()));
    }
}

fn write_copy(out: &mut String, from: &Fields, key: &str) {
    if let Some(value) = from.view(key) {
        out.syntax(",");
        json::view_member(out, key, value);
    }
}

fn item(item: ResultItem<'_>) -> Value {
    match item {
        ResultItem::Text(text) => json!({ "text": text }),
        ResultItem::Json(value) => json!({ "json": value.view().to_value() }),
        ResultItem::Verbatim(block) => block.view().to_value(),
    }
}

fn member(key: &str, value: Value) -> Block {
    Block::from_iter([(key.to_owned(), value)])
}

fn copy(from: &Fields, to: &mut Object, keys: &[&str]) {
    for key in keys {
        if let Some(value) = from.view(key) {
            to.insert((*key).to_owned(), value.to_value());
        }
    }
}
