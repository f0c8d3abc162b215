//! The transcript: messages written down as data.
//!
//! Each line is a JSON object. A text can hold neither a line break nor a bare quotation mark there, so
//! nothing said in a conversation can end its own quotation or pass for another speaker.

use std::borrow::Cow;

use codec::model::{Content, Message, ToolCall, ToolResult};
use serde_json::Value;
use window::{estimate, truncate};

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
    let mut pen = Pen {
        budget,
        redactor,
        lines: Vec::with_capacity(messages.len()),
    };
    for message in messages {
        pen.write(message);
    }
    pen.lines
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
        // JSON escapes the usual line breaks; to a model these are line breaks as well.
        Value::Object(fields)
            .to_string()
            .replace('\u{85}', "\\u0085")
            .replace('\u{2028}', "\\u2028")
            .replace('\u{2029}', "\\u2029")
    }
}

/// Writes lines down within a budget.
struct Pen<'a> {
    budget: &'a Budget,
    redactor: Option<&'a Redactor>,
    lines: Vec<Line>,
}

impl Pen<'_> {
    fn write(&mut self, message: &Message) {
        match message {
            // Instructions are no part of what is summarised.
            Message::System(_) => {}
            Message::User(user) => self.say("user", &user.content),
            Message::Assistant(assistant) => {
                self.say("assistant", &assistant.content);
                for call in &assistant.tool_calls {
                    self.ask(call);
                }
            }
            Message::ToolResult(answer) => {
                for result in &answer.results {
                    self.outcome(result);
                }
            }
        }
    }

    fn say(&mut self, speaker: &'static str, content: &[Content]) {
        let text = prose(content);
        if !text.trim().is_empty() {
            self.line(speaker, None, &text, self.budget.text_chars);
        }
    }

    fn ask(&mut self, call: &ToolCall) {
        let arguments = call.arguments.to_text();
        let name = Some(call.name.as_str());
        self.line("tool call", name, &arguments, self.budget.tool_chars);
    }

    fn outcome(&mut self, result: &ToolResult) {
        let text = prose(&result.content);
        let name = result.name.as_deref();
        self.line("tool result", name, &text, self.budget.tool_chars);
    }

    fn line(&mut self, speaker: &'static str, tool: Option<&str>, text: &str, most: usize) {
        // Before the text is cut: half a secret would not be recognised.
        let text = match self.redactor {
            Some(redactor) => Cow::Owned(redactor.redact(text)),
            None => Cow::Borrowed(text),
        };
        self.lines.push(Line {
            speaker,
            tool: tool.map(str::to_owned),
            text: clip(&text, most),
        });
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
        Content::Object { content, .. } => {
            let text = content.view().text();
            Some(text.unwrap_or_else(|| content.to_text()).into_owned())
        }
        Content::Document { .. } => Some("[document]".to_owned()),
        Content::Provider { payload, .. } => {
            // Pictures and files are named by kind; their bytes mean nothing here.
            let kind = payload.view().members().next().map(|(kind, _)| kind);
            match kind.as_deref() {
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
    let mark = |removed| format!(" [… {removed} characters left out …] ");
    truncate::middle(text, most, most / 2, mark).unwrap_or_else(|| text.to_owned())
}
