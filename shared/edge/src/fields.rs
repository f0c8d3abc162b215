//! The fields of a request, wherever they were given: one JSON object, or the pairs of a query.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::literal;
use crate::members::{Members, NoMembers, inside};
use crate::refusal::{Reason, Refusal};
use crate::spelling;
use crate::values;

/// The fields given, each under its known name. A field nobody knows, or one that is given twice, never
/// gets this far.
#[derive(Debug)]
pub(crate) struct Fields<'a>(Vec<(&'static str, Given<'a>)>);

/// One field's value. JSON is parsed only when the field is asked for.
#[derive(Debug)]
enum Given<'a> {
    Json(&'a str),
    Query(Vec<&'a str>),
}

/// The most bytes of an id. Ids the services would not take are encoded and shortened, but not just any text is one.
const MAX_ID_BYTES: usize = 8_192;

impl<'a> Fields<'a> {
    /// The fields of a JSON object.
    pub(crate) fn of_json(names: &'static [&'static str], text: &'a str) -> Result<Self, Refusal> {
        // What is no object is told by its first letter; the values of one are counted before any is read.
        inside(text).map_err(whole)?;
        if values::too_many(text) {
            return Err(Refusal::too_many_values());
        }
        let Members(members) = Members::read(text).map_err(whole)?;
        let mut fields = Self(Vec::with_capacity(members.len()));
        for (key, value) in members {
            let name = name(names, &key)?;
            if fields.0.iter().any(|(given, _)| *given == name) {
                return Err(Refusal::field(&key, Reason::Repeated));
            }
            fields.0.push((name, Given::Json(value)));
        }
        Ok(fields)
    }

    /// The fields of a query, beside those already there. Only a list may repeat its name.
    pub(crate) fn and_query(
        mut self,
        names: &'static [&'static str],
        query: &'a [(String, String)],
    ) -> Result<Self, Refusal> {
        for (key, value) in query {
            let name = name(names, key)?;
            match self.0.iter_mut().find(|(given, _)| *given == name) {
                Some((_, Given::Query(values))) => values.push(value),
                Some((_, Given::Json(_))) => return Err(Refusal::field(key, Reason::Repeated)),
                None => self.0.push((name, Given::Query(vec![value]))),
            }
        }
        Ok(self)
    }

    /// No fields at all.
    pub(crate) fn none() -> Self {
        Self(Vec::new())
    }

    /// A text; blank and absent are different things.
    pub(crate) fn text(&self, name: &'static str) -> Result<Option<String>, Refusal> {
        match self.given(name) {
            None => Ok(None),
            Some(Given::Json(json)) => parsed(name, json, "a string"),
            Some(given @ Given::Query(_)) => Ok(Some(given.single(name)?.to_owned())),
        }
    }

    /// A text that names something, so it cannot be empty, nor so long that answers and logs could not repeat it.
    pub(crate) fn id(&self, name: &'static str) -> Result<Option<String>, Refusal> {
        match self.text(name)? {
            Some(text) if text.is_empty() => Err(Refusal::field(name, Reason::Empty)),
            Some(text) if text.len() > MAX_ID_BYTES => {
                Err(Refusal::field(name, Reason::Unsupported("is too long")))
            }
            other => Ok(other),
        }
    }

    /// A whole number within a range.
    pub(crate) fn number(
        &self,
        name: &'static str,
        min: u64,
        max: u64,
    ) -> Result<Option<u64>, Refusal> {
        let expected = "a whole number";
        let number = match self.given(name) {
            None => return Ok(None),
            Some(Given::Json(json)) => parsed::<u64>(name, json, expected)?,
            Some(given @ Given::Query(_)) => {
                let digits = given.single(name)?;
                Some(digits.parse().map_err(|_| wrong(name, expected))?)
            }
        };
        match number {
            Some(number) if !(min..=max).contains(&number) => {
                Err(Refusal::field(name, Reason::OutOfRange { min, max }))
            }
            other => Ok(other),
        }
    }

    /// A part of something, between 0 and 1, in thousandths.
    pub(crate) fn thousandths(&self, name: &'static str) -> Result<Option<u16>, Refusal> {
        let expected = "a number";
        let part: Option<f64> = match self.given(name) {
            None => return Ok(None),
            Some(Given::Json(json)) => parsed(name, json, expected)?,
            Some(given @ Given::Query(_)) => {
                let text = given.single(name)?;
                Some(text.parse().map_err(|_| wrong(name, expected))?)
            }
        };
        let Some(part) = part else {
            return Ok(None);
        };
        if !(0.0..=1.0).contains(&part) {
            return Err(Refusal::field(
                name,
                Reason::Unsupported("must be between 0 and 1"),
            ));
        }
        // In range as was just made sure.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        Ok(Some((part * 1000.0).round() as u16))
    }

    /// True or false.
    pub(crate) fn flag(&self, name: &'static str) -> Result<Option<bool>, Refusal> {
        let expected = "true or false";
        match self.given(name) {
            None => Ok(None),
            Some(Given::Json(json)) => parsed(name, json, expected),
            Some(given @ Given::Query(_)) => match given.single(name)? {
                "true" | "" => Ok(Some(true)),
                "false" => Ok(Some(false)),
                _ => Err(wrong(name, expected)),
            },
        }
    }

    /// One of a list of words.
    pub(crate) fn word<T: Copy>(
        &self,
        name: &'static str,
        allowed: &'static [&'static str],
        meanings: &[T],
    ) -> Result<Option<T>, Refusal> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let found = allowed
            .iter()
            .zip(meanings)
            .find(|(word, _)| **word == text);
        match found {
            Some((_, meaning)) => Ok(Some(*meaning)),
            None => Err(Refusal::field(name, Reason::NotOneOf { allowed })),
        }
    }

    /// As [`Fields::value`], but a list. Anything else is refused as it stands: it may be a text of six million bytes.
    pub(crate) fn list(
        &self,
        name: &'static str,
        expected: &'static str,
    ) -> Result<Option<Value>, Refusal> {
        match self.given(name) {
            Some(Given::Json(json)) if !json.starts_with('[') => Err(wrong(name, expected)),
            _ => self.value(name),
        }
    }

    /// Any JSON; in a query, the texts given.
    pub(crate) fn value(&self, name: &'static str) -> Result<Option<Value>, Refusal> {
        match self.given(name) {
            None => Ok(None),
            // A text where a list is wanted can be six million bytes of escapes as well.
            Some(Given::Json(json)) if json.starts_with('"') => {
                let text = literal::text(json).ok_or_else(|| wrong(name, "Unicode"))?;
                Ok(Some(Value::String(text)))
            }
            Some(Given::Json(json)) => parsed(name, json, "JSON nested less deeply"),
            Some(Given::Query(values)) => {
                Ok(Some(values.iter().copied().map(Value::from).collect()))
            }
        }
    }

    /// A field as given. A null is an absent field: workflows write nulls for what they do not have.
    fn given(&self, name: &'static str) -> Option<&Given<'a>> {
        let found = self.0.iter().find(|(given, _)| *given == name)?;
        match &found.1 {
            Given::Json("null") => None,
            given => Some(given),
        }
    }
}

impl Given<'_> {
    fn single(&self, name: &'static str) -> Result<&str, Refusal> {
        match self {
            Self::Query(values) => match values.as_slice() {
                [value] => Ok(value),
                _ => Err(Refusal::field(name, Reason::Repeated)),
            },
            Self::Json(json) => Ok(json),
        }
    }
}

fn parsed<T: DeserializeOwned>(
    name: &str,
    json: &str,
    expected: &'static str,
) -> Result<Option<T>, Refusal> {
    // The parser's own words may quote the value, so they are not passed on.
    serde_json::from_str(json).map_err(|_| wrong(name, expected))
}

fn wrong(name: &str, expected: &'static str) -> Refusal {
    Refusal::field(name, Reason::WrongType { expected })
}

fn name(names: &'static [&'static str], key: &str) -> Result<&'static str, Refusal> {
    spelling::known(names, key).ok_or_else(|| {
        let suggestion = spelling::nearest(names, key);
        Refusal::field(key, Reason::Unknown { suggestion })
    })
}

fn whole(error: NoMembers) -> Refusal {
    Refusal::whole(match error {
        NoMembers::NotAnObject => Reason::WrongType {
            expected: "a JSON object",
        },
        NoMembers::NotJson => Reason::Malformed { expected: "JSON" },
    })
}

#[cfg(test)]
mod tests {
    use super::Fields;
    use crate::refusal::Refusal;
    use crate::values::MAX_VALUES;

    const NAMES: &[&str] = &["actorId", "maxBytes", "strict", "window", "mode"];

    fn read(text: &str) -> Result<Fields<'_>, Refusal> {
        Fields::of_json(NAMES, text)
    }

    fn refused<T: std::fmt::Debug>(result: Result<T, Refusal>) -> String {
        result.unwrap_err().to_string()
    }

    #[test]
    fn both_spellings_reach_the_same_field() {
        for text in [
            r#"{"actorId":"a","maxBytes":5}"#,
            r#"{"actor_id":"a","max_bytes":5}"#,
        ] {
            let fields = read(text).unwrap();
            assert_eq!(fields.text("actorId").unwrap().as_deref(), Some("a"));
            assert_eq!(fields.number("maxBytes", 1, 9).unwrap(), Some(5));
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, expected) in [
            ("", "the request is not JSON"),
            ("{\"actorId\":", "the request is not JSON"),
            ("[1]", "the request must be a JSON object"),
            ("\"x\"", "the request must be a JSON object"),
            (
                r#"{"actorId":"a","actor_id":"a"}"#,
                "/actor_id is given more than once",
            ),
            (
                r#"{"actorId":"a","actorId":"b"}"#,
                "/actorId is given more than once",
            ),
            (
                r#"{"actorid":"a"}"#,
                "/actorid is not a known field, did you mean actorId?",
            ),
            (r#"{"temperature":1}"#, "/temperature is not a known field"),
        ] {
            assert_eq!(refused(read(text)), expected, "{text}");
        }
    }

    #[test]
    fn a_wrong_type_says_which_one_is_right() {
        let fields = read(r#"{"actorId":1,"maxBytes":"x","strict":"yes","mode":"both"}"#).unwrap();
        assert_eq!(refused(fields.text("actorId")), "/actorId must be a string");
        assert_eq!(
            refused(fields.number("maxBytes", 0, 9)),
            "/maxBytes must be a whole number"
        );
        assert_eq!(
            refused(fields.flag("strict")),
            "/strict must be true or false"
        );
        let mode = fields.word("mode", &["append", "sync"], &[1, 2]);
        assert_eq!(refused(mode), "/mode must be one of append, sync");
        for bad in ["-1", "1.5", "1e400", "99999999999999999999"] {
            let text = format!(r#"{{"maxBytes":{bad}}}"#);
            assert_eq!(
                refused(read(&text).unwrap().number("maxBytes", 0, 9)),
                "/maxBytes must be a whole number"
            );
        }
    }

    #[test]
    fn numbers_stay_in_range_and_ids_have_letters() {
        let fields = read(r#"{"maxBytes":10,"actorId":""}"#).unwrap();
        assert_eq!(
            refused(fields.number("maxBytes", 1, 9)),
            "/maxBytes must be between 1 and 9"
        );
        assert_eq!(refused(fields.id("actorId")), "/actorId must not be empty");
    }

    #[test]
    fn what_would_take_too_much_is_refused_before_it_is_read() {
        let many = format!(r#"{{"window":[{}0]}}"#, "0,".repeat(MAX_VALUES));
        assert_eq!(
            refused(read(&many)),
            "the request has more than 100000 values, an object counted as 3"
        );
        let long = format!(r#"{{"actorId":"{}"}}"#, "a".repeat(9_000));
        assert_eq!(
            refused(read(&long).unwrap().id("actorId")),
            "/actorId is too long"
        );
    }

    #[test]
    fn a_long_name_is_not_repeated_whole() {
        let long = format!(r#"{{"{}":1}}"#, "f".repeat(1_000_000));
        let refusal = read(&long).unwrap_err();
        assert!(
            refusal.to_string().len() < 300,
            "{}",
            refusal.to_string().len()
        );
        assert!(refusal.pointer.starts_with("/fff"), "{}", refusal.pointer);
    }

    #[test]
    fn a_text_is_a_value_too() {
        let fields = read(r#"{"window":"turns:5\u0030"}"#).unwrap();
        assert_eq!(fields.value("window").unwrap().unwrap(), "turns:50");
        let half = read(r#"{"window":"\ud800"}"#).unwrap();
        assert_eq!(refused(half.value("window")), "/window must be Unicode");
    }

    #[test]
    fn null_is_absent() {
        let fields = read(r#"{"actorId":null,"window": null}"#).unwrap();
        assert_eq!(fields.id("actorId").unwrap(), None);
        assert_eq!(fields.value("window").unwrap(), None);
    }

    #[test]
    fn a_query_gives_the_same_fields() {
        let query: Vec<(String, String)> = [
            ("max_bytes", "5"),
            ("strict", "true"),
            ("window", "a"),
            ("window", "b"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into();
        let fields = Fields::none().and_query(NAMES, &query).unwrap();
        assert_eq!(fields.number("maxBytes", 1, 9).unwrap(), Some(5));
        assert_eq!(fields.flag("strict").unwrap(), Some(true));
        assert_eq!(
            fields.value("window").unwrap().unwrap().to_string(),
            r#"["a","b"]"#
        );
        assert_eq!(
            refused(fields.text("window")),
            "/window is given more than once"
        );
        let both = read(r#"{"strict":true}"#).unwrap().and_query(NAMES, &query);
        assert_eq!(refused(both), "/strict is given more than once");
    }

    #[test]
    fn deep_nesting_is_an_error_and_not_a_crash() {
        let text = format!(
            r#"{{"window":{}{}}}"#,
            "[".repeat(90_000),
            "]".repeat(90_000)
        );
        let fields = read(&text).unwrap();
        assert_eq!(
            refused(fields.value("window")),
            "/window must be JSON nested less deeply"
        );
    }
}
