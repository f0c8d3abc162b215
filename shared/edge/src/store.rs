//! A call of `store`, read.

use std::time::Duration;

use codec::model::{Content, Message, SystemMessage};
use conversation::ports::{StateWrite, SystemWrite};
use conversation::{StoreMode, StoreRequest, Stored};
use serde_json::Value;

use crate::answer::StoreBody;
use crate::call::Call;
use crate::failure::Failure;
use crate::fields::Fields;
use crate::format::{self, Format};
use crate::identity::Identity;
use crate::refusal::{Reason, Refusal, pointer};
use crate::subject::Subject;

/// What a caller of `store` asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct StoreCall {
    /// Whose conversation, and which.
    pub subject: Subject,
    /// On which branch; none is the main line.
    pub branch: Option<String>,
    /// What the messages are.
    pub mode: StoreMode,
    /// The messages.
    pub messages: Vec<Message>,
    /// A change of the system message.
    pub system: Option<SystemWrite>,
    /// Agent states to write.
    pub states: Vec<StateWrite>,
    /// The head the caller expects.
    pub head: Option<String>,
    /// The idempotency key.
    pub key: Option<String>,
}

/// The fields of a store, by which schemas are checked.
pub const STORE_FIELDS: &[&str] = &[
    "actorId",
    "sessionId",
    "userId",
    "agentId",
    "branch",
    "messages",
    "format",
    "mode",
    "systemMessage",
    "head",
    "idempotencyKey",
    "state",
];

const MODES: &[&str] = &["append", "sync"];
const MAX_KEY_CHARS: usize = 255;

impl StoreCall {
    /// Reads the call.
    ///
    /// # Errors
    /// A field is missing, misspelt or wrong, or the caller is not who it says.
    pub fn read(call: &Call<'_>, identity: &Identity) -> Result<Self, Failure> {
        let fields = call.fields(STORE_FIELDS)?;
        let subject = Subject::of(call, identity, &fields)?;
        let format = fields
            .word("format", format::STORE_WORDS, format::MEANINGS)?
            .unwrap_or_default();
        let mode = fields.word("mode", MODES, &[StoreMode::Append, StoreMode::Sync])?;
        let store = Self {
            subject,
            branch: fields.id("branch")?,
            mode: mode.unwrap_or_default(),
            messages: messages(&fields, format)?,
            system: system(&fields)?,
            states: states(&fields)?,
            head: fields.id("head")?,
            key: key(call, &fields)?,
        };
        if store.messages.is_empty() && store.system.is_none() && store.states.is_empty() {
            return Err(Refusal::field("messages", Reason::Missing).into());
        }
        Ok(store)
    }

    /// Writes the answer.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub fn answer(subject: &Subject, stored: &Stored) -> Result<String, Failure> {
        serde_json::to_string(&StoreBody::new(subject, stored)).map_err(|_| Failure::Unwritable)
    }

    /// The request to the domain, to be done within `deadline`.
    #[must_use]
    pub fn request(self, memory: &str, deadline: Duration) -> StoreRequest {
        StoreRequest {
            conversation: self.subject.conversation(memory),
            branch: self.branch.map(|name| codec::ids::branch_name(&name)),
            mode: self.mode,
            messages: self.messages,
            system: self.system,
            states: self.states,
            head: self.head,
            key: self.key,
            deadline,
        }
    }
}

fn messages(fields: &Fields<'_>, format: Format) -> Result<Vec<Message>, Refusal> {
    match fields.list("messages", format::EXPECTED)? {
        Some(value) => format.read(value),
        None => Ok(Vec::new()),
    }
}

/// A text, a system message of the model, or an empty text to remove the one that is kept.
fn system(fields: &Fields<'_>) -> Result<Option<SystemWrite>, Refusal> {
    let refused = |reason| Err(Refusal::field("systemMessage", reason));
    match fields.value("systemMessage")? {
        None => Ok(None),
        Some(Value::String(text)) if text.is_empty() => Ok(Some(SystemWrite::Remove)),
        Some(Value::String(text)) => Ok(Some(SystemWrite::Put(SystemMessage {
            content: vec![Content::text(text)],
            ..SystemMessage::default()
        }))),
        Some(value @ Value::Object(_)) => {
            let message =
                format::model(value).map_err(|refusal| refusal.below("/systemMessage"))?;
            match message {
                Message::System(message) => Ok(Some(SystemWrite::Put(message))),
                Message::User(_) | Message::Assistant(_) | Message::ToolResult(_) => {
                    let expected = "a text or a message with role system";
                    refused(Reason::WrongType { expected })
                }
            }
        }
        Some(_) => refused(Reason::WrongType {
            expected: "a text or a message with role system",
        }),
    }
}

/// The states by agent id, in the form answers have: `{"agent": {"value": {…}, "version": 3}}`. The version
/// is the one the caller expects; without it the write is unconditional.
fn states(fields: &Fields<'_>) -> Result<Vec<StateWrite>, Refusal> {
    let Some(value) = fields.value("state")? else {
        return Ok(Vec::new());
    };
    let wrong = |names: &[&str], expected| Refusal {
        pointer: pointer(names),
        reason: Reason::WrongType { expected },
    };
    let Value::Object(agents) = value else {
        return Err(wrong(&["state"], "an object of agent ids"));
    };
    let mut states = Vec::with_capacity(agents.len());
    for (agent, state) in agents {
        let Value::Object(mut state) = state else {
            return Err(wrong(
                &["state", &agent],
                "an object with value and version",
            ));
        };
        let Some(Value::Object(value)) = state.shift_remove("value") else {
            return Err(wrong(&["state", &agent, "value"], "an object"));
        };
        let expected_version = match state.shift_remove("version") {
            None | Some(Value::Null) => None,
            Some(version) => {
                let number = version.as_u64();
                Some(number.ok_or_else(|| wrong(&["state", &agent, "version"], "a whole number"))?)
            }
        };
        if let Some(unknown) = state.keys().next() {
            return Err(Refusal {
                pointer: pointer(&["state", &agent, unknown]),
                reason: Reason::Unknown {
                    suggestion: crate::spelling::nearest(&["value", "version"], unknown),
                },
            });
        }
        states.push(StateWrite {
            agent,
            value,
            expected_version,
        });
    }
    Ok(states)
}

/// The key from the header or the field. Both may be given if they agree.
fn key(call: &Call<'_>, fields: &Fields<'_>) -> Result<Option<String>, Refusal> {
    let field = fields.id("idempotencyKey")?;
    let header = call.header("idempotency-key").map(str::to_owned);
    let refused = |reason| Err(Refusal::field("idempotencyKey", reason));
    match (field, header) {
        (Some(field), Some(header)) if field != header => refused(Reason::Repeated),
        (_, Some(header)) if header.is_empty() => refused(Reason::Empty),
        (field, header) => match field.or(header) {
            Some(key) if key.chars().count() > MAX_KEY_CHARS => {
                refused(Reason::Unsupported("is too long"))
            }
            key => Ok(key),
        },
    }
}

#[cfg(test)]
mod tests {
    use codec::model::{Content, Message};
    use conversation::StoreMode;
    use conversation::ports::{StateWrite, SystemWrite};
    use serde_json::{Value, json};

    use super::StoreCall;
    use crate::call::Call;
    use crate::failure::Failure;
    use crate::identity::{ActorClaim, Identity};
    use crate::route::Operation;

    fn read(event: &Value) -> Result<StoreCall, Failure> {
        let text = event.to_string();
        let call = Call::read(Operation::Store, &text)?;
        StoreCall::read(&call, &Identity::Verified(ActorClaim::default()))
    }

    fn direct(more: &Value) -> Result<StoreCall, String> {
        let mut event = json!({"actorId": "a", "sessionId": "s"});
        for (key, value) in more.as_object().unwrap() {
            event[key] = value.clone();
        }
        read(&event).map_err(|failure| failure.to_string())
    }

    fn hello() -> Value {
        json!([{"role": "user", "content": [{"type": "text", "text": "hello"}]}])
    }

    #[test]
    fn a_turn_is_read_in_either_format() {
        let model = direct(&json!({"messages": hello()})).unwrap();
        let converse = json!([{"role": "user", "content": [{"text": "hello"}]}]);
        let converse = direct(&json!({"messages": converse, "format": "converse"})).unwrap();
        for call in [model, converse] {
            let Message::User(user) = &call.messages[0] else {
                panic!("a user message")
            };
            assert_eq!(user.content, [Content::text("hello")]);
            assert_eq!(call.mode, StoreMode::Append);
        }
    }

    #[test]
    fn everything_can_be_given() {
        let call = direct(&json!({
            "messages": hello(),
            "mode": "sync",
            "systemMessage": "be kind",
            "head": "token",
            "idempotency_key": "k",
            "branch": "b",
            "state": {"agent": {"value": {"n": 1}, "version": 2}, "other": {"value": {}}}
        }))
        .unwrap();
        assert_eq!(call.mode, StoreMode::Sync);
        assert_eq!(
            (call.head.as_deref(), call.key.as_deref()),
            (Some("token"), Some("k"))
        );
        let Some(SystemWrite::Put(system)) = call.system else {
            panic!("a system message")
        };
        assert_eq!(system.content, [Content::text("be kind")]);
        let state = |agent: &str, value: Value, expected_version| StateWrite {
            agent: agent.to_owned(),
            value: value.as_object().unwrap().clone(),
            expected_version,
        };
        assert_eq!(
            call.states,
            [
                state("agent", json!({"n": 1}), Some(2)),
                state("other", json!({}), None)
            ]
        );
    }

    #[test]
    fn an_empty_system_message_removes_it() {
        let call = direct(&json!({"systemMessage": ""})).unwrap();
        assert_eq!(call.system, Some(SystemWrite::Remove));
        let message = json!({"role": "system", "content": [{"type": "text", "text": "x"}]});
        let call = direct(&json!({"systemMessage": message})).unwrap();
        assert!(matches!(call.system, Some(SystemWrite::Put(_))));
    }

    #[test]
    fn the_key_may_come_as_a_header() {
        let event = |body: Value| {
            json!({
                "httpMethod": "POST",
                "path": "/v1/actors/a/sessions/s/messages",
                "headers": {"Idempotency-Key": "k"},
                "requestContext": {"authorizer": {"claims": {"sub": "a"}}},
                "body": body.to_string()
            })
        };
        assert_eq!(
            read(&event(json!({"messages": hello()})))
                .unwrap()
                .key
                .as_deref(),
            Some("k")
        );
        let both = json!({"messages": hello(), "idempotencyKey": "k"});
        assert_eq!(read(&event(both)).unwrap().key.as_deref(), Some("k"));
        let other = json!({"messages": hello(), "idempotencyKey": "l"});
        assert_eq!(
            read(&event(other)).unwrap_err().to_string(),
            "/idempotencyKey is given more than once"
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let long = "k".repeat(256);
        for (more, expected) in [
            (json!({}), "/messages is required"),
            (json!({"messages": []}), "/messages is required"),
            (
                json!({"messages": {}}),
                "/messages must be an array of messages",
            ),
            (
                json!({"messages": hello(), "mode": "replace"}),
                "/mode must be one of append, sync",
            ),
            (
                json!({"messages": hello(), "format": "prompt"}),
                "/format must be one of messages, converse",
            ),
            (
                json!({"messages": hello(), "idempotencyKey": long}),
                "/idempotencyKey is too long",
            ),
            (
                json!({"systemMessage": 5}),
                "/systemMessage must be a text or a message with role system",
            ),
            (
                json!({"systemMessage": {"role": "user", "content": []}}),
                "/systemMessage must be a text or a message with role system",
            ),
            (
                json!({"state": []}),
                "/state must be an object of agent ids",
            ),
            (
                json!({"state": {"a/b": 1}}),
                "/state/a~1b must be an object with value and version",
            ),
            (
                json!({"state": {"a": {"value": 1}}}),
                "/state/a/value must be an object",
            ),
            (
                json!({"state": {"a": {"value": {}, "version": "1"}}}),
                "/state/a/version must be a whole number",
            ),
            (
                json!({"state": {"a": {"value": {}, "verson": 1}}}),
                "/state/a/verson is not a known field, did you mean version?",
            ),
        ] {
            assert_eq!(direct(&more).unwrap_err(), expected, "{more}");
        }
        for (messages, place) in [
            (json!([{"role": "pirate"}]), "/messages/0/role "),
            (json!([hello()[0], 5]), "/messages/1 "),
            (
                json!([{"role": "user", "content": "text"}]),
                "/messages/0/content ",
            ),
        ] {
            let refused = direct(&json!({"messages": messages})).unwrap_err();
            assert!(refused.starts_with(place), "{refused}");
        }
        let refused =
            direct(&json!({"messages": [{"role": "tool"}], "format": "converse"})).unwrap_err();
        assert!(refused.starts_with("/messages/0/role "), "{refused}");
    }
}
