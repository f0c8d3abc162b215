//! Field constraints, and the way the service words a breach of them.

use serde_json::{Map, Value};

use crate::error::{ApiError, FieldError, Reason};

/// The constraints met by none of the values looked at so far.
#[derive(Debug, Default)]
pub(crate) struct Violations(Vec<FieldError>);

impl Violations {
    pub(crate) fn add(&mut self, name: impl Into<String>, constraint: impl Into<String>) {
        self.0.push(FieldError {
            name: name.into(),
            message: constraint.into(),
        });
    }

    pub(crate) fn missing(&mut self, name: &str) {
        self.add(name, "Member must not be null");
    }

    pub(crate) fn length(&mut self, name: &str, length: usize, least: usize, most: usize) {
        if length < least {
            self.add(
                name,
                format!("Member must have length greater than or equal to {least}"),
            );
        } else if length > most {
            self.add(
                name,
                format!("Member must have length less than or equal to {most}"),
            );
        }
    }

    pub(crate) fn text(&mut self, name: &str, value: &str, rule: &TextRule) {
        self.length(name, value.chars().count(), rule.least, rule.most);
        if !(rule.matches)(value) {
            let pattern = rule.pattern;
            self.add(
                name,
                format!("Member must satisfy regular expression pattern: {pattern}"),
            );
        }
    }

    pub(crate) fn one_of(&mut self, name: &str, value: &str, allowed: &[&str]) {
        if !allowed.contains(&value) {
            let allowed = allowed.join(", ");
            self.add(
                name,
                format!("Member must satisfy enum value set: [{allowed}]"),
            );
        }
    }

    pub(crate) fn range(&mut self, name: &str, value: i64, least: i64, most: i64) {
        if value < least {
            self.add(
                name,
                format!("Member must be greater than or equal to {least}"),
            );
        } else if value > most {
            self.add(name, format!("Member must be less than or equal to {most}"));
        }
    }

    pub(crate) fn finish(self) -> Result<(), ApiError> {
        if self.0.is_empty() {
            return Ok(());
        }
        let count = self.0.len();
        let plural = if count == 1 { "error" } else { "errors" };
        let details: Vec<String> = self
            .0
            .iter()
            .map(|field| {
                format!(
                    "Value at '{}' failed to satisfy constraint: {}",
                    field.name, field.message
                )
            })
            .collect();
        let message = format!(
            "{count} validation {plural} detected: {}",
            details.join("; ")
        );
        let mut error = ApiError::validation(Reason::FieldValidationFailed, message);
        error.fields = self.0;
        Err(error)
    }
}

/// Length and alphabet of a text member.
pub(crate) struct TextRule {
    pub(crate) least: usize,
    pub(crate) most: usize,
    pub(crate) pattern: &'static str,
    pub(crate) matches: fn(&str) -> bool,
}

pub(crate) const ACTOR_ID: TextRule = TextRule {
    least: 1,
    most: 255,
    pattern: "[a-zA-Z0-9][a-zA-Z0-9-_/]*(?::[a-zA-Z0-9-_/]+)*[a-zA-Z0-9-_/]*",
    matches: |text| is_segmented(text, "-_/", ""),
};
pub(crate) const SESSION_ID: TextRule = TextRule {
    least: 1,
    most: 100,
    pattern: "[a-zA-Z0-9][a-zA-Z0-9-_]*",
    matches: is_plain_name,
};
pub(crate) const BRANCH_NAME: TextRule = SESSION_ID;
pub(crate) const STRATEGY_ID: TextRule = SESSION_ID;
pub(crate) const EVENT_ID: TextRule = TextRule {
    least: 1,
    most: usize::MAX,
    pattern: "[0-9]+#[a-fA-F0-9]+",
    matches: is_event_id,
};
pub(crate) const METADATA_KEY: TextRule = TextRule {
    least: 1,
    most: 128,
    pattern: r"[a-zA-Z0-9\s._:/=+@-]*",
    matches: is_metadata_text,
};
pub(crate) const METADATA_VALUE: TextRule = TextRule {
    least: 0,
    most: 256,
    ..METADATA_KEY
};
pub(crate) const NAMESPACE: TextRule = TextRule {
    least: 1,
    most: 1024,
    pattern: "[a-zA-Z0-9/*][a-zA-Z0-9-_/*]*(?::[a-zA-Z0-9-_/*]+)*[a-zA-Z0-9-_/*]*",
    matches: |text| is_segmented(text, "-_/*", "/*"),
};
pub(crate) const REQUEST_IDENTIFIER: TextRule = TextRule {
    least: 1,
    most: 80,
    pattern: "[a-zA-Z0-9_-]+",
    matches: |text| text.chars().all(|c| is_alphanumeric(c) || "-_".contains(c)),
};
pub(crate) const MEMORY_NAME: TextRule = TextRule {
    least: 1,
    most: 48,
    pattern: "[a-zA-Z][a-zA-Z0-9_]{0,47}",
    matches: |text| {
        text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| is_alphanumeric(c) || c == '_')
    },
};

/// The id inside a memory id or memory ARN, or the error for a malformed one.
pub(crate) fn memory_id(text: &str) -> Result<&str, ApiError> {
    let id = match text.strip_prefix("arn:") {
        Some(arn) => memory_of_arn(arn),
        None => Some(text),
    };
    id.filter(|id| is_memory_id(id)).ok_or_else(|| {
        ApiError::validation(
            Reason::FieldValidationFailed,
            format!("Invalid memoryId: {text}"),
        )
    })
}

/// A member of a JSON object, where an explicit null counts as absent.
pub(crate) fn member<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    object.get(name).filter(|value| !value.is_null())
}

pub(crate) fn text_member<'a>(
    object: &'a Map<String, Value>,
    name: &str,
) -> Result<Option<&'a str>, ApiError> {
    typed(object, name, "a string", Value::as_str)
}

pub(crate) fn object_member<'a>(
    object: &'a Map<String, Value>,
    name: &str,
) -> Result<Option<&'a Map<String, Value>>, ApiError> {
    typed(object, name, "an object", Value::as_object)
}

pub(crate) fn list_member<'a>(
    object: &'a Map<String, Value>,
    name: &str,
) -> Result<Option<&'a Vec<Value>>, ApiError> {
    typed(object, name, "a list", Value::as_array)
}

pub(crate) fn flag_member(
    object: &Map<String, Value>,
    name: &str,
) -> Result<Option<bool>, ApiError> {
    typed(object, name, "a boolean", Value::as_bool)
}

pub(crate) fn integer_member(
    object: &Map<String, Value>,
    name: &str,
) -> Result<Option<i64>, ApiError> {
    typed(object, name, "an integer", Value::as_i64)
}

/// `maxResults` within its bounds, or the default.
pub(crate) fn max_results(
    object: &Map<String, Value>,
    violations: &mut Violations,
    default: usize,
) -> Result<usize, ApiError> {
    let Some(given) = integer_member(object, "maxResults")? else {
        return Ok(default);
    };
    violations.range("maxResults", given, 1, 100);
    Ok(usize::try_from(given).unwrap_or(default))
}

fn typed<'a, T>(
    object: &'a Map<String, Value>,
    name: &str,
    kind: &str,
    read: impl Fn(&'a Value) -> Option<T>,
) -> Result<Option<T>, ApiError> {
    match member(object, name) {
        None => Ok(None),
        Some(value) => match read(value) {
            Some(read) => Ok(Some(read)),
            None => Err(ApiError::cannot_parse(format!(
                "member '{name}' must be {kind}"
            ))),
        },
    }
}

fn is_alphanumeric(c: char) -> bool {
    c.is_ascii_alphanumeric()
}

fn is_plain_name(text: &str) -> bool {
    text.starts_with(is_alphanumeric)
        && text.chars().all(|c| is_alphanumeric(c) || "-_".contains(c))
}

/// Names of letters, digits and `extra`, in segments joined by single colons.
fn is_segmented(text: &str, extra: &str, extra_first: &str) -> bool {
    text.starts_with(|c| is_alphanumeric(c) || extra_first.contains(c))
        && text.split(':').all(|segment| {
            !segment.is_empty()
                && segment
                    .chars()
                    .all(|c| is_alphanumeric(c) || extra.contains(c))
        })
}

fn is_event_id(text: &str) -> bool {
    text.split_once('#').is_some_and(|(digits, hex)| {
        !digits.is_empty()
            && !hex.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && hex.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

fn is_metadata_text(text: &str) -> bool {
    text.chars()
        .all(|c| is_alphanumeric(c) || "._:/=+@- \t\n\u{b}\u{c}\r".contains(c))
}

fn is_memory_id(text: &str) -> bool {
    text.rsplit_once('-').is_some_and(|(name, tail)| {
        tail.len() == 10
            && tail.chars().all(is_alphanumeric)
            && (1..=100).contains(&name.len())
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| is_alphanumeric(c) || "-_".contains(c))
    })
}

fn memory_of_arn(rest: &str) -> Option<&str> {
    let mut parts = rest.splitn(5, ':');
    let partition = parts.next()?;
    let service = parts.next()?;
    let region = parts.next()?;
    let account = parts.next()?;
    let id = parts.next()?.strip_prefix("memory/")?;
    let known =
        ["aws", "aws-cn", "aws-us-gov"].contains(&partition) && service == "bedrock-agentcore";
    let region_fits = !region.is_empty()
        && region
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    let account_fits = account.len() == 12 && account.bytes().all(|byte| byte.is_ascii_digit());
    (known && region_fits && account_fits).then_some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: &TextRule, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!((rule.matches)(text), "{text} should match {}", rule.pattern);
        }
        for text in bad {
            assert!(
                !(rule.matches)(text),
                "{text} should not match {}",
                rule.pattern
            );
        }
    }

    #[test]
    fn alphabets_are_those_of_the_model() {
        check(
            &ACTOR_ID,
            &["a", "tenant:a/user-1", "a_b-c/", "A:b:c"],
            &["", "a@b", "a.b", "a b", "a::b", ":a", "a:", "/a", "é"],
        );
        check(
            &SESSION_ID,
            &["s", "S-1_2"],
            &["", "a/b", "a:b", "a|b", "a.b", "-a", "_a"],
        );
        check(
            &EVENT_ID,
            &["0#a", "12#AF"],
            &["", "#", "1#", "#1", "1#g", "a#1", "1"],
        );
        check(
            &METADATA_KEY,
            &["k", "a b._:/=+@-\t"],
            &["a,b", "{", "\"", "#", "ü"],
        );
        check(&NAMESPACE, &["/a/b", "*", "a:b"], &["", ":a", "a::b"]);
        check(&MEMORY_NAME, &["a", "A_1"], &["", "a-b", "1a", "_a"]);
    }

    #[test]
    fn memory_ids_come_bare_or_inside_an_arn() {
        let id = "my_mem-abcDEF1234";
        assert_eq!(memory_id(id).unwrap(), id);
        assert_eq!(
            memory_id(&format!(
                "arn:aws:bedrock-agentcore:eu-west-1:123456789012:memory/{id}"
            ))
            .unwrap(),
            id
        );
        for bad in [
            "",
            "mem",
            "mem-123456789",
            "mem-12345678901",
            "1mem-abcDEF1234",
            "mem-abcDEF123!",
            "arn:aws:s3:eu-west-1:123456789012:memory/my_mem-abcDEF1234",
            "arn:aws:bedrock-agentcore:eu-west-1:12345:memory/my_mem-abcDEF1234",
            "arn:aws:bedrock-agentcore:eu-west-1:123456789012:runtime/my_mem-abcDEF1234",
        ] {
            let error = memory_id(bad).unwrap_err();
            assert!(error.message.starts_with("Invalid memoryId"), "{bad}");
        }
    }

    #[test]
    fn several_violations_are_counted_and_listed() {
        let mut violations = Violations::default();
        violations.missing("payload");
        violations.text("sessionId", "a|b", &SESSION_ID);
        let error = violations.finish().unwrap_err();
        assert_eq!(
            error.message,
            "2 validation errors detected: Value at 'payload' failed to satisfy constraint: Member must not be null; \
             Value at 'sessionId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9][a-zA-Z0-9-_]*"
        );
        assert_eq!(error.fields.len(), 2);
    }
}
