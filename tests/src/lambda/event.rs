//! Trigger events, made from those in `events/` by changing what a test is about.

use serde_json::{Map, Value, json};

/// How a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// API Gateway, HTTP API, payload 2.0.
    HttpApi,
    /// API Gateway, REST API.
    RestApi,
    /// Invoked by a program.
    Direct,
    /// Invoked by a workflow's state.
    StepFunctions,
}

impl Trigger {
    /// Every way.
    pub const ALL: [Self; 4] = [
        Self::HttpApi,
        Self::RestApi,
        Self::Direct,
        Self::StepFunctions,
    ];

    /// Its name in the files of `events/`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::HttpApi => "http-v2",
            Self::RestApi => "rest",
            Self::Direct => "direct",
            Self::StepFunctions => "step-functions",
        }
    }

    /// Whether a gateway stands before the function.
    #[must_use]
    pub fn is_http(self) -> bool {
        matches!(self, Self::HttpApi | Self::RestApi)
    }

    /// The example of it for a function, as it stands.
    #[must_use]
    pub fn example(self, function: &str) -> Value {
        file(function, self.name())
    }
}

/// Whom a gateway verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller<'a> {
    /// The subject of a token.
    Subject(&'a str),
    /// Nobody.
    Nobody,
}

/// What is asked of a function.
#[derive(Clone, Debug)]
pub struct Wanted<'a> {
    /// The function: `load`, `store` or `summarize`.
    pub function: &'a str,
    /// The actor in the path, or in a direct call's fields.
    pub actor: &'a str,
    /// The session.
    pub session: &'a str,
    /// The other fields: the query of a load, the body of the others.
    pub fields: Value,
}

impl<'a> Wanted<'a> {
    /// A load of a conversation.
    #[must_use]
    pub fn load(actor: &'a str, session: &'a str, fields: Value) -> Self {
        Self {
            function: "load",
            actor,
            session,
            fields,
        }
    }

    /// A store to a conversation.
    #[must_use]
    pub fn store(actor: &'a str, session: &'a str, fields: Value) -> Self {
        Self {
            function: "store",
            actor,
            session,
            fields,
        }
    }

    /// A summary of a conversation.
    #[must_use]
    pub fn summarize(actor: &'a str, session: &'a str, fields: Value) -> Self {
        Self {
            function: "summarize",
            actor,
            session,
            fields,
        }
    }

    /// The event by which a trigger asks for it. Over HTTP the path's own actor is also the verified one.
    #[must_use]
    pub fn by(&self, trigger: Trigger) -> Value {
        self.by_caller(trigger, Caller::Subject(self.actor))
    }

    /// The event by which a trigger asks for it on behalf of a caller.
    #[must_use]
    pub fn by_caller(&self, trigger: Trigger, caller: Caller<'_>) -> Value {
        match trigger {
            Trigger::HttpApi => self.http_api(caller),
            Trigger::RestApi => self.rest_api(caller),
            Trigger::Direct => self.direct("actorId", "sessionId"),
            Trigger::StepFunctions => self.direct("actor_id", "session_id"),
        }
    }

    fn http_api(&self, caller: Caller<'_>) -> Value {
        let mut event = Trigger::HttpApi.example(self.function);
        // The gateway hands the path over decoded.
        let path = self.path(str::to_owned);
        event["rawPath"] = path.clone().into();
        event["requestContext"]["http"]["path"] = path.into();
        event["pathParameters"] = self.parameters();
        event["requestContext"]["authorizer"] = match caller {
            Caller::Subject(subject) => {
                json!({"jwt": {"claims": {"sub": subject}, "scopes": null}})
            }
            Caller::Nobody => Value::Null,
        };
        event["rawQueryString"] = self.query().into();
        self.put_body(event)
    }

    fn rest_api(&self, caller: Caller<'_>) -> Value {
        let mut event = Trigger::RestApi.example(self.function);
        let path = self.path(encoded);
        event["path"] = path.clone().into();
        event["requestContext"]["path"] = format!("/prod{path}").into();
        event["pathParameters"] =
            json!({"actorId": encoded(self.actor), "sessionId": encoded(self.session)});
        event["requestContext"]["authorizer"] = match caller {
            Caller::Subject(subject) => json!({"claims": {"sub": subject}}),
            Caller::Nobody => Value::Null,
        };
        let (single, multiple) = match (&self.fields, self.function) {
            (Value::Object(fields), "load") if !fields.is_empty() => {
                let texts = fields
                    .iter()
                    .map(|(name, value)| (name.clone(), text(value)));
                let single: Map<String, Value> =
                    texts.clone().map(|(n, v)| (n, v.into())).collect();
                let multiple: Map<String, Value> = texts.map(|(n, v)| (n, json!([v]))).collect();
                (single.into(), multiple.into())
            }
            _ => (Value::Null, Value::Null),
        };
        event["queryStringParameters"] = single;
        event["multiValueQueryStringParameters"] = multiple;
        self.put_body(event)
    }

    fn direct(&self, actor: &str, session: &str) -> Value {
        let mut event = self.fields.clone();
        event[actor] = self.actor.into();
        event[session] = self.session.into();
        event
    }

    fn path(&self, write: impl Fn(&str) -> String) -> String {
        let end = match self.function {
            "store" => "/messages",
            "summarize" => "/summary",
            _ => "",
        };
        format!(
            "/v1/actors/{}/sessions/{}{end}",
            write(self.actor),
            write(self.session)
        )
    }

    fn parameters(&self) -> Value {
        json!({"actorId": self.actor, "sessionId": self.session})
    }

    fn query(&self) -> String {
        let Value::Object(fields) = &self.fields else {
            return String::new();
        };
        if self.function != "load" {
            return String::new();
        }
        let pairs: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("{name}={}", encoded(&text(value))))
            .collect();
        pairs.join("&")
    }

    /// The idempotency key of the example would make all turns of a conversation one.
    fn put_body(&self, mut event: Value) -> Value {
        for part in ["headers", "multiValueHeaders"] {
            if let Some(headers) = event.get_mut(part).and_then(Value::as_object_mut) {
                headers.retain(|name, _| !name.eq_ignore_ascii_case("idempotency-key"));
            }
        }
        if self.function != "load" {
            event["body"] = match &self.fields {
                // A text is sent as it stands: bodies need not be JSON.
                Value::String(body) => body.clone().into(),
                fields => fields.to_string().into(),
            };
        }
        event
    }
}

/// An event of `events/`.
fn file(function: &str, trigger: &str) -> Value {
    let path = format!(
        "{}/../events/{function}-{trigger}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Percent-encodes everything but letters and digits.
fn encoded(text: &str) -> String {
    let write = |byte: u8| {
        if byte.is_ascii_alphanumeric() {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    text.bytes().map(write).collect()
}
