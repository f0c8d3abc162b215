//! Who is speaking. Over HTTP that is what the gateway verified, and nothing else; a caller that names
//! somebody else is turned away. A direct invocation is guarded by IAM and may name the actor.

use std::str::FromStr;

use codec::model::Object;
use thiserror::Error;

use crate::call::Call;
#[cfg(feature = "development")]
use crate::development::Development;
use crate::failure::Failure;

/// Where the actor of an HTTP request is taken from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// What an authorizer of the gateway verified.
    Verified(ActorClaim),
    /// What the caller says, on a developer's own machine.
    #[cfg(feature = "development")]
    Development(Development),
}

/// Which of the verified facts names the actor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActorClaim {
    /// A claim of the JSON web token.
    Token(String),
    /// The IAM caller's ARN (`iam:userArn`).
    IamArn,
    /// The IAM caller's unique id (`iam:caller`).
    IamCaller,
    /// A value a Lambda authorizer returned (`lambda:…`).
    Lambda(String),
}

/// The setting names no claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("must be a claim's name, iam:userArn, iam:caller or lambda:<key>")]
pub struct NotAnActorClaim;

impl Identity {
    /// The actor of a call over HTTP, or none for a direct one, which names its own.
    ///
    /// # Errors
    /// Nothing was verified (unauthenticated), or not what is asked for (forbidden).
    pub(crate) fn verified(&self, call: &Call<'_>) -> Result<Option<String>, Failure> {
        if !call.source.is_http() {
            return Ok(None);
        }
        let actor = match self {
            Self::Verified(claim) => claim.actor(call)?,
            #[cfg(feature = "development")]
            Self::Development(development) => {
                development.actor(call).ok_or(Failure::Unauthenticated)?
            }
        };
        Ok(Some(actor))
    }
}

impl ActorClaim {
    fn actor(&self, call: &Call<'_>) -> Result<String, Failure> {
        let principal = &call.principal;
        let (facts, names): (_, &[&str]) = match self {
            Self::Token(name) => (&principal.claims, &[name.as_str()]),
            Self::IamArn => (&principal.iam, &["userArn"]),
            // The two payload formats name the same fact differently.
            Self::IamCaller => (&principal.iam, &["callerId", "caller"]),
            Self::Lambda(name) => (&principal.lambda, &[name.as_str()]),
        };
        let facts = facts.as_ref().ok_or(Failure::Unauthenticated)?;
        names
            .iter()
            .find_map(|name| text(facts, name))
            .ok_or(Failure::NoActorClaim)
    }
}

fn text(facts: &Object, name: &str) -> Option<String> {
    let text = facts.get(name)?.as_str()?;
    (!text.is_empty()).then(|| text.to_owned())
}

impl Default for ActorClaim {
    fn default() -> Self {
        Self::Token("sub".to_owned())
    }
}

impl FromStr for ActorClaim {
    type Err = NotAnActorClaim;

    fn from_str(text: &str) -> Result<Self, NotAnActorClaim> {
        match text.split_once(':') {
            None if text.is_empty() => Err(NotAnActorClaim),
            Some(("iam", "userArn")) => Ok(Self::IamArn),
            Some(("iam", "caller")) => Ok(Self::IamCaller),
            Some(("iam", _) | ("lambda", "")) => Err(NotAnActorClaim),
            Some(("lambda", key)) => Ok(Self::Lambda(key.to_owned())),
            // Cognito's own claims have a colon in them (`cognito:username`).
            None | Some(_) => Ok(Self::Token(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ActorClaim, Identity};
    use crate::call::Call;
    use crate::route::Operation;

    fn actor(claim: &str, context: &Value) -> Result<Option<String>, String> {
        let event = json!({"version": "2.0", "rawPath": "/v1/actors/a/sessions/s", "requestContext": context});
        verified(claim, &event)
    }

    fn rest_actor(claim: &str, context: &Value) -> Result<Option<String>, String> {
        let event = json!({"httpMethod": "GET", "path": "/v1/actors/a/sessions/s", "requestContext": context});
        verified(claim, &event)
    }

    fn verified(claim: &str, event: &Value) -> Result<Option<String>, String> {
        let text = event.to_string();
        let call = Call::read(Operation::Load, &text).map_err(|failure| failure.to_string())?;
        let identity = Identity::Verified(claim.parse().unwrap());
        identity
            .verified(&call)
            .map_err(|failure| failure.to_string())
    }

    fn context(authorizer: &Value) -> Value {
        json!({"http": {"method": "GET"}, "authorizer": authorizer})
    }

    #[test]
    fn the_actor_is_the_verified_claim() {
        let jwt = context(&json!({"jwt": {"claims": {"sub": "a", "cognito:username": "b"}}}));
        assert_eq!(actor("sub", &jwt).unwrap().unwrap(), "a");
        assert_eq!(actor("cognito:username", &jwt).unwrap().unwrap(), "b");
        let rest = json!({"authorizer": {"claims": {"sub": "a"}, "principalId": "p"}});
        assert_eq!(rest_actor("sub", &rest).unwrap().unwrap(), "a");
        assert_eq!(
            rest_actor("lambda:principalId", &rest).unwrap().unwrap(),
            "p"
        );
        let lambda = context(&json!({"lambda": {"tenant": "t"}}));
        assert_eq!(actor("lambda:tenant", &lambda).unwrap().unwrap(), "t");
    }

    #[test]
    fn iam_counts_only_where_it_is_asked_for() {
        let iam = context(&json!({"iam": {"userArn": "arn", "callerId": "c"}}));
        assert_eq!(actor("iam:userArn", &iam).unwrap().unwrap(), "arn");
        assert_eq!(actor("iam:caller", &iam).unwrap().unwrap(), "c");
        assert_eq!(actor("sub", &iam).unwrap_err(), "no verified identity");
        let rest = json!({"identity": {"userArn": "arn", "caller": "c"}});
        assert_eq!(rest_actor("iam:caller", &rest).unwrap().unwrap(), "c");
        assert_eq!(
            rest_actor("sub", &rest).unwrap_err(),
            "no verified identity"
        );
    }

    #[test]
    fn without_a_usable_claim_the_door_stays_shut() {
        let closed = "the verified identity has no actor";
        for claims in [
            json!({}),
            json!({"sub": ""}),
            json!({"sub": 7}),
            json!({"sub": ["a"]}),
            json!({"Sub": "a"}),
        ] {
            let context = context(&json!({"jwt": {"claims": claims}}));
            assert_eq!(actor("sub", &context).unwrap_err(), closed, "{context}");
        }
        for authorizer in [
            json!(null),
            json!({}),
            json!({"jwt": null}),
            json!({"claims": {"sub": "a"}}),
        ] {
            assert_eq!(
                actor("sub", &context(&authorizer)).unwrap_err(),
                "no verified identity",
                "{authorizer}"
            );
        }
    }

    #[test]
    fn a_direct_call_names_its_own_actor() {
        assert_eq!(verified("sub", &json!({"actorId": "a"})).unwrap(), None);
    }

    #[test]
    fn the_setting_is_checked() {
        assert_eq!("sub".parse(), Ok(ActorClaim::default()));
        for bad in ["", "iam:", "iam:accountId", "lambda:"] {
            assert!(bad.parse::<ActorClaim>().is_err(), "{bad}");
        }
    }
}
