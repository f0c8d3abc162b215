//! A call of `load`, read.

use std::time::Duration;

use codec::Mode;
use conversation::LoadRequest;

use crate::call::Call;
use crate::failure::Failure;
use crate::format::{self, Format};
use crate::identity::Identity;
use crate::subject::Subject;
use crate::window::Window;

/// What a caller of `load` asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadCall {
    /// Whose conversation, and which.
    pub subject: Subject,
    /// On which branch; none is the main line.
    pub branch: Option<String>,
    /// How much of its end, policy by policy.
    pub window: Vec<Window>,
    /// How the messages are to be written.
    pub format: Format,
    /// The most bytes the answer's body may have; none leaves it to the trigger.
    pub max_bytes: Option<usize>,
    /// Whether a stored event that cannot be read is an error rather than a line in the report.
    pub strict: bool,
    /// Whether long tool results are shown by their two ends.
    pub truncate_tool_results: bool,
}

/// The fields of a load, by which schemas are checked.
pub const LOAD_FIELDS: &[&str] = &[
    "actorId",
    "sessionId",
    "userId",
    "agentId",
    "branch",
    "window",
    "format",
    "maxBytes",
    "strict",
    "truncateToolResults",
];

/// The least that can be asked for with `maxBytes`: room for the context and a report.
const MIN_BYTES: u64 = 1_024;

impl LoadCall {
    /// Reads the call.
    ///
    /// # Errors
    /// A field is missing, misspelt or wrong, or the caller is not who it says.
    pub fn read(call: &Call<'_>, identity: &Identity) -> Result<Self, Failure> {
        let fields = call.fields(LOAD_FIELDS)?;
        let subject = Subject::of(call, identity, &fields)?;
        let window = match fields.value("window")? {
            Some(value) => Window::list(&value)?,
            None => vec![Window::DEFAULT],
        };
        let max_bytes = fields.number("maxBytes", MIN_BYTES, u64::from(u32::MAX))?;
        Ok(Self {
            subject,
            branch: fields.id("branch")?,
            window,
            format: fields
                .word("format", format::WORDS, format::MEANINGS)?
                .unwrap_or_default(),
            max_bytes: max_bytes.and_then(|bytes| usize::try_from(bytes).ok()),
            strict: fields.flag("strict")?.unwrap_or_default(),
            truncate_tool_results: fields.flag("truncateToolResults")?.unwrap_or_default(),
        })
    }

    /// The request to the domain, to be done within `deadline`.
    #[must_use]
    pub fn request(&self, memory: &str, deadline: Duration) -> LoadRequest {
        LoadRequest {
            conversation: self.subject.conversation(memory),
            branch: self.branch.as_deref().map(codec::ids::branch_name),
            window: self.window.iter().map(|window| window.policy()).collect(),
            mode: if self.strict {
                Mode::Strict
            } else {
                Mode::Lenient
            },
            deadline,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use codec::Mode;
    use conversation::{Policy, SlidingRule};
    use serde_json::{Value, json};

    use super::LoadCall;
    use crate::call::Call;
    use crate::failure::Failure;
    use crate::format::Format;
    use crate::identity::{ActorClaim, Identity};
    use crate::route::Operation;
    use crate::window::Window;

    fn read(event: &Value) -> Result<LoadCall, Failure> {
        let text = event.to_string();
        let call = Call::read(Operation::Load, &text)?;
        LoadCall::read(&call, &Identity::Verified(ActorClaim::default()))
    }

    fn direct(more: &Value) -> Result<LoadCall, String> {
        let mut event = json!({"actorId": "a", "sessionId": "s"});
        for (key, value) in more.as_object().unwrap() {
            event[key] = value.clone();
        }
        read(&event).map_err(|failure| failure.to_string())
    }

    #[test]
    fn nothing_asked_is_the_last_ten_turns() {
        let call = direct(&json!({})).unwrap();
        assert_eq!(call.window, [Window::Turns { size: 10 }]);
        assert_eq!(
            (call.format, call.strict, call.max_bytes),
            (Format::Messages, false, None)
        );
    }

    #[test]
    fn a_query_asks_the_same_as_an_object() {
        let http = read(&json!({
            "version": "2.0",
            "rawPath": "/v1/actors/a/sessions/s",
            "rawQueryString": "window=turns:3,tokens:900&format=prompt&max_bytes=4096&strict=true&branch=b&truncate_tool_results=true",
            "requestContext": {"http": {"method": "GET"}, "authorizer": {"jwt": {"claims": {"sub": "a"}}}}
        }));
        let object = direct(&json!({
            "window": [{"type": "turns", "size": 3}, {"type": "tokens", "size": 900}],
            "truncateToolResults": true,
            "format": "prompt",
            "maxBytes": 4096,
            "strict": true,
            "branch": "b"
        }));
        assert_eq!(http.unwrap(), object.unwrap());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (more, expected) in [
            (
                json!({"format": "xml"}),
                "/format must be one of messages, converse, prompt",
            ),
            (
                json!({"maxBytes": 10}),
                "/maxBytes must be between 1024 and 4294967295",
            ),
            (json!({"strict": 1}), "/strict must be true or false"),
            (json!({"branch": ""}), "/branch must not be empty"),
            (
                json!({"windows": "none"}),
                "/windows is not a known field, did you mean window?",
            ),
            (json!({"messages": []}), "/messages is not a known field"),
        ] {
            assert_eq!(direct(&more).unwrap_err(), expected, "{more}");
        }
    }

    #[test]
    fn the_domain_is_asked_in_its_own_words() {
        let call = direct(&json!({"window": "none", "strict": true, "branch": "b c"})).unwrap();
        let request = call.request("m", Duration::from_secs(1));
        assert_eq!(request.window, [Policy::None]);
        let call = direct(&json!({"window": "summarizing,tokens:9,sliding:7:camunda,sliding"}));
        let request = call.unwrap().request("m", Duration::from_secs(1));
        let camunda = SlidingRule::Camunda { system: false };
        let sliding = |size, rule| Policy::Sliding { size, rule };
        assert_eq!(
            request.window,
            [
                Policy::Summarizing,
                Policy::Tokens { budget: 9 },
                sliding(7, camunda),
                sliding(40, SlidingRule::Strands),
            ]
        );
        let call = direct(&json!({"window": "none", "strict": true, "branch": "b c"})).unwrap();
        let request = call.request("m", Duration::from_secs(1));
        assert_eq!(request.mode, Mode::Strict);
        assert_eq!(request.conversation.memory, "m");
        assert_ne!(
            request.branch.as_deref(),
            Some("b c"),
            "a space is outside the alphabet"
        );
    }
}
