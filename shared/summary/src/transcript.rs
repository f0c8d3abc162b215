//! The transcript: messages written down as data.
//!
//! Each line is a JSON object. A text can hold neither a line break nor a bare quotation mark there, so
//! nothing said in a conversation can end its own quotation or pass for another speaker.

use codec::model::{Content, Message, ToolCall, ToolResult};
use serde_json::{Value, json};
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

impl Default for Budget {
    fn default() -> Self {
        Self {
            text_chars: 8_000,
            tool_chars: 2_000,
            step_tokens: 100_000,
        }
    }
}

/// One thing somebody said or did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// `user`, `assistant`, `tool call` or `tool result`.
    pub speaker: &'static str,
    /// The tool's name, for the last two.
    pub tool: Option<String>,
    /// What was said, cut to the budget.
    pub text: String,
}

/// A conversation, or its older part, written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// What was said, oldest first.
    pub lines: Vec<Line>,
    step_tokens: u64,
}

impl Transcript {
    /// Writes `messages` down, redacted where a redactor is given.
    #[must_use]
    pub fn of(messages: &[Message], budget: &Budget, redactor: Option<&Redactor>) -> Self {
        let mut lines = Vec::with_capacity(messages.len());
        for message in messages {
            write_message(message, budget, &mut lines);
        }
        if let Some(redactor) = redactor {
            for line in &mut lines {
                line.text = redactor.redact(&line.text);
            }
        }
        Self {
            lines,
            step_tokens: budget.step_tokens,
        }
    }

    /// The text of each step. A transcript within the budget has one; a longer one is folded: each step
    /// is summarised together with the summary of the steps before it, so nothing is left out.
    ///
    /// `earlier` is the summary this one continues; it opens the first step. The steps after the first
    /// are to be opened with [`Transcript::earlier_line`] of the step before.
    #[must_use]
    pub fn steps(&self, earlier: Option<&str>) -> Vec<String> {
        let mut steps = vec![earlier.map(Self::earlier_line).unwrap_or_default()];
        let mut tokens = 0;
        for line in &self.lines {
            let text = line.to_json();
            let cost = estimate::prose(&text);
            if tokens > 0 && tokens + cost > self.step_tokens {
                steps.push(String::new());
                tokens = 0;
            }
            tokens += cost;
            if let Some(step) = steps.last_mut() {
                step.push_str(&text);
                step.push('\n');
            }
        }
        steps
    }

    /// The line that stands for everything before a step.
    #[must_use]
    pub fn earlier_line(summary: &str) -> String {
        let line = json!({"speaker": "earlier summary", "text": summary});
        format!("{line}\n")
    }
}

impl Line {
    fn to_json(&self) -> String {
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
