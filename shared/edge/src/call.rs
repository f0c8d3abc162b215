//! One call, whichever trigger it came by.

use std::borrow::Cow;

use codec::model::Object;

use crate::fields::Fields;
use crate::refusal::Refusal;
use crate::route::PathIds;

/// A call as the trigger gave it: nothing in it is checked yet but its form.
#[derive(Debug)]
pub struct Call<'a> {
    pub(crate) source: Source,
    pub(crate) ids: Option<PathIds>,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) body: Option<Cow<'a, str>>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) principal: Principal,
    pub(crate) request_id: Option<String>,
}

/// The kind of trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// API Gateway HTTP API, or a Function URL: payload 2.0.
    HttpApi,
    /// API Gateway REST API: payload 1.0.
    RestApi,
    /// Invoked by a program that IAM lets do so.
    Direct,
}

/// What the gateway verified about the caller.
#[derive(Debug, Default)]
pub(crate) struct Principal {
    pub(crate) claims: Option<Object>,
    pub(crate) iam: Option<Object>,
    pub(crate) lambda: Option<Object>,
}

impl<'a> Call<'a> {
    /// A direct call: its fields are the members of the payload itself.
    pub(crate) fn direct(payload: &'a str) -> Self {
        Self {
            source: Source::Direct,
            ids: None,
            query: Vec::new(),
            body: Some(Cow::Borrowed(payload)),
            headers: Vec::new(),
            principal: Principal::default(),
            request_id: None,
        }
    }

    /// How the function was called.
    #[must_use]
    pub fn source(&self) -> Source {
        self.source
    }

    /// The gateway's own id of the request, where there is one.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.as_deref()
    }

    /// A header by its lower-case name.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The fields given in the body and the query.
    pub(crate) fn fields(&self, names: &'static [&'static str]) -> Result<Fields<'_>, Refusal> {
        let fields = match &self.body {
            Some(body) => Fields::of_json(names, body)?,
            None => Fields::none(),
        };
        fields.and_query(names, &self.query)
    }
}

impl Source {
    /// Whether answers go out as HTTP responses.
    #[must_use]
    pub fn is_http(self) -> bool {
        self != Self::Direct
    }

    /// Its name in logs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::HttpApi => "http-api",
            Self::RestApi => "rest-api",
            Self::Direct => "direct",
        }
    }
}
