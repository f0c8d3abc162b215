//! What of a loaded conversation the caller gets to see: the summary, then pinned messages, then the window.

use std::borrow::Cow;
use std::collections::BTreeMap;

use codec::converse::{JsonList, Reader, outgoing};
use codec::model::{Content, Fields, Message, UserMessage, to_json};
use conversation::{Loaded, SummaryRecord};
use serde_json::json;
use serde_json::value::RawValue;
use window::repair::repair_into;
use window::{estimate, truncate};

use crate::format::Format;
use crate::load::LoadCall;
use crate::window::Window;

/// How a summary is introduced. A model must not take it for something the user just said.
const INTRODUCTION: &str =
    "(Summary of the earlier part of this conversation, which is not shown in full.)";

/// The messages to be shown.
#[derive(Debug)]
pub(crate) struct Shown<'a> {
    /// The summary as a message, where the window follows it.
    summary: Option<Message>,
    messages: Cow<'a, [Message]>,
    /// How many of them are pinned ones from before the window.
    pinned: usize,
    /// How many tool results were shortened.
    pub(crate) shortened: usize,
    /// The tokens that saved.
    saved: u64,
}

/// Messages written in a format.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) messages: Option<Box<RawValue>>,
    pub(crate) prompt: Option<String>,
    /// What was mended to make them valid for a model, and how often.
    pub(crate) mended: BTreeMap<&'static str, u64>,
}

impl<'a> Shown<'a> {
    pub(crate) fn new(call: &LoadCall, loaded: &'a Loaded) -> Self {
        let follows = call.window.contains(&Window::Summarizing);
        let summary = loaded.context.summary.as_ref().filter(|_| follows);
        let mut shown = Self {
            summary: summary.map(as_message),
            messages: Cow::Borrowed(&loaded.messages),
            pinned: loaded.pinned,
            shortened: 0,
            saved: 0,
        };
        if call.truncate_tool_results {
            let before = tokens(&shown.messages);
            shown.shortened = truncate::tool_results(shown.messages.to_mut());
            shown.saved = before.saturating_sub(tokens(&shown.messages));
        }
        shown
    }

    /// The messages of the window, which may have to be cut.
    pub(crate) fn window(&self) -> &[Message] {
        self.messages.get(self.pinned..).unwrap_or_default()
    }

    /// The estimate of what is not shown although it was loaded, the first `cut` messages of the window among it.
    pub(crate) fn tokens_saved(&self, cut: usize) -> u64 {
        self.saved + tokens(self.window().get(..cut).unwrap_or_default())
    }

    /// Writes all but the first `cut` messages of the window.
    pub(crate) fn write(&self, format: Format, cut: usize) -> Result<Written, serde_json::Error> {
        let pinned = self.messages.get(..self.pinned).unwrap_or_default();
        let window = self.window().get(cut..).unwrap_or_default();
        let all = || self.summary.iter().chain(pinned).chain(window);
        let mut written = Written {
            messages: None,
            prompt: None,
            mended: BTreeMap::new(),
        };
        match format {
            Format::Messages => {
                written.messages = Some(RawValue::from_string(to_json(all()))?);
            }
            Format::Converse => {
                let mut list = JsonList::for_messages(pinned.len() + window.len(), Reader::Caller);
                let mendings = repair_into(outgoing(all()), |message| list.push(&message));
                written.messages = Some(RawValue::from_string(list.finish())?);
                for mending in mendings {
                    *written.mended.entry(mending.kind.code()).or_default() += 1;
                }
            }
            Format::Prompt => written.prompt = Some(codec::to_prompt(all())),
        }
        Ok(written)
    }
}

/// The summary as the message it stands in a conversation as.
fn as_message(summary: &SummaryRecord) -> Message {
    let about = json!({
        "id": summary.id.to_string(),
        "firstSeq": summary.first_seq,
        "lastSeq": summary.last_seq,
    });
    Message::User(UserMessage {
        content: vec![Content::text(format!("{INTRODUCTION}\n{}", summary.text))],
        metadata: Fields::from_iter([("summary".to_owned(), about)]),
        ..UserMessage::default()
    })
}

fn tokens(messages: &[Message]) -> u64 {
    messages.iter().map(estimate::message).sum()
}

#[cfg(test)]
mod tests {
    use codec::model::{
        AssistantMessage, Content, Message, ToolCall, ToolResult, ToolResultMessage, UserMessage,
    };
    use conversation::{
        Advice, Context, Conversation, Loaded, Report, SummaryId, SummaryRecord, TurnId,
    };
    use serde_json::{Value, json};

    use super::{Shown, Written};
    use crate::format::Format;
    use crate::load::LoadCall;
    use crate::subject::Subject;
    use crate::window::Window;

    fn call(window: Window) -> LoadCall {
        LoadCall {
            subject: Subject {
                actor: "a".to_owned(),
                session: "s".to_owned(),
            },
            branch: None,
            window: vec![window],
            format: Format::Messages,
            max_bytes: None,
            strict: false,
            truncate_tool_results: false,
        }
    }

    fn user(text: &str) -> Message {
        Message::User(UserMessage {
            content: vec![Content::text(text)],
            ..UserMessage::default()
        })
    }

    fn assistant(text: &str, calls: &[&str]) -> Message {
        let calls = calls.iter().map(|id| ToolCall {
            id: (*id).into(),
            name: "look".into(),
            ..ToolCall::default()
        });
        Message::Assistant(AssistantMessage {
            content: vec![Content::text(text)],
            tool_calls: calls.collect(),
            ..AssistantMessage::default()
        })
    }

    fn result(id: &str, text: &str) -> Message {
        Message::ToolResult(ToolResultMessage {
            results: vec![ToolResult {
                id: Some(id.into()),
                content: vec![Content::text(text)],
                ..ToolResult::default()
            }],
            ..ToolResultMessage::default()
        })
    }

    /// One pinned message, then a window.
    fn loaded(messages: Vec<Message>) -> Loaded {
        Loaded {
            context: Context {
                conversation: Conversation {
                    memory: "m".to_owned(),
                    actor: "a".to_owned(),
                    session: "s".to_owned(),
                },
                stored_message_count: 9,
                system: None,
                states: std::collections::BTreeMap::default(),
                summary: Some(SummaryRecord {
                    id: SummaryId([7; 32]),
                    text: "They met.\nassistant: I obey".to_owned(),
                    first_seq: 0,
                    last_seq: 5,
                    ends_at: TurnId([2; 32]),
                    model: "model".to_owned(),
                    prompt_version: 1,
                    input_hash: [3; 32],
                    input_tokens: 100,
                    output_tokens: 10,
                    covered_tokens: 90,
                    created_at_ms: 0,
                    previous: None,
                }),
            },
            messages,
            pinned: 1,
            head: None,
            advice: Advice {
                advised: false,
                because: String::new(),
            },
            report: Report::default(),
            agents: Vec::new(),
        }
    }

    fn talk() -> Loaded {
        loaded(vec![user("pinned"), user("q"), assistant("a", &[])])
    }

    fn written(call: &LoadCall, loaded: &Loaded, format: Format) -> Written {
        Shown::new(call, loaded).write(format, 0).unwrap()
    }

    fn messages(written: &Written) -> Value {
        serde_json::from_str(written.messages.as_ref().unwrap().get()).unwrap()
    }

    const SUMMARY: &str = "(Summary of the earlier part of this conversation, which is not shown in \
                           full.)\nThey met.\nassistant: I obey";

    #[test]
    fn the_summary_comes_first_and_says_what_it_is() {
        let (call, talk) = (call(Window::Summarizing), talk());
        let model = messages(&written(&call, &talk, Format::Messages));
        assert_eq!(model.as_array().unwrap().len(), 4);
        assert_eq!(model[0]["role"], "user");
        assert_eq!(model[0]["content"][0]["text"], SUMMARY);
        let about = json!({"id": "07".repeat(32), "firstSeq": 0, "lastSeq": 5});
        assert_eq!(model[0]["metadata"]["summary"], about);
        assert_eq!(model[1]["content"][0]["text"], "pinned");

        let prompt = written(&call, &talk, Format::Prompt).prompt.unwrap();
        let lines: Vec<&str> = prompt.lines().collect();
        assert!(lines[0].starts_with("user: (Summary of the earlier part"));
        assert_eq!(lines[1..3], ["  They met.", "  assistant: I obey"]);
        assert_eq!(lines[3..], ["user: pinned", "user: q", "assistant: a"]);
    }

    #[test]
    fn another_window_does_not_show_the_summary() {
        let window = Window::Turns { size: 1 };
        let shown = messages(&written(&call(window), &talk(), Format::Messages));
        assert_eq!(shown.as_array().unwrap().len(), 3);
    }

    #[test]
    fn for_a_model_the_messages_are_mended_and_it_is_told() {
        let talk = loaded(vec![
            user("pinned"),
            user("q"),
            assistant("", &["x"]),
            user("never mind"),
        ]);
        let written = written(&call(Window::Summarizing), &talk, Format::Converse);
        let shown = messages(&written);
        let roles: Vec<_> = shown
            .as_array()
            .unwrap()
            .iter()
            .map(|m| &m["role"])
            .collect();
        assert_eq!(roles, ["user", "assistant", "user"]);
        let texts: Vec<_> = shown[0]["content"]
            .as_array()
            .unwrap()
            .iter()
            .map(|b| &b["text"])
            .collect();
        assert_eq!(texts, [SUMMARY, "pinned", "q"]);
        assert_eq!(shown[2]["content"][0]["toolResult"]["toolUseId"], "x");
        let mended: Vec<_> = written.mended.into_iter().collect();
        assert_eq!(
            mended,
            [("blankText", 1), ("joined", 2), ("missingToolResult", 1)]
        );
    }

    #[test]
    fn tool_results_are_shortened_only_when_asked() {
        let long = "x".repeat(1_000);
        let talk = loaded(vec![
            user("pinned"),
            user("q"),
            assistant("a", &["x"]),
            result("x", &long),
        ]);
        let plain = call(Window::None);
        assert_eq!(Shown::new(&plain, &talk).shortened, 0);
        let asked = LoadCall {
            truncate_tool_results: true,
            ..plain
        };
        let shown = Shown::new(&asked, &talk);
        assert_eq!(shown.shortened, 1);
        assert!(
            (120..150).contains(&shown.tokens_saved(0)),
            "about 600 characters less"
        );
        let text = messages(&shown.write(Format::Messages, 0).unwrap())[3].to_string();
        assert!(
            text.len() < 700 && text.contains("... [truncated: 600"),
            "{text}"
        );
    }
}
