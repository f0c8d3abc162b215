//! The routes of the HTTP API.

use crate::failure::Failure;

/// What a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Gives a conversation back.
    Load,
    /// Appends a turn.
    Store,
    /// Compresses the oldest messages.
    Summarize,
}

/// The ids of a route's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathIds {
    pub(crate) actor: String,
    pub(crate) session: String,
}

impl Operation {
    /// Every operation, for routers.
    pub const ALL: [Self; 3] = [Self::Load, Self::Store, Self::Summarize];

    /// Its name in logs, metrics and configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Store => "store",
            Self::Summarize => "summarize",
        }
    }

    /// The method of its route.
    #[must_use]
    pub fn method(self) -> &'static str {
        match self {
            Self::Load => "GET",
            Self::Store | Self::Summarize => "POST",
        }
    }

    /// Its route, as gateways write it.
    #[must_use]
    pub fn route(self) -> &'static str {
        match self {
            Self::Load => "/v1/actors/{actorId}/sessions/{sessionId}",
            Self::Store => "/v1/actors/{actorId}/sessions/{sessionId}/messages",
            Self::Summarize => "/v1/actors/{actorId}/sessions/{sessionId}/summary",
        }
    }

    /// The operation whose route a path is, whatever the method. The path is still percent-encoded.
    #[must_use]
    pub fn at(path: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|operation| operation.segments(path).is_some())
    }

    /// The path's ids as they stand in it, if this is the operation's route. What comes before `/v1` (a
    /// gateway's stage) is passed over.
    pub(crate) fn segments(self, path: &str) -> Option<(&str, &str)> {
        let tail: &[&str] = match self {
            Self::Load => &[],
            Self::Store => &["messages"],
            Self::Summarize => &["summary"],
        };
        let segments: Vec<&str> = path
            .split('/')
            .filter(|segment| !segment.is_empty())
            .collect();
        let (["v1", ours @ ..] | [_, "v1", ours @ ..]) = segments.as_slice() else {
            return None;
        };
        match ours {
            ["actors", actor, "sessions", session, rest @ ..] if rest == tail => {
                Some((actor, session))
            }
            _ => None,
        }
    }

    /// Checks a request's method.
    pub(crate) fn allows(self, method: &str) -> Result<(), Failure> {
        if method == self.method() {
            Ok(())
        } else {
            Err(Failure::MethodNotAllowed {
                allow: self.method(),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Operation;

    #[test]
    fn routes_are_told_apart_by_their_whole_path() {
        for (path, expected) in [
            ("/v1/actors/a/sessions/s", Some((Operation::Load, "a", "s"))),
            (
                "/v1/actors/a/sessions/s/",
                Some((Operation::Load, "a", "s")),
            ),
            (
                "/prod/v1/actors/a/sessions/s/messages",
                Some((Operation::Store, "a", "s")),
            ),
            (
                "/v1/actors/a%2Fb/sessions/s/summary",
                Some((Operation::Summarize, "a%2Fb", "s")),
            ),
            ("/v1/actors/a/sessions", None),
            ("/v1/actors/a/sessions/s/other", None),
            ("/v1/actors/a/b/sessions/s", None),
            ("/v2/actors/a/sessions/s", None),
            ("/x/y/v1/actors/a/sessions/s", None),
            ("", None),
        ] {
            let found = Operation::at(path).map(|operation| {
                let (actor, session) = operation.segments(path).unwrap();
                (operation, actor, session)
            });
            assert_eq!(found, expected, "{path}");
        }
    }

    #[test]
    fn another_method_is_refused_with_the_right_one() {
        assert!(Operation::Load.allows("GET").is_ok());
        let refused = Operation::Store.allows("PUT").unwrap_err();
        assert_eq!(refused.to_string(), "only POST is allowed here");
    }
}
