//! Log lines: one JSON object each, under the field names Powertools uses.
//!
//! A line takes numbers, words of our own and ids, and nothing else. There is no way to hand it a message,
//! so there is no level at which one could be logged.

use std::io::Write;
use std::str::FromStr;
use std::sync::Mutex;

use serde::Serialize;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::timestamp::rfc3339;

/// How much is logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What somebody has to look at.
    Error,
    /// What went wrong for one caller.
    Warn,
    /// One line a call.
    #[default]
    Info,
    /// The steps of a call.
    Debug,
}

/// The word is no level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("must be ERROR, WARN, INFO or DEBUG")]
pub struct NotALevel;

/// Where lines go. One a process.
pub struct Log {
    level: Level,
    service: &'static str,
    function: String,
    out: Mutex<Box<dyn Write + Send>>,
}

/// What all lines of one invocation have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invocation {
    /// Lambda's id of the request.
    pub request_id: String,
    /// When Lambda ends it: milliseconds since the epoch.
    pub deadline_ms: u64,
    /// Whether it is the first of this process.
    pub cold_start: bool,
    /// The trace it belongs to: the value of the `X-Amzn-Trace-Id` header.
    pub trace: Option<String>,
}

/// A value a line may have.
#[derive(Clone, Copy, Debug)]
pub enum Fact<'a> {
    /// A size, a duration, a count.
    Number(u64),
    /// Yes or no.
    Flag(bool),
    /// A word this project chose.
    Word(&'static str),
    /// An identifier.
    Id(&'a str),
}

impl Log {
    /// A log of `service` in the function of that name.
    #[must_use]
    pub fn new(
        service: &'static str,
        function: &str,
        level: Level,
        out: Box<dyn Write + Send>,
    ) -> Self {
        Self {
            level,
            service,
            function: function.to_owned(),
            out: Mutex::new(out),
        }
    }

    /// Writes a line, unless the level is below what is wanted.
    pub fn line(
        &self,
        at_ms: i64,
        level: Level,
        invocation: &Invocation,
        message: &'static str,
        facts: &[(&'static str, Fact<'_>)],
    ) {
        if level > self.level {
            return;
        }
        let mut line = Map::new();
        let mut put = |name: &str, value: Value| line.insert(name.to_owned(), value);
        put("level", level.name().into());
        put("timestamp", rfc3339(at_ms).into());
        put("service", self.service.into());
        put("function_name", self.function.as_str().into());
        put("function_request_id", invocation.request_id.as_str().into());
        put("cold_start", invocation.cold_start.into());
        if let Some(trace) = invocation.trace.as_deref().and_then(root) {
            put("xray_trace_id", trace.into());
        }
        put("message", message.into());
        for (name, fact) in facts {
            put(name, Value::from(*fact));
        }
        self.write(&Value::Object(line));
    }

    /// Writes a line of any JSON: metrics.
    pub(crate) fn write(&self, line: &impl Serialize) {
        // A log that cannot be written must not fail the call it is about.
        let Ok(mut text) = serde_json::to_vec(line) else {
            return;
        };
        text.push(b'\n');
        let mut out = self
            .out
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let _ = out.write_all(&text).and_then(|()| out.flush());
    }

    /// The service all lines name.
    pub(crate) fn service(&self) -> &'static str {
        self.service
    }
}

impl Level {
    /// Its name in a line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "ERROR",
            Self::Warn => "WARN",
            Self::Info => "INFO",
            Self::Debug => "DEBUG",
        }
    }
}

impl FromStr for Level {
    type Err = NotALevel;

    fn from_str(text: &str) -> Result<Self, NotALevel> {
        match text.to_ascii_uppercase().as_str() {
            "ERROR" | "FATAL" | "CRITICAL" => Ok(Self::Error),
            "WARN" | "WARNING" => Ok(Self::Warn),
            "INFO" => Ok(Self::Info),
            "DEBUG" | "TRACE" => Ok(Self::Debug),
            _ => Err(NotALevel),
        }
    }
}

impl From<Fact<'_>> for Value {
    fn from(fact: Fact<'_>) -> Self {
        match fact {
            Fact::Number(number) => number.into(),
            Fact::Flag(flag) => flag.into(),
            Fact::Word(word) => word.into(),
            Fact::Id(id) => shortened(id).into(),
        }
    }
}

/// An id the caller chose can be of any length, and a line of the log cannot.
fn shortened(id: &str) -> String {
    let mut letters = id.chars();
    let mut short: String = letters.by_ref().take(MAX_ID_CHARS).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

const MAX_ID_CHARS: usize = 512;

/// The trace id in `Root=1-…;Parent=…;Sampled=1`.
fn root(trace: &str) -> Option<&str> {
    trace
        .split(';')
        .find_map(|part| part.trim().strip_prefix("Root="))
}

#[cfg(test)]
mod tests {
    use super::{Fact, Invocation, Level, Log};
    use crate::testing::Lines;

    fn invocation() -> Invocation {
        Invocation {
            request_id: "r".to_owned(),
            deadline_ms: 0,
            cold_start: true,
            trace: Some("Root=1-ab-cd;Parent=ef;Sampled=1".to_owned()),
        }
    }

    #[test]
    fn a_line_has_the_names_tools_look_for() {
        let lines = Lines::default();
        let log = Log::new("load", "colloquy-load", Level::Info, lines.writer());
        let facts = [
            ("duration_ms", Fact::Number(7)),
            ("session.id", Fact::Id("s\n\"")),
            ("truncated", Fact::Flag(false)),
        ];
        log.line(0, Level::Info, &invocation(), "conversation loaded", &facts);
        assert_eq!(
            lines.text(),
            concat!(
                r#"{"level":"INFO","timestamp":"1970-01-01T00:00:00.000Z","service":"load","#,
                r#""function_name":"colloquy-load","function_request_id":"r","cold_start":true,"#,
                r#""xray_trace_id":"1-ab-cd","message":"conversation loaded","duration_ms":7,"#,
                r#""session.id":"s\n\"","truncated":false}"#,
                "\n"
            )
        );
    }

    #[test]
    fn a_long_id_is_cut() {
        let lines = Lines::default();
        let log = Log::new("load", "f", Level::Info, lines.writer());
        let id = "a".repeat(1_000_000);
        log.line(
            0,
            Level::Info,
            &invocation(),
            "m",
            &[("session.id", Fact::Id(&id))],
        );
        let text = lines.text();
        assert!(
            text.contains("aaa…") && text.len() < 1_000,
            "{}",
            text.len()
        );
    }

    #[test]
    fn lines_below_the_level_are_not_written() {
        let lines = Lines::default();
        let log = Log::new("load", "f", Level::Warn, lines.writer());
        log.line(0, Level::Info, &invocation(), "quiet", &[]);
        assert_eq!(lines.text(), "");
        log.line(0, Level::Error, &invocation(), "loud", &[]);
        assert!(lines.text().contains("loud"));
    }

    #[test]
    fn levels_have_the_names_lambda_uses() {
        assert_eq!("debug".parse(), Ok(Level::Debug));
        assert_eq!("WARNING".parse(), Ok(Level::Warn));
        assert!("loud".parse::<Level>().is_err());
    }
}
