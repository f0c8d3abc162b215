//! A call of `summarize`, read and answered.

use std::time::Duration;

use conversation::{Ratio, SummarizeReason, SummarizeRequest, Summarized};
use serde::Serialize;

use crate::answer::ContextBody;
use crate::call::Call;
use crate::failure::Failure;
use crate::identity::Identity;
use crate::subject::Subject;
use crate::summary::SummaryBody;

/// What a caller of `summarize` asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct SummarizeCall {
    /// Whose conversation, and which.
    pub subject: Subject,
    /// On which branch; none is the main line.
    pub branch: Option<String>,
    /// Why.
    pub reason: SummarizeReason,
    /// The part of the messages to summarise.
    pub ratio: Ratio,
    /// How many of the newest messages stay; none leaves it to the reason.
    pub preserve_recent: Option<usize>,
    /// What the conversation should come down to; none leaves it to the reason.
    pub target_tokens: Option<u64>,
}

/// The fields of a summarize, by which schemas are checked.
pub const SUMMARIZE_FIELDS: &[&str] = &[
    "actorId",
    "sessionId",
    "userId",
    "agentId",
    "branch",
    "reason",
    "ratio",
    "preserveRecent",
    "targetTokens",
];

const REASONS: &[&str] = &["request", "overflow"];
/// More messages than any conversation has, and few enough for every machine.
const MOST: u64 = 1_000_000_000;

/// The answer to a summarize.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SummarizeBody<'a> {
    context: ContextBody<'a>,
    summary: Option<SummaryBody<'a>>,
    summarized: u64,
    head: Option<&'a str>,
}

impl SummarizeCall {
    /// Reads the call.
    ///
    /// # Errors
    /// A field is missing, misspelt or wrong, or the caller is not who it says.
    pub fn read(call: &Call<'_>, identity: &Identity) -> Result<Self, Failure> {
        let fields = call.fields(SUMMARIZE_FIELDS)?;
        let subject = Subject::of(call, identity, &fields)?;
        let meanings = [SummarizeReason::Request, SummarizeReason::Overflow];
        let preserve = fields.number("preserveRecent", 0, MOST)?;
        Ok(Self {
            subject,
            branch: fields.id("branch")?,
            reason: fields
                .word("reason", REASONS, &meanings)?
                .unwrap_or_default(),
            ratio: fields
                .thousandths("ratio")?
                .map_or(Ratio::DEFAULT, Ratio::thousandths),
            preserve_recent: preserve.and_then(|count| usize::try_from(count).ok()),
            target_tokens: fields.number("targetTokens", 1, MOST)?,
        })
    }

    /// The request to the domain, to be done within `deadline`.
    #[must_use]
    pub fn request(&self, memory: &str, deadline: Duration) -> SummarizeRequest {
        SummarizeRequest {
            conversation: self.subject.conversation(memory),
            branch: self.branch.as_deref().map(codec::ids::branch_name),
            reason: self.reason,
            ratio: self.ratio,
            preserve_recent: self.preserve_recent,
            target_tokens: self.target_tokens,
            deadline,
        }
    }

    /// Writes the answer.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub fn answer(&self, summarized: &Summarized) -> Result<String, Failure> {
        let body = SummarizeBody {
            context: ContextBody::new(&self.subject, &summarized.context),
            summary: summarized.context.summary.as_ref().map(SummaryBody::new),
            summarized: summarized.summarized,
            head: summarized.head.as_deref(),
        };
        serde_json::to_string(&body).map_err(|_| Failure::Unwritable)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use conversation::{Ratio, SummarizeReason};
    use serde_json::{Value, json};

    use super::SummarizeCall;
    use crate::call::Call;
    use crate::failure::Failure;
    use crate::identity::{ActorClaim, Identity};
    use crate::route::Operation;

    fn read(event: &Value) -> Result<SummarizeCall, Failure> {
        let text = event.to_string();
        let call = Call::read(Operation::Summarize, &text)?;
        SummarizeCall::read(&call, &Identity::Verified(ActorClaim::default()))
    }

    fn direct(more: &Value) -> Result<SummarizeCall, String> {
        let mut event = json!({"actorId": "a", "sessionId": "s"});
        for (key, value) in more.as_object().unwrap() {
            event[key] = value.clone();
        }
        read(&event).map_err(|failure| failure.to_string())
    }

    #[test]
    fn nothing_asked_is_the_usual() {
        let call = direct(&json!({})).unwrap();
        assert_eq!(
            (call.reason, call.ratio),
            (SummarizeReason::Request, Ratio::DEFAULT)
        );
        assert_eq!((call.preserve_recent, call.target_tokens), (None, None));
    }

    #[test]
    fn a_body_and_an_object_ask_the_same() {
        let fields = json!({
            "reason": "overflow",
            "ratio": 0.55,
            "preserve_recent": 4,
            "targetTokens": 5000,
            "branch": "b"
        });
        let http = read(&json!({
            "version": "2.0",
            "rawPath": "/v1/actors/a/sessions/s/summary",
            "requestContext": {"http": {"method": "POST"}, "authorizer": {"jwt": {"claims": {"sub": "a"}}}},
            "body": fields.to_string()
        }));
        let call = direct(&fields).unwrap();
        assert_eq!(http.unwrap(), call);
        assert_eq!(call.ratio, Ratio::thousandths(550));
        let request = call.request("m", Duration::from_secs(1));
        assert_eq!(request.reason, SummarizeReason::Overflow);
        assert_eq!(
            (request.preserve_recent, request.target_tokens),
            (Some(4), Some(5000))
        );
    }

    #[test]
    fn a_request_without_a_body_is_one() {
        let event = json!({
            "version": "2.0",
            "rawPath": "/v1/actors/a/sessions/s/summary",
            "requestContext": {"http": {"method": "POST"}, "authorizer": {"jwt": {"claims": {"sub": "a"}}}}
        });
        assert_eq!(read(&event).unwrap(), direct(&json!({})).unwrap());
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (more, expected) in [
            (
                json!({"reason": "whim"}),
                "/reason must be one of request, overflow",
            ),
            (json!({"ratio": 1.5}), "/ratio must be between 0 and 1"),
            (json!({"ratio": -0.1}), "/ratio must be between 0 and 1"),
            (json!({"ratio": "x"}), "/ratio must be a number"),
            (
                json!({"preserveRecent": -1}),
                "/preserveRecent must be a whole number",
            ),
            (
                json!({"targetTokens": 0}),
                "/targetTokens must be between 1 and 1000000000",
            ),
            (json!({"messages": []}), "/messages is not a known field"),
        ] {
            assert_eq!(direct(&more).unwrap_err(), expected, "{more}");
        }
    }
}
