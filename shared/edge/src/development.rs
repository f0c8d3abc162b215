//! The identity of a local run: it believes what the caller says, so it must never reach a deployment.
//! The type exists only with the crate's `development` feature, which only the local run turns on.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

use crate::call::Call;

/// Believes the header `x-actor-id`, or the `sub` of an unsigned token (`alg` `none`) in `authorization`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Development(());

impl Development {
    /// The identity for a server on loopback; any other address is refused.
    #[must_use]
    pub fn on(address: std::net::IpAddr) -> Option<Self> {
        address.is_loopback().then_some(Self(()))
    }

    #[allow(clippy::unused_self, reason = "only who holds the value may ask")]
    pub(crate) fn actor(self, call: &Call<'_>) -> Option<String> {
        if let Some(actor) = call.header("x-actor-id") {
            return (!actor.is_empty()).then(|| actor.to_owned());
        }
        unsigned_subject(call.header("authorization")?)
    }
}

/// The subject of a token that is openly unsigned. A signed one cannot be checked here, and is refused
/// rather than believed.
fn unsigned_subject(authorization: &str) -> Option<String> {
    let token = authorization.strip_prefix("Bearer ")?;
    let mut parts = token.split('.');
    let header = json(parts.next()?)?;
    let claims = json(parts.next()?)?;
    let signature = parts.next().unwrap_or_default();
    let is_unsigned = signature.is_empty() && header.get("alg")?.as_str()? == "none";
    let subject = claims.get("sub")?.as_str()?;
    (is_unsigned && !subject.is_empty()).then(|| subject.to_owned())
}

fn json(part: &str) -> Option<Value> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use serde_json::{Value, json};

    use super::Development;
    use crate::call::Call;
    use crate::route::Operation;

    fn token(alg: &str, subject: &str, signature: &str) -> String {
        let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
        format!(
            "Bearer {}.{}.{signature}",
            part(json!({"alg": alg})),
            part(json!({"sub": subject}))
        )
    }

    fn actor(headers: &Value) -> Option<String> {
        let event = json!({"version": "2.0", "rawPath": "/v1/actors/path/sessions/s", "headers": headers,
            "requestContext": {"http": {"method": "GET"}}});
        let text = event.to_string();
        let call = Call::read(Operation::Load, &text).unwrap();
        Development::on([127, 0, 0, 1].into()).unwrap().actor(&call)
    }

    #[test]
    fn the_caller_is_believed_on_loopback_alone() {
        assert!(Development::on([10, 0, 0, 1].into()).is_none());
        assert_eq!(actor(&json!({})), None);
        assert_eq!(actor(&json!({"X-Actor-Id": "me"})).as_deref(), Some("me"));
        assert_eq!(
            actor(&json!({"authorization": token("none", "me", "")})).as_deref(),
            Some("me")
        );
    }

    #[test]
    fn a_signed_token_is_not_believed() {
        assert_eq!(
            actor(&json!({"authorization": token("RS256", "me", "c2ln")})),
            None
        );
        assert_eq!(
            actor(&json!({"authorization": token("none", "me", "c2ln")})),
            None
        );
        assert_eq!(actor(&json!({"authorization": "Basic eA=="})), None);
        assert_eq!(actor(&json!({"x-actor-id": ""})), None);
    }
}
