//! Metrics in the embedded metric format: a line on stdout that `CloudWatch` turns into metrics.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::log::Log;
use crate::route::Operation;

/// The namespace of all metrics.
pub const NAMESPACE: &str = "Colloquy";

/// What is measured. Dimensions are the service and the operation alone: one a caller would cost one
/// metric a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Invocations that started a process.
    ColdStart,
    /// How long a load took.
    LoadMs,
    /// How long a store took.
    StoreMs,
    /// How long a summary took.
    SummarizeMs,
    /// Events the log returned.
    EventsRead,
    /// Events written to the log.
    EventsWritten,
    /// Pages of events read.
    Pages,
    /// Calls to a service that had to be repeated.
    Retries,
    /// Stores refused because the conversation had moved on.
    Conflicts,
    /// Stores recognised as repetitions.
    Replays,
    /// Damage found in stored conversations.
    IntegrityErrors,
    /// Answers cut to size.
    Truncated,
    /// Bytes answered.
    BytesOut,
    /// Tokens models read for summaries.
    ModelInputTokens,
    /// Tokens models wrote as summaries.
    ModelOutputTokens,
    /// Calls that failed.
    Errors,
}

impl Metric {
    /// Every metric, for dashboards and alarms.
    pub const ALL: [Self; 16] = [
        Self::ColdStart,
        Self::LoadMs,
        Self::StoreMs,
        Self::SummarizeMs,
        Self::EventsRead,
        Self::EventsWritten,
        Self::Pages,
        Self::Retries,
        Self::Conflicts,
        Self::Replays,
        Self::IntegrityErrors,
        Self::Truncated,
        Self::BytesOut,
        Self::ModelInputTokens,
        Self::ModelOutputTokens,
        Self::Errors,
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ColdStart => "ColdStart",
            Self::LoadMs => "LoadMs",
            Self::StoreMs => "StoreMs",
            Self::SummarizeMs => "SummarizeMs",
            Self::EventsRead => "EventsRead",
            Self::EventsWritten => "EventsWritten",
            Self::Pages => "Pages",
            Self::Retries => "Retries",
            Self::Conflicts => "Conflicts",
            Self::Replays => "Replays",
            Self::IntegrityErrors => "IntegrityErrors",
            Self::Truncated => "Truncated",
            Self::BytesOut => "BytesOut",
            Self::ModelInputTokens => "ModelInputTokens",
            Self::ModelOutputTokens => "ModelOutputTokens",
            Self::Errors => "Errors",
        }
    }

    /// Its unit, in the words of `CloudWatch`.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::LoadMs | Self::StoreMs | Self::SummarizeMs => "Milliseconds",
            Self::BytesOut => "Bytes",
            Self::ColdStart
            | Self::EventsRead
            | Self::EventsWritten
            | Self::Pages
            | Self::Retries
            | Self::Conflicts
            | Self::Replays
            | Self::IntegrityErrors
            | Self::Truncated
            | Self::ModelInputTokens
            | Self::ModelOutputTokens
            | Self::Errors => "Count",
        }
    }

    /// How long an operation took.
    #[must_use]
    pub fn duration_of(operation: Operation) -> Self {
        match operation {
            Operation::Load => Self::LoadMs,
            Operation::Store => Self::StoreMs,
            Operation::Summarize => Self::SummarizeMs,
        }
    }
}

impl Log {
    /// Writes the metrics of one call.
    pub fn metrics(&self, at_ms: i64, operation: Operation, values: &[(Metric, u64)]) {
        self.write(&Line {
            at_ms,
            service: self.service(),
            operation: operation.name(),
            values,
        });
    }
}

/// What one call is measured by, in the form it is written in.
struct Line<'a> {
    at_ms: i64,
    service: &'a str,
    operation: &'a str,
    values: &'a [(Metric, u64)],
}

/// What of a line are metrics.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct About<'a> {
    timestamp: i64,
    cloud_watch_metrics: [Directive<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Directive<'a> {
    namespace: &'a str,
    dimensions: [[&'a str; 2]; 1],
    metrics: Vec<Definition>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Definition {
    name: &'static str,
    unit: &'static str,
}

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let definition = |(metric, _): &(Metric, u64)| Definition {
            name: metric.name(),
            unit: metric.unit(),
        };
        let about = About {
            timestamp: self.at_ms,
            cloud_watch_metrics: [Directive {
                namespace: NAMESPACE,
                dimensions: [["service", "operation"]],
                metrics: self.values.iter().map(definition).collect(),
            }],
        };
        let mut line = serializer.serialize_map(None)?;
        line.serialize_entry("_aws", &about)?;
        line.serialize_entry("service", self.service)?;
        line.serialize_entry("operation", self.operation)?;
        for (metric, value) in self.values {
            line.serialize_entry(metric.name(), value)?;
        }
        line.end()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::Metric;
    use crate::log::{Level, Log};
    use crate::route::Operation;
    use crate::testing::Lines;

    #[test]
    fn a_line_defines_what_it_measures() {
        let lines = Lines::default();
        let log = Log::new("colloquy", "f", Level::Error, lines.writer());
        log.metrics(
            5,
            Operation::Load,
            &[(Metric::LoadMs, 12), (Metric::Pages, 1)],
        );
        let line: Value = serde_json::from_str(&lines.text()).unwrap();
        let expected = json!({
            "_aws": {"Timestamp": 5, "CloudWatchMetrics": [{
                "Namespace": "Colloquy",
                "Dimensions": [["service", "operation"]],
                "Metrics": [
                    {"Name": "LoadMs", "Unit": "Milliseconds"},
                    {"Name": "Pages", "Unit": "Count"}
                ]
            }]},
            "service": "colloquy",
            "operation": "load",
            "LoadMs": 12,
            "Pages": 1
        });
        assert_eq!(line, expected);
    }

    #[test]
    fn every_metric_has_a_name_of_its_own() {
        let names: BTreeSet<&str> = Metric::ALL.iter().map(|metric| metric.name()).collect();
        assert_eq!(names.len(), Metric::ALL.len());
    }
}
