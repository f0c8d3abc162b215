//! How many tokens a message costs, without a tokenizer.
//!
//! Prose counts a token for four characters, JSON one for two; pictures and files count nothing. Where
//! the model itself said what a call cost, that figure is the base and only later messages are
//! estimated.

use codec::model::{Content, Json, Message, SystemMessage, ToolResult, View};

use crate::history::History;

/// The estimate for one message.
#[must_use]
pub fn message(message: &Message) -> u64 {
    match message {
        Message::System(system) => self::system(system),
        Message::User(user) => blocks(&user.content),
        Message::Assistant(assistant) => {
            let calls = assistant.tool_calls.iter();
            let calls = calls.map(|call| prose(&call.name) + json(call.arguments.json_len()));
            blocks(&assistant.content) + calls.sum::<u64>()
        }
        Message::ToolResult(answer) => answer.results.iter().map(result).sum(),
    }
}

/// The estimate for a system message.
#[must_use]
pub fn system(message: &SystemMessage) -> u64 {
    blocks(&message.content)
}

/// The estimate for everything read: what the last answer with a known cost saw and said, plus the
/// messages after it.
#[must_use]
pub fn history(history: &History<'_>) -> u64 {
    let messages = history.messages;
    let known = messages.iter().enumerate().rev();
    let known = known.filter_map(|(index, message)| Some((index, usage(message)?)));
    let (after, base) = known
        .map(|(index, tokens)| (index + 1, tokens))
        .next()
        .unwrap_or((0, 0));
    base + messages.iter().skip(after).map(message).sum::<u64>()
}

/// What the model said this answer cost: all it read, cached or not, and what it wrote.
fn usage(message: &Message) -> Option<u64> {
    let Message::Assistant(assistant) = message else {
        return None;
    };
    let usage = assistant.metadata.view("usage")?;
    let field = |name| usage.member(name).and_then(View::as_u64);
    let cached =
        field("cacheReadInputTokens").unwrap_or(0) + field("cacheWriteInputTokens").unwrap_or(0);
    Some(field("inputTokens")? + cached + field("outputTokens")?)
}

fn result(result: &ToolResult) -> u64 {
    result.name.as_deref().map_or(0, prose) + blocks(&result.content)
}

fn blocks(content: &[Content]) -> u64 {
    content.iter().map(block).sum()
}

fn block(content: &Content) -> u64 {
    match content {
        Content::Text { text, .. } => prose(text),
        Content::Object { content, .. } => json(content.json_len()),
        Content::Reasoning { payload, .. } | Content::Provider { payload, .. } => texts(payload),
        Content::Document { .. } | Content::Unknown(_) => 0,
    }
}

/// The prose inside a provider's block: reasoning, guarded and cited text. Bytes are no prose.
fn texts(payload: &Json) -> u64 {
    let reasoning = match payload.member("reasoningContent") {
        Some(reasoning) => reasoning.member("reasoningText"),
        None => payload.member("reasoningText"),
    };
    let guarded = payload.member("guardContent");
    let guarded = guarded.and_then(|guard| guard.member("text"));
    let cited = payload.member("citationsContent");
    let cited = cited.and_then(|cited| cited.member("content")).into_iter();
    let cited = cited.flat_map(View::elements);
    let texts = reasoning.into_iter().chain(guarded).chain(cited);
    texts.map(said).sum()
}

/// The estimate for the `text` of an object.
fn said(within: View<'_>) -> u64 {
    let text = within.member("text").and_then(View::text);
    text.map_or(0, |text| prose(&text))
}

/// The estimate for a piece of prose.
#[must_use]
pub fn prose(text: &str) -> u64 {
    (text.chars().count() as u64).div_ceil(4)
}

/// The estimate for so many bytes of JSON.
fn json(bytes: usize) -> u64 {
    (bytes as u64).div_ceil(2)
}
