//! Tells the ways a function is called apart, and makes one [`Call`] of each.
//!
//! | trigger | told by | path ids |
//! |---|---|---|
//! | HTTP API, payload 2.0 | `requestContext` and `rawPath` | decoded by the gateway |
//! | HTTP API, payload 1.0 | `requestContext`, `httpMethod`, `version` | decoded by the gateway |
//! | REST API | `requestContext` and `httpMethod` | decoded here |
//! | Function URL | as payload 2.0, domain `….lambda-url.…` | decoded here |
//! | anything else: Step Functions, a test event, an SDK | | fields of the object itself |
//!
//! Decoding once, and only once, matters: twice would let two different ids name one session.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use codec::model::Object;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::call::{Call, Principal, Source};
use crate::failure::Failure;
use crate::literal::Said;
use crate::members::Members;
use crate::percent;
use crate::refusal::{Reason, Refusal};
use crate::route::{Operation, PathIds};
use crate::values::Values;

/// The most bytes an invocation may carry: what Lambda itself takes in a synchronous call.
pub const MAX_PAYLOAD_BYTES: usize = 6_291_556;

impl<'a> Call<'a> {
    /// Reads an invocation of the function that does `operation`.
    ///
    /// # Errors
    /// The payload is too large or no JSON object, or its path or method belongs to something else.
    pub fn read(operation: Operation, payload: &'a str) -> Result<Self, Failure> {
        Payload::recognize(payload).call(operation)
    }
}

/// A payload of which is known how it came, so that even a failure to read it is answered that way.
pub(crate) struct Payload<'a> {
    text: &'a str,
    /// The members of a gateway's event, and whether they are those of payload 2.0.
    gateway: Option<(Parts<'a>, bool)>,
}

type Parts<'a> = Vec<(String, &'a str)>;

impl<'a> Payload<'a> {
    /// Looks at a payload. What is no object is direct: its fields will say what is wrong with it.
    pub(crate) fn recognize(text: &'a str) -> Self {
        // Beyond this size nothing is looked at, whatever it costs in politeness.
        let gateway = (text.len() <= 4 * MAX_PAYLOAD_BYTES)
            .then(|| gateway(text))
            .flatten();
        Self { text, gateway }
    }

    /// How it came.
    pub(crate) fn source(&self) -> Source {
        match self.gateway {
            Some((_, true)) => Source::HttpApi,
            Some((_, false)) => Source::RestApi,
            None => Source::Direct,
        }
    }

    /// The call it is.
    pub(crate) fn call(self, operation: Operation) -> Result<Call<'a>, Failure> {
        if self.text.len() > MAX_PAYLOAD_BYTES {
            return Err(Failure::RequestTooLarge {
                size_bytes: self.text.len(),
                limit_bytes: MAX_PAYLOAD_BYTES,
            });
        }
        match self.gateway {
            Some((parts, payload_2)) => Event::new(parts, payload_2)?.call(operation),
            None => Ok(Call::direct(self.text)),
        }
    }
}

/// How much of a body is read before its values are counted.
const PIECE: usize = 65_536;

/// The text of a body. One with too many values is not read to its end.
fn text(literal: &str) -> Result<String, Failure> {
    let mut said = Said::of(literal).ok_or(Failure::Gateway)?;
    let mut values = Values::default();
    while said.goes_on() {
        let piece = said.read_on(PIECE).ok_or(Failure::Gateway)?;
        if values.too_many(piece) {
            return Err(Refusal::too_many_values().into());
        }
    }
    said.whole().ok_or(Failure::Gateway)
}

fn gateway(text: &str) -> Option<(Parts<'_>, bool)> {
    let Members(parts) = Members::read(text).ok()?;
    let has = |name: &str| parts.iter().any(|(key, _)| key == name);
    let payload_2 = has("rawPath");
    (has("requestContext") && (payload_2 || has("httpMethod"))).then_some((parts, payload_2))
}

/// A gateway's event: the parts we look at.
struct Event<'a> {
    parts: Parts<'a>,
    context: Context,
    payload_2: bool,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Context {
    request_id: Option<String>,
    domain_name: Option<String>,
    http: Option<Http>,
    authorizer: Option<Object>,
    identity: Option<Object>,
}

#[derive(Deserialize)]
struct Http {
    method: String,
}

impl<'a> Event<'a> {
    fn new(parts: Parts<'a>, payload_2: bool) -> Result<Self, Failure> {
        let mut event = Self {
            parts,
            context: Context::default(),
            payload_2,
        };
        event.context = event.part("requestContext")?.unwrap_or_default();
        Ok(event)
    }

    fn call(self, operation: Operation) -> Result<Call<'a>, Failure> {
        let ids = self.ids(operation)?;
        operation.allows(&self.method()?)?;
        Ok(Call {
            source: if self.payload_2 {
                Source::HttpApi
            } else {
                Source::RestApi
            },
            ids: Some(ids),
            query: self.query()?,
            body: self.body()?.map(Cow::Owned),
            headers: self.headers()?,
            principal: self.principal(),
            request_id: self.context.request_id,
        })
    }

    fn method(&self) -> Result<String, Failure> {
        match &self.context.http {
            Some(http) => Ok(http.method.clone()),
            None => self.part("httpMethod")?.ok_or(Failure::Gateway),
        }
    }

    fn ids(&self, operation: Operation) -> Result<PathIds, Failure> {
        let path: String = self
            .part("rawPath")?
            .or(self.part("path")?)
            .unwrap_or_default();
        let (actor, session) = match self.path_parameters()? {
            // The gateway has matched the route; its parameters also survive a custom domain's base path.
            Some((actor, session)) if self.is_route_of(operation, &path)? => (actor, session),
            _ => {
                let (actor, session) = operation.segments(&path).ok_or(Failure::NoSuchRoute)?;
                (actor.to_owned(), session.to_owned())
            }
        };
        if self.is_decoded() {
            return Ok(PathIds { actor, session });
        }
        let decoded = |name, text: &str| {
            percent::decode(text).ok_or_else(|| {
                let expected = "percent-encoded UTF-8";
                Failure::Refused(Refusal::field(name, Reason::Malformed { expected }))
            })
        };
        Ok(PathIds {
            actor: decoded("actorId", &actor)?,
            session: decoded("sessionId", &session)?,
        })
    }

    /// Whether the gateway matched this operation's route: by the name of the resource or route where it
    /// tells one, by the end of the path where it does not.
    fn is_route_of(&self, operation: Operation, path: &str) -> Result<bool, Failure> {
        let resource: Option<String> = self.part("routeKey")?.or(self.part("resource")?);
        Ok(match resource {
            Some(resource) if resource.contains("{actorId}") => {
                resource.ends_with(operation.route())
            }
            _ => operation.segments(path).is_some(),
        })
    }

    fn path_parameters(&self) -> Result<Option<(String, String)>, Failure> {
        let parameters: Option<BTreeMap<String, String>> = self.part("pathParameters")?;
        Ok(parameters
            .and_then(|mut given| Some((given.remove("actorId")?, given.remove("sessionId")?))))
    }

    /// HTTP APIs hand the path over decoded; REST APIs and Function URLs do not.
    fn is_decoded(&self) -> bool {
        let domain = self.context.domain_name.as_deref().unwrap_or_default();
        let versioned = self.parts.iter().any(|(key, _)| key == "version");
        versioned && !domain.contains(".lambda-url.")
    }

    fn query(&self) -> Result<Vec<(String, String)>, Failure> {
        if self.payload_2 {
            let raw: String = self.part("rawQueryString")?.unwrap_or_default();
            let expected = "a percent-encoded query";
            return percent::query(&raw)
                .ok_or_else(|| Failure::Refused(Refusal::whole(Reason::Malformed { expected })));
        }
        let multiple: Option<BTreeMap<String, Vec<String>>> =
            self.part("multiValueQueryStringParameters")?;
        if let Some(multiple) = multiple {
            let pairs = multiple.into_iter().flat_map(|(key, values)| {
                values.into_iter().map(move |value| (key.clone(), value))
            });
            return Ok(pairs.collect());
        }
        let single: Option<BTreeMap<String, String>> = self.part("queryStringParameters")?;
        Ok(single.into_iter().flatten().collect())
    }

    fn headers(&self) -> Result<Vec<(String, String)>, Failure> {
        let headers: Option<BTreeMap<String, Value>> = self.part("headers")?;
        let pairs = headers
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| match value {
                Value::String(value) => Some((name.to_ascii_lowercase(), value)),
                _ => None,
            });
        Ok(pairs.collect())
    }

    fn body(&self) -> Result<Option<String>, Failure> {
        let body = match self.json("body") {
            None | Some("null") => None,
            Some(literal) => Some(text(literal)?),
        };
        let encoded: Option<bool> = self.part("isBase64Encoded")?;
        let Some(body) = body.filter(|body| !body.is_empty()) else {
            return Ok(None);
        };
        if encoded != Some(true) {
            return Ok(Some(body));
        }
        let bytes = STANDARD.decode(body).map_err(|_| Failure::Gateway)?;
        let expected = "UTF-8";
        let text = String::from_utf8(bytes)
            .map_err(|_| Failure::Refused(Refusal::whole(Reason::Malformed { expected })))?;
        Ok(Some(text))
    }

    /// What the gateway verified. Nothing of it is taken from headers or the body.
    fn principal(&self) -> Principal {
        let authorizer = self.context.authorizer.as_ref();
        let inside = |name: &str| authorizer.and_then(|given| given.get(name)?.as_object());
        let claims = if self.payload_2 {
            inside("jwt").and_then(|jwt| jwt.get("claims")?.as_object())
        } else {
            inside("claims")
        };
        let (iam, lambda) = if self.payload_2 {
            (inside("iam"), inside("lambda"))
        } else {
            (self.context.identity.as_ref(), authorizer)
        };
        Principal {
            claims: claims.cloned(),
            iam: iam.cloned(),
            lambda: lambda.cloned(),
        }
    }

    fn part<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, Failure> {
        match self.json(name) {
            Some(json) => serde_json::from_str(json).map_err(|_| Failure::Gateway),
            None => Ok(None),
        }
    }

    fn json(&self, name: &str) -> Option<&'a str> {
        let found = self.parts.iter().find(|(key, _)| key == name);
        found.map(|(_, json)| *json)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Payload;
    use crate::call::{Call, Source};
    use crate::route::Operation;

    fn http_api(path: &str, extra: &Value) -> Value {
        let mut event = json!({
            "version": "2.0",
            "rawPath": path,
            "rawQueryString": "window=turns%3A5&format=prompt",
            "headers": {"Idempotency-Key": "k"},
            "requestContext": {
                "requestId": "r-1",
                "http": {"method": "GET"},
                "authorizer": {"jwt": {"claims": {"sub": "a"}}}
            },
            "isBase64Encoded": false
        });
        for (key, value) in extra.as_object().unwrap() {
            event[key] = value.clone();
        }
        event
    }

    fn rest(path: &str, method: &str) -> Value {
        json!({
            "resource": "/{proxy+}",
            "path": path,
            "httpMethod": method,
            "headers": null,
            "queryStringParameters": {"window": "turns:5"},
            "multiValueQueryStringParameters": {"window": ["turns:5", "tokens:9"]},
            "requestContext": {"requestId": "r-2", "authorizer": {"claims": {"sub": "a"}}},
            "body": null
        })
    }

    fn ids(event: &Value) -> (String, String) {
        let text = event.to_string();
        let ids = Call::read(Operation::Load, &text).unwrap().ids.unwrap();
        (ids.actor, ids.session)
    }

    #[test]
    fn a_body_with_too_many_values_is_not_read_to_its_end() {
        let many = format!("[{}", "0,".repeat(100_000));
        let event = http_api(
            "/v1/actors/a/sessions/s/messages",
            &json!({"requestContext": {"http": {"method": "POST"}}, "body": many}),
        );
        let refused = Call::read(Operation::Store, &event.to_string()).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the request has more than 100000 values, an object counted as 3"
        );
    }

    #[test]
    fn an_http_api_event_is_read() {
        let text = http_api("/v1/actors/a/sessions/s", &json!({})).to_string();
        let call = Call::read(Operation::Load, &text).unwrap();
        assert_eq!(call.source, Source::HttpApi);
        assert_eq!(call.query.len(), 2);
        assert_eq!(call.header("idempotency-key"), Some("k"));
        assert_eq!(call.principal.claims.unwrap()["sub"], "a");
        assert_eq!(call.request_id.as_deref(), Some("r-1"));
    }

    #[test]
    fn a_rest_event_is_read() {
        let text = rest("/v1/actors/a/sessions/s", "GET").to_string();
        let call = Call::read(Operation::Load, &text).unwrap();
        assert_eq!(call.source, Source::RestApi);
        assert_eq!(call.query.len(), 2);
        assert_eq!(call.principal.claims.unwrap()["sub"], "a");
    }

    #[test]
    fn anything_else_is_direct() {
        for text in [
            r#"{"actorId":"a"}"#,
            "{}",
            "[]",
            "",
            r#"{"requestContext":1}"#,
            r#"{"rawPath":"/"}"#,
        ] {
            assert_eq!(
                Call::read(Operation::Load, text).unwrap().source,
                Source::Direct,
                "{text}"
            );
            assert_eq!(Payload::recognize(text).source(), Source::Direct);
        }
    }

    #[test]
    fn path_ids_are_decoded_once_whoever_does_it() {
        let slash = ("a/b".to_owned(), "s%20".to_owned());
        let parameters = json!({"pathParameters": {"actorId": "a/b", "sessionId": "s%20"}, "routeKey":
            "GET /v1/actors/{actorId}/sessions/{sessionId}"});
        assert_eq!(
            ids(&http_api("/v1/actors/a/b/sessions/s%20", &parameters)),
            slash
        );
        assert_eq!(ids(&rest("/v1/actors/a%2Fb/sessions/s%2520", "GET")), slash);
        let mut url = http_api("/v1/actors/a%2Fb/sessions/s%2520", &json!({}));
        url["requestContext"]["domainName"] = json!("x.lambda-url.eu-west-1.on.aws");
        assert_eq!(ids(&url), slash);
    }

    #[test]
    fn what_is_not_our_route_is_refused() {
        let read = |operation, event: &Value| {
            let text = event.to_string();
            Call::read(operation, &text).unwrap_err().to_string()
        };
        assert_eq!(
            read(Operation::Load, &rest("/v1/other", "GET")),
            "no such route"
        );
        assert_eq!(
            read(Operation::Store, &rest("/v1/actors/a/sessions/s", "GET")),
            "no such route"
        );
        assert_eq!(
            read(Operation::Load, &rest("/v1/actors/a/sessions/s", "PUT")),
            "only GET is allowed here"
        );
        let other = json!({"pathParameters": {"actorId": "a", "sessionId": "s"}, "routeKey":
            "POST /v1/actors/{actorId}/sessions/{sessionId}/messages"});
        assert_eq!(
            read(Operation::Load, &http_api("/v1/x", &other)),
            "no such route"
        );
        let malformed = json!({"body": 7});
        let event = http_api("/v1/actors/a/sessions/s", &malformed);
        assert_eq!(
            read(Operation::Load, &event),
            "not a gateway event this function understands"
        );
        assert_eq!(
            Payload::recognize(&event.to_string()).source(),
            Source::HttpApi
        );
    }

    #[test]
    fn bodies_may_be_base64() {
        let read = |body: &str, encoded| {
            let event = http_api(
                "/v1/actors/a/sessions/s",
                &json!({"body": body, "isBase64Encoded": encoded}),
            );
            let text = event.to_string();
            let call = Call::read(Operation::Load, &text);
            call.map(|call| call.body.map(std::borrow::Cow::into_owned))
                .map_err(|failure| failure.to_string())
        };
        assert_eq!(read("e30=", true).unwrap().as_deref(), Some("{}"));
        assert_eq!(read("{}", false).unwrap().as_deref(), Some("{}"));
        assert_eq!(read("", false).unwrap(), None);
        assert_eq!(read("/w==", true).unwrap_err(), "the request is not UTF-8");
    }

    #[test]
    fn an_oversized_payload_is_not_parsed() {
        let text = "x".repeat(super::MAX_PAYLOAD_BYTES + 1);
        let refused = Call::read(Operation::Load, &text).unwrap_err();
        assert!(refused.to_string().contains("too large"), "{refused}");
    }
}
