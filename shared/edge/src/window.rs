//! The windows a caller may ask for: `turns:10` in a query, `{"type":"turns","size":10}` in JSON.

use conversation::Policy;
use serde_json::Value;

use crate::refusal::{Reason, Refusal};

/// One policy of a window; of several the tightest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// Everything that is stored.
    None,
    /// The last messages.
    Sliding {
        /// How many.
        size: u64,
        /// Which rule keeps the window valid.
        rule: SlidingRule,
    },
    /// The last turns: from a user's message to just before the next.
    Turns {
        /// How many.
        size: u64,
    },
    /// As much of the end as fits a model's context.
    Tokens {
        /// The budget.
        size: u64,
    },
    /// The summary, and what follows it.
    Summarizing,
}

/// How a sliding window keeps tool calls and their results together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlidingRule {
    /// As Strands agents do.
    #[default]
    Strands,
    /// As Camunda's agents do.
    Camunda,
}

const TYPES: &[&str] = &["none", "sliding", "turns", "tokens", "summarizing"];
const RULES: &[&str] = &["strands", "camunda"];
const MAX_SIZE: u64 = 10_000_000;
const MAX_POLICIES: usize = 8;

impl Window {
    /// What a caller gets that asks for nothing in particular: the last ten turns.
    pub const DEFAULT: Self = Self::Turns { size: 10 };

    /// The policy in the domain's words.
    pub(crate) fn policy(self) -> Policy {
        let count = |size: u64| usize::try_from(size).unwrap_or(usize::MAX);
        match self {
            Self::None => Policy::None,
            Self::Sliding { size, rule } => Policy::Sliding {
                size: count(size),
                rule: match rule {
                    SlidingRule::Strands => conversation::SlidingRule::Strands,
                    // Whether there is a system message to be counted is seen when it is read.
                    SlidingRule::Camunda => conversation::SlidingRule::Camunda { system: false },
                },
            },
            Self::Turns { size } => Policy::Turns { count: count(size) },
            Self::Tokens { size } => Policy::Tokens { budget: size },
            Self::Summarizing => Policy::Summarizing,
        }
    }

    /// Reads the `window` field: a policy, or a list of them, each an object or a text.
    pub(crate) fn list(value: &Value) -> Result<Vec<Self>, Refusal> {
        let mut policies = Vec::new();
        match value {
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let at = format!("/window/{index}");
                    policies.extend(Self::read(item).map_err(|refusal| refusal.below(&at))?);
                }
            }
            single => {
                policies.extend(Self::read(single).map_err(|refusal| refusal.below("/window"))?);
            }
        }
        match policies.len() {
            0 => Err(Refusal::field("window", Reason::Empty)),
            1..=MAX_POLICIES => Ok(policies),
            _ => Err(Refusal::field(
                "window",
                Reason::Unsupported("has too many policies"),
            )),
        }
    }

    fn read(value: &Value) -> Result<Vec<Self>, Refusal> {
        match value {
            Value::String(text) => text.split(',').map(Self::of_text).collect(),
            Value::Object(fields) => Ok(vec![Self::of_object(fields)?]),
            _ => Err(Refusal::whole(Reason::WrongType {
                expected: "a policy such as turns:10, or an object with type and size",
            })),
        }
    }

    fn of_text(text: &str) -> Result<Self, Refusal> {
        let mut parts = text.trim().splitn(3, ':');
        let kind = parts.next().unwrap_or_default();
        let size = match parts.next() {
            Some(digits) => Some(
                digits
                    .parse()
                    .map_err(|_| wrong("", "a policy such as turns:10"))?,
            ),
            None => None,
        };
        Self::of_parts(kind, size, parts.next()).map_err(|refusal| Refusal {
            // A text has no inside to point into.
            pointer: String::new(),
            ..refusal
        })
    }

    fn of_object(fields: &codec::model::Object) -> Result<Self, Refusal> {
        if let Some(unknown) = fields
            .keys()
            .find(|key| !matches!(key.as_str(), "type" | "size" | "rule"))
        {
            let suggestion = crate::spelling::nearest(&["type", "size", "rule"], unknown);
            return Err(Refusal::field(unknown, Reason::Unknown { suggestion }));
        }
        let text = |name| match fields.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(_) => Err(wrong(name, "a string")),
        };
        let size = match fields.get("size") {
            None | Some(Value::Null) => None,
            Some(size) => Some(
                size.as_u64()
                    .ok_or_else(|| wrong("size", "a whole number"))?,
            ),
        };
        let kind = text("type")?.ok_or_else(|| Refusal::field("type", Reason::Missing))?;
        Self::of_parts(kind, size, text("rule")?)
    }

    fn of_parts(kind: &str, size: Option<u64>, rule: Option<&str>) -> Result<Self, Refusal> {
        let sized = |default| match size.unwrap_or(default) {
            size @ 1..=MAX_SIZE => Ok(size),
            _ => Err(Refusal::field(
                "size",
                Reason::OutOfRange {
                    min: 1,
                    max: MAX_SIZE,
                },
            )),
        };
        let window = match kind {
            "none" => Self::None,
            "sliding" => Self::Sliding {
                size: sized(40)?,
                rule: SlidingRule::read(rule)?,
            },
            "turns" => Self::Turns { size: sized(10)? },
            "tokens" => Self::Tokens {
                size: sized(0).map_err(|_| match size {
                    None => Refusal::field("size", Reason::Missing),
                    Some(_) => Refusal::field(
                        "size",
                        Reason::OutOfRange {
                            min: 1,
                            max: MAX_SIZE,
                        },
                    ),
                })?,
            },
            "summarizing" => Self::Summarizing,
            _ => return Err(Refusal::field("type", Reason::NotOneOf { allowed: TYPES })),
        };
        let takes_size = !matches!(window, Self::None | Self::Summarizing);
        if size.is_some() && !takes_size {
            return Err(Refusal::field(
                "size",
                Reason::Unsupported("is not a field of this window"),
            ));
        }
        if rule.is_some() && !matches!(window, Self::Sliding { .. }) {
            return Err(Refusal::field(
                "rule",
                Reason::Unsupported("is not a field of this window"),
            ));
        }
        Ok(window)
    }
}

impl SlidingRule {
    fn read(rule: Option<&str>) -> Result<Self, Refusal> {
        match rule {
            None => Ok(Self::default()),
            Some("strands") => Ok(Self::Strands),
            Some("camunda") => Ok(Self::Camunda),
            Some(_) => Err(Refusal::field("rule", Reason::NotOneOf { allowed: RULES })),
        }
    }
}

fn wrong(name: &str, expected: &'static str) -> Refusal {
    let reason = Reason::WrongType { expected };
    if name.is_empty() {
        Refusal::whole(reason)
    } else {
        Refusal::field(name, reason)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{SlidingRule, Window};

    fn read(value: &Value) -> Result<Vec<Window>, String> {
        Window::list(value).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn texts_and_objects_say_the_same() {
        let strands = Window::Sliding {
            size: 40,
            rule: SlidingRule::Strands,
        };
        let camunda = Window::Sliding {
            size: 7,
            rule: SlidingRule::Camunda,
        };
        for (text, object, expected) in [
            ("none", json!({"type": "none"}), Window::None),
            ("turns", json!({"type": "turns"}), Window::DEFAULT),
            (
                "turns:3",
                json!({"type": "turns", "size": 3}),
                Window::Turns { size: 3 },
            ),
            (
                "tokens:900",
                json!({"type": "tokens", "size": 900}),
                Window::Tokens { size: 900 },
            ),
            ("sliding", json!({"type": "sliding"}), strands),
            (
                "sliding:7:camunda",
                json!({"type": "sliding", "size": 7, "rule": "camunda"}),
                camunda,
            ),
            (
                "summarizing",
                json!({"type": "summarizing"}),
                Window::Summarizing,
            ),
        ] {
            assert_eq!(read(&json!(text)).unwrap(), [expected], "{text}");
            assert_eq!(read(&object).unwrap(), [expected], "{object}");
            assert_eq!(read(&json!([object])).unwrap(), [expected]);
        }
    }

    #[test]
    fn several_policies_combine() {
        let both = [Window::Summarizing, Window::Tokens { size: 9 }];
        assert_eq!(read(&json!("summarizing,tokens:9")).unwrap(), both);
        assert_eq!(
            read(&json!(["summarizing", {"type": "tokens", "size": 9}])).unwrap(),
            both
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (value, expected) in [
            (
                json!("turns:x"),
                "/window must be a policy such as turns:10",
            ),
            (json!("turns:0"), "/window must be between 1 and 10000000"),
            (
                json!("forever"),
                "/window must be one of none, sliding, turns, tokens, summarizing",
            ),
            (json!("none:3"), "/window is not a field of this window"),
            (json!([]), "/window must not be empty"),
            (
                json!(5),
                "/window must be a policy such as turns:10, or an object with type and size",
            ),
            (json!({"size": 1}), "/window/type is required"),
            (
                json!([{"type": "turns", "size": -1}]),
                "/window/0/size must be a whole number",
            ),
            (
                json!([{"type": "turns", "sise": 1}]),
                "/window/0/sise is not a known field, did you mean size?",
            ),
            (json!({"type": "tokens"}), "/window/size is required"),
            (
                json!({"type": "turns", "rule": "camunda"}),
                "/window/rule is not a field of this window",
            ),
            (
                json!({"type": "sliding", "rule": "x"}),
                "/window/rule must be one of strands, camunda",
            ),
            (json!(vec!["none"; 9]), "/window has too many policies"),
        ] {
            let expected = expected.to_owned();
            assert_eq!(read(&value).unwrap_err(), expected, "{value}");
        }
    }
}
