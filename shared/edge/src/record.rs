//! What is kept of one call while it is served, and what becomes of it: a log line, metrics, a span, and the
//! answer in the trigger's own form.

use conversation::{Error, Loaded, Stored, Summarized};

use crate::call::{Call, Source};
use crate::counted::Counts;
use crate::failure::Failure;
use crate::fit::Fitted;
use crate::log::{Fact, Invocation, Level, Log};
use crate::metrics::Metric;
use crate::problem::Problem;
use crate::respond::{self, Fault};
use crate::route::Operation;
use crate::subject::Subject;
use crate::trigger::Payload;

/// One call, from the payload to the answer. It holds ids, counts and sizes, and never content.
#[derive(Debug)]
pub struct Record {
    operation: Operation,
    started_ms: i64,
    /// What the services were asked.
    pub counts: Counts,
    bytes_in: usize,
    source: Source,
    subject: Option<(String, String)>,
    messages: u64,
    mismatches: u64,
    replayed: bool,
    truncated: bool,
    claimed: bool,
}

/// What is known of a call once it is over, for traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// What was done.
    pub operation: Operation,
    /// When it began and ended: milliseconds since the epoch.
    pub started_ms: i64,
    /// When it ended.
    pub ended_ms: i64,
    /// The session, where the call got that far.
    pub session: Option<String>,
    /// How many messages went in or out.
    pub messages: u64,
    /// The code of the failure.
    pub error: Option<&'static str>,
}

impl Record {
    /// Begins the record of a call.
    #[must_use]
    pub fn begin(operation: Operation, now_ms: i64, payload: &str) -> Self {
        Self {
            operation,
            started_ms: now_ms,
            counts: Counts::default(),
            bytes_in: payload.len(),
            source: Source::Direct,
            subject: None,
            messages: 0,
            mismatches: 0,
            replayed: false,
            truncated: false,
            claimed: false,
        }
    }

    /// Reads the call, and remembers how it came, so that even a failure goes back that way.
    ///
    /// # Errors
    /// As [`Call::read`].
    pub fn read<'a>(&mut self, payload: &'a str) -> Result<Call<'a>, Failure> {
        let payload = Payload::recognize(payload);
        self.source = payload.source();
        payload.call(self.operation)
    }

    /// Remembers whose conversation it is.
    pub fn subject(&mut self, subject: &Subject) {
        self.subject = Some((subject.actor.clone(), subject.session.clone()));
    }

    /// Remembers what was loaded.
    pub fn loaded(&mut self, loaded: &Loaded) {
        self.messages = loaded.report.returned;
        self.mismatches = loaded.report.mismatches;
    }

    /// Remembers how the answer was made to fit.
    pub fn fitted(&mut self, fitted: &Fitted) {
        self.truncated = fitted.truncated;
        self.claimed = fitted.claimed;
    }

    /// Remembers what was stored.
    pub fn stored(&mut self, stored: &Stored) {
        self.messages = stored.stored;
        self.replayed = stored.replayed;
    }

    /// Remembers what was summarised.
    pub fn summarized(&mut self, summarized: &Summarized) {
        self.messages = summarized.summarized;
    }

    /// Ends the record: writes the log line and the metrics, and gives the answer in the trigger's form.
    pub fn end(
        &self,
        log: &Log,
        invocation: &Invocation,
        now_ms: i64,
        body: Result<String, Failure>,
    ) -> (Outcome, Result<String, Fault>) {
        let problem = body.as_ref().err().map(Problem::from);
        let failure = body.as_ref().err().cloned();
        let answer = match (body, &problem) {
            (Ok(body), _) => Ok(respond::success(self.source, body)),
            (Err(_), Some(problem)) => {
                respond::failure(self.source, problem, &invocation.request_id)
            }
            (Err(_), None) => Ok(String::new()),
        };
        let bytes_out = answer
            .as_ref()
            .map_or_else(|fault| fault.error_message.len(), String::len);
        let duration_ms = u64::try_from(now_ms.saturating_sub(self.started_ms)).unwrap_or_default();
        self.log_line(
            log,
            invocation,
            now_ms,
            duration_ms,
            bytes_out,
            problem.as_ref().zip(failure.as_ref()),
        );
        log.metrics(
            now_ms,
            self.operation,
            &self.metrics(invocation, duration_ms, bytes_out, failure.as_ref()),
        );
        let outcome = Outcome {
            operation: self.operation,
            started_ms: self.started_ms,
            ended_ms: now_ms,
            session: self.subject.as_ref().map(|(_, session)| session.clone()),
            messages: self.messages,
            error: problem.map(|problem| problem.code),
        };
        (outcome, answer)
    }

    fn log_line(
        &self,
        log: &Log,
        invocation: &Invocation,
        now_ms: i64,
        duration_ms: u64,
        bytes_out: usize,
        failed: Option<(&Problem, &Failure)>,
    ) {
        let size = |bytes: usize| Fact::Number(u64::try_from(bytes).unwrap_or(u64::MAX));
        let mut facts = vec![
            ("operation", Fact::Word(self.operation.name())),
            ("trigger", Fact::Word(self.source.name())),
            ("duration_ms", Fact::Number(duration_ms)),
            ("request.size_bytes", size(self.bytes_in)),
            ("answer.size_bytes", size(bytes_out)),
            ("messages.count", Fact::Number(self.messages)),
            ("events.read", Fact::Number(self.counts.events_read())),
            ("events.written", Fact::Number(self.counts.events_written())),
            ("pages.read", Fact::Number(self.counts.pages())),
            ("retries.count", Fact::Number(self.counts.retries())),
            ("replayed", Fact::Flag(self.replayed)),
            ("truncated", Fact::Flag(self.truncated)),
            ("claimed", Fact::Flag(self.claimed)),
        ];
        if self.operation == Operation::Summarize {
            let (read, wrote) = self.counts.model_tokens();
            facts.push(("model.input_tokens", Fact::Number(read)));
            facts.push(("model.output_tokens", Fact::Number(wrote)));
        }
        if let Some((actor, session)) = &self.subject {
            facts.push(("actor.id", Fact::Id(actor)));
            facts.push(("session.id", Fact::Id(session)));
        }
        let detail = failed.and_then(|(problem, failure)| detail(problem, failure));
        let (level, message) = match failed {
            None => (Level::Info, done(self.operation)),
            Some((problem, _)) => {
                facts.push(("error.code", Fact::Word(problem.code)));
                facts.push(("error.type", Fact::Word(problem.error_type.name())));
                facts.push(("status", Fact::Number(problem.status.into())));
                facts.extend(
                    detail
                        .as_deref()
                        .map(|detail| ("error.detail", Fact::Id(detail))),
                );
                (level_of(problem), "call failed")
            }
        };
        log.line(now_ms, level, invocation, message, &facts);
    }

    fn metrics(
        &self,
        invocation: &Invocation,
        duration_ms: u64,
        bytes_out: usize,
        failure: Option<&Failure>,
    ) -> Vec<(Metric, u64)> {
        let conflict = matches!(failure, Some(Failure::Conversation(Error::Conflict { .. })));
        let damaged = matches!(
            failure,
            Some(Failure::Conversation(Error::Integrity { .. }))
        );
        let mut metrics = vec![
            (Metric::ColdStart, invocation.cold_start.into()),
            (Metric::duration_of(self.operation), duration_ms),
            (Metric::EventsRead, self.counts.events_read()),
            (Metric::EventsWritten, self.counts.events_written()),
            (Metric::Pages, self.counts.pages()),
            (Metric::Retries, self.counts.retries()),
            (Metric::Conflicts, conflict.into()),
            (Metric::Replays, self.replayed.into()),
            (
                Metric::IntegrityErrors,
                self.mismatches + u64::from(damaged),
            ),
            (Metric::Truncated, self.truncated.into()),
            (
                Metric::BytesOut,
                u64::try_from(bytes_out).unwrap_or(u64::MAX),
            ),
            (Metric::Errors, failure.is_some().into()),
        ];
        if self.operation == Operation::Summarize {
            let (read, wrote) = self.counts.model_tokens();
            metrics.push((Metric::ModelInputTokens, read));
            metrics.push((Metric::ModelOutputTokens, wrote));
        }
        metrics
    }
}

fn done(operation: Operation) -> &'static str {
    match operation {
        Operation::Load => "conversation loaded",
        Operation::Store => "turn stored",
        Operation::Summarize => "conversation summarized",
    }
}

/// What the operator needs to know of a failure behind the function: the domain's own words, which hold no
/// content. Of a caller's mistake the code is enough; its words may repeat names the caller chose.
fn detail(problem: &Problem, failure: &Failure) -> Option<String> {
    match failure {
        Failure::Conversation(error) if problem.status >= 429 => Some(error.to_string()),
        _ => None,
    }
}

/// A caller's mistake is a warning; what the operator has to mend is an error.
fn level_of(problem: &Problem) -> Level {
    if problem.status >= 500 {
        Level::Error
    } else {
        Level::Warn
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::Record;
    use crate::failure::Failure;
    use crate::log::{Invocation, Level, Log};
    use crate::route::Operation;
    use crate::testing::Lines;

    fn ended(
        payload: &str,
        body: Result<String, Failure>,
    ) -> (Vec<Value>, Result<String, super::Fault>) {
        let lines = Lines::default();
        let log = Log::new("colloquy", "f", Level::Info, lines.writer());
        let mut record = Record::begin(Operation::Load, 1_000, payload);
        let body = record.read(payload).and(body);
        let (_, answer) = record.end(&log, &Invocation::default(), 1_012, body);
        let lines = lines
            .text()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        (lines, answer)
    }

    #[test]
    fn a_call_leaves_one_line_and_its_metrics() {
        let (lines, answer) = ended("{}", Ok("{}".to_owned()));
        assert_eq!(answer.unwrap(), "{}");
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0]["message"], "conversation loaded");
        assert_eq!(lines[0]["duration_ms"], 12);
        assert_eq!(lines[1]["LoadMs"], 12);
        assert_eq!(lines[1]["Errors"], 0);
    }

    #[test]
    fn a_failure_is_logged_by_its_code_alone() {
        let (lines, answer) = ended("{}", Err(Failure::OtherActor));
        assert_eq!(answer.unwrap_err().error_type, "AccessDenied");
        assert_eq!(
            (&lines[0]["level"], &lines[0]["error.code"]),
            (&"WARN".into(), &"other_actor".into())
        );
        assert_eq!(lines[1]["Errors"], 1);
    }

    #[test]
    fn what_failed_behind_the_function_is_for_the_log_alone() {
        let gap = conversation::Error::Integrity {
            turn: None,
            part: Some(2),
            kind: conversation::IntegrityKind::Gap,
        };
        let (lines, answer) = ended("{}", Err(gap.into()));
        let logged = lines[0]["error.detail"].as_str().unwrap();
        assert!(logged.contains("a committed event is missing"), "{logged}");
        assert!(
            !answer
                .unwrap_err()
                .error_message
                .contains("event is missing")
        );
    }

    #[test]
    fn a_request_nobody_can_read_is_answered_the_way_it_came() {
        let payload = r#"{"rawPath":"/nowhere","requestContext":{"http":{"method":"GET"}}}"#;
        let (_, answer) = ended(payload, Ok(String::new()));
        let answer: Value = serde_json::from_str(&answer.unwrap()).unwrap();
        assert_eq!(answer["statusCode"], 404);
    }
}
