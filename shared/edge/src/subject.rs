//! Whose conversation a call is about, and which.

use codec::ids;
use conversation::Conversation;

use crate::call::Call;
use crate::failure::Failure;
use crate::fields::Fields;
use crate::identity::Identity;
use crate::refusal::{Reason, Refusal};

/// The actor and the session as the caller names them. Answers repeat these names, so that what comes back
/// can be sent again; only the services see their encoded forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Whose conversation.
    pub actor: String,
    /// Which of theirs.
    pub session: String,
}

impl Subject {
    /// The subject of a call: over HTTP the verified actor and the path's session, in a direct call what the
    /// fields say.
    pub(crate) fn of(
        call: &Call<'_>,
        identity: &Identity,
        fields: &Fields<'_>,
    ) -> Result<Self, Failure> {
        let actor = fields.id("actorId")?;
        let user = fields.id("userId")?;
        let session = fields.id("sessionId")?;
        let agent = fields.id("agentId")?;
        match (identity.verified(call)?, &call.ids) {
            (Some(verified), Some(path)) => {
                let named = [Some(&path.actor), actor.as_ref(), user.as_ref()];
                // Before anything else is said about the request: what exists is nobody else's business.
                if named.into_iter().flatten().any(|name| *name != verified) {
                    return Err(Failure::OtherActor);
                }
                if session.is_some_and(|session| session != path.session) {
                    return Err(Refusal::field("sessionId", Reason::DiffersFromPath).into());
                }
                Ok(Self {
                    actor: verified,
                    session: path.session.clone(),
                })
            }
            (None, None) => Self::named(actor, user, session, agent),
            // A verified actor without a path, or a path nobody verified: neither is a way in.
            _ => Err(Failure::Unauthenticated),
        }
    }

    /// The defaults of the hook pattern: an actor is a user, and a user's conversation with an agent is the
    /// default one.
    fn named(
        actor: Option<String>,
        user: Option<String>,
        session: Option<String>,
        agent: Option<String>,
    ) -> Result<Self, Failure> {
        let missing = |name| Refusal::field(name, Reason::Missing);
        let session = match (session, &user, agent) {
            (Some(session), _, _) => session,
            (None, Some(user), Some(agent)) => format!("{user}_{agent}_default"),
            (None, _, _) => return Err(missing("sessionId").into()),
        };
        let actor = actor.or(user).ok_or_else(|| missing("actorId"))?;
        Ok(Self { actor, session })
    }

    /// The conversation in the services' alphabet. Different names never share one.
    #[must_use]
    pub fn conversation(&self, memory: &str) -> Conversation {
        Conversation {
            memory: memory.to_owned(),
            actor: ids::actor_id(&self.actor),
            session: ids::session_id(&self.session),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Subject;
    use crate::call::Call;
    use crate::failure::Failure;
    use crate::identity::{ActorClaim, Identity};
    use crate::route::Operation;

    const FIELDS: &[&str] = &["actorId", "sessionId", "userId", "agentId"];

    fn subject(event: &Value) -> Result<Subject, Failure> {
        let text = event.to_string();
        let call = Call::read(Operation::Store, &text)?;
        let identity = Identity::Verified(ActorClaim::default());
        Subject::of(&call, &identity, &call.fields(FIELDS)?)
    }

    fn http(actor: &str, claims: &Value, body: &Value) -> Value {
        json!({
            "httpMethod": "POST",
            "path": format!("/v1/actors/{actor}/sessions/s/messages"),
            "requestContext": {"authorizer": {"claims": claims}},
            "body": body.to_string()
        })
    }

    fn names(subject: Result<Subject, Failure>) -> Result<(String, String), String> {
        subject
            .map(|given| (given.actor, given.session))
            .map_err(|failure| failure.to_string())
    }

    fn pair(actor: &str, session: &str) -> (String, String) {
        (actor.to_owned(), session.to_owned())
    }

    #[test]
    fn a_direct_call_falls_back_to_user_and_agent() {
        for (event, expected) in [
            (
                json!({"actorId": "a", "sessionId": "s"}),
                Ok(pair("a", "s")),
            ),
            (
                json!({"actor_id": "a", "user_id": "u", "session_id": "s"}),
                Ok(pair("a", "s")),
            ),
            (json!({"userId": "u", "sessionId": "s"}), Ok(pair("u", "s"))),
            (
                json!({"userId": "u", "agentId": "g"}),
                Ok(pair("u", "u_g_default")),
            ),
            (
                json!({"actorId": "a", "userId": "u", "agentId": "g"}),
                Ok(pair("a", "u_g_default")),
            ),
            (
                json!({"sessionId": "s"}),
                Err("/actorId is required".to_owned()),
            ),
            (
                json!({"actorId": "a"}),
                Err("/sessionId is required".to_owned()),
            ),
            (
                json!({"actorId": "a", "agentId": "g"}),
                Err("/sessionId is required".to_owned()),
            ),
            (
                json!({"actorId": "", "sessionId": "s"}),
                Err("/actorId must not be empty".to_owned()),
            ),
        ] {
            assert_eq!(names(subject(&event)), expected, "{event}");
        }
    }

    #[test]
    fn over_http_only_the_verified_actor_gets_in() {
        let me = json!({"sub": "me"});
        assert_eq!(
            names(subject(&http("me", &me, &json!({})))),
            Ok(pair("me", "s"))
        );
        assert_eq!(
            names(subject(&http("me", &me, &json!({"actorId": "me"})))),
            Ok(pair("me", "s"))
        );
        for (actor, body) in [
            ("you", json!({})),
            ("me", json!({"actorId": "you"})),
            ("me", json!({"actor_id": "you"})),
            ("me", json!({"userId": "you"})),
            ("ME", json!({})),
            ("me%00", json!({})),
            ("me%2F..%2Fme", json!({})),
        ] {
            assert_eq!(
                subject(&http(actor, &me, &body)),
                Err(Failure::OtherActor),
                "{actor} {body}"
            );
        }
        assert_eq!(
            subject(&http("me", &Value::Null, &json!({}))),
            Err(Failure::Unauthenticated)
        );
        let other = subject(&http("me", &me, &json!({"sessionId": "other"})));
        assert_eq!(
            other.unwrap_err().to_string(),
            "/sessionId differs from the one in the path"
        );
    }

    #[test]
    fn different_names_stay_different_conversations() {
        let tricks = [
            "a", "A", "a:b", "a/b", "a|b", "a@b", "a.b", "a b", "ä", "a%2Fb", "", " ",
        ];
        let mut seen = std::collections::BTreeSet::new();
        for actor in tricks {
            for session in tricks {
                let subject = Subject {
                    actor: actor.to_owned(),
                    session: session.to_owned(),
                };
                assert!(
                    seen.insert(subject.conversation("m")),
                    "{actor:?} {session:?}"
                );
            }
        }
    }
}
