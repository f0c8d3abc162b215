//! The transcript: messages written down as data.
//!
//! Each line is a JSON object. A text can hold neither a line break nor a bare quotation mark there, so
//! nothing said in a conversation can end its own quotation or pass for another speaker.

use codec::model::{Content, Message, ToolCall, ToolResult};
use serde_json::Value;
use window::estimate;

use crate::redact::Redactor;

/// How long things may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most characters of one text.
    pub text_chars: usize,
    /// The most characters of one tool result or one call's arguments.
    pub tool_chars: usize,
    /// The most tokens, by estimate, of one step's transcript.
    pub step_tokens: u64,
}

impl Budget {
    /// What suits the models of today.
    pub const DEFAULT: Self = Self {
        text_chars: 8_000,
        tool_chars: 2_000,
        step_tokens: 100_000,
    };
}

impl Default for Budget {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// One thing somebody said or did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// `user`, `assistant`, `tool call`, `tool result`, or `earlier summary`.
    pub speaker: &'static str,
    /// The name of the tool that was called, or answered.
    pub tool: Option<String>,
    /// What was said, cut to the budget.
    pub text: String,
}

/// Writes `messages` down, oldest first, redacted where a redactor is given.
#[must_use]
pub fn transcript(messages: &[Message], budget: &Budget, redactor: Option<&Redactor>) -> Vec<Line> {
    let mut lines = Vec::with_capacity(messages.len());
    for message in messages {
        write_message(message, budget, &mut lines);
    }
    if let Some(redactor) = redactor {
        for line in &mut lines {
            line.text = redactor.redact(&line.text);
        }
    }
    lines
}

/// The lines that make up the next step: as many as `step_tokens` allow, by estimate, but at least one.
///
/// A transcript within the budget is one step. A longer one is folded: each step is summarised together
/// with the summary of the steps before it, so nothing is left out.
#[must_use]
pub fn next_step(lines: &[Line], step_tokens: u64) -> (&[Line], &[Line]) {
    let mut tokens = 0;
    let fitting = lines.iter().take_while(|line| {
        tokens += estimate::prose(&line.to_json());
        tokens <= step_tokens
    });
    let count = fitting.count().max(1).min(lines.len());
    lines.split_at(count)
}

impl Line {
    /// The line as it stands in a request, without its end.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut fields = codec::model::Object::new();
        fields.insert("speaker".to_owned(), self.speaker.into());
        if let Some(tool) = &self.tool {
            fields.insert("tool".to_owned(), tool.as_str().into());
        }
        fields.insert("text".to_owned(), self.text.as_str().into());
        Value::Object(fields).to_string()
    }
}

fn write_message(message: &Message, budget: &Budget, lines: &mut Vec<Line>) {
    match message {
        // Instructions are no part of what is summarised.
        Message::System(_) => {}
        Message::User(user) => say("user", &user.content, budget, lines),
        Message::Assistant(assistant) => {
            say("assistant", &assistant.content, budget, lines);
            lines.extend(assistant.tool_calls.iter().map(|call| ask(call, budget)));
        }
        Message::ToolResult(answer) => {
            lines.extend(answer.results.iter().map(|result| outcome(result, budget)));
        }
    }
}

fn say(speaker: &'static str, content: &[Content], budget: &Budget, lines: &mut Vec<Line>) {
    let text = prose(content);
    if !text.trim().is_empty() {
        lines.push(Line {
            speaker,
            tool: None,
            text: clip(&text, budget.text_chars),
        });
    }
}

fn ask(call: &ToolCall, budget: &Budget) -> Line {
    let arguments = serde_json::to_string(&call.arguments).unwrap_or_default();
    Line {
        speaker: "tool call",
        tool: Some(call.name.clone()),
        text: clip(&arguments, budget.tool_chars),
    }
}

fn outcome(result: &ToolResult, budget: &Budget) -> Line {
    Line {
        speaker: "tool result",
        tool: result.name.clone(),
        text: clip(&prose(&result.content), budget.tool_chars),
    }
}

/// The texts of some content, and a word for what is not text.
fn prose(content: &[Content]) -> String {
    let pieces: Vec<String> = content.iter().filter_map(piece).collect();
    pieces.join("\n")
}

fn piece(content: &Content) -> Option<String> {
    match content {
        Content::Text { text, .. } => Some(text.clone()),
        Content::Object { content, .. } => Some(match content {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }),
        Content::Document { .. } => Some("[document]".to_owned()),
        Content::Provider { payload, .. } => {
            // Pictures and files are named by kind; their bytes mean nothing here.
            let kind = payload.as_object().and_then(|block| block.keys().next());
            match kind.map(String::as_str) {
                None | Some("cachePoint") => None,
                Some(kind) => Some(format!("[{kind}]")),
            }
        }
        // What a model thought on the way is no part of what was said.
        Content::Reasoning { .. } => None,
        Content::Unknown(_) => Some("[content of an unknown type]".to_owned()),
    }
}

/// The text, or its two ends with a mark that says how much is missing between them.
fn clip(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let end = most / 2;
    let head: String = text.chars().take(end).collect();
    let tail: String = text.chars().skip(length - end).collect();
    let removed = length - 2 * end;
    format!("{head} [… {removed} characters left out …] {tail}")
}
