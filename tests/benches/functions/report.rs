//! The table.

use std::process::ExitCode;
use std::time::Duration;

/// What was measured of each function, and whether it is within its bar.
pub(crate) struct Report {
    columns: Vec<&'static str>,
    rows: Vec<Row>,
}

/// What was measured of a function.
pub(crate) type Figure = (&'static str, f64);

struct Row {
    name: String,
    unit: &'static str,
    bar: Option<f64>,
    values: Vec<Option<f64>>,
}

impl Report {
    pub(crate) fn new(columns: &[&'static str]) -> Self {
        Self {
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds figures of functions, none of which may be above the bar.
    pub(crate) fn bounded(&mut self, name: &str, unit: &'static str, bar: f64, figures: &[Figure]) {
        self.add(name, unit, Some(bar), figures);
    }

    /// Adds figures of functions, to be known and no more.
    pub(crate) fn noted(&mut self, name: &str, unit: &'static str, figures: &[Figure]) {
        self.add(name, unit, None, figures);
    }

    fn add(&mut self, name: &str, unit: &'static str, bar: Option<f64>, figures: &[Figure]) {
        let of = |column: &&str| figures.iter().find(|(function, _)| function == column);
        let values = self
            .columns
            .iter()
            .map(|column| of(column).map(|(_, value)| *value));
        self.rows.push(Row {
            name: name.to_owned(),
            unit,
            bar,
            values: values.collect(),
        });
    }

    pub(crate) fn print(&self) {
        println!("| measure | bar | {} | |", self.columns.join(" | "));
        println!("|---|---|{}---|", "---|".repeat(self.columns.len()));
        for row in &self.rows {
            let figure = |value: &Option<f64>| {
                value.map_or_else(
                    || "–".to_owned(),
                    |value| format!("{value:.2} {}", row.unit),
                )
            };
            let bar = row
                .bar
                .map_or_else(String::new, |bar| format!("≤ {bar} {}", row.unit));
            let values: Vec<String> = row.values.iter().map(figure).collect();
            println!(
                "| {} | {bar} | {} | {} |",
                row.name,
                values.join(" | "),
                row.word()
            );
        }
    }

    /// Success where every bar is met.
    pub(crate) fn verdict(&self) -> ExitCode {
        if self.rows.iter().all(Row::is_met) {
            ExitCode::SUCCESS
        } else {
            println!("\nA bar is not met. Was the machine doing nothing else?");
            ExitCode::FAILURE
        }
    }
}

impl Row {
    fn is_met(&self) -> bool {
        self.bar
            .is_none_or(|bar| self.values.iter().flatten().all(|value| *value <= bar))
    }

    fn word(&self) -> &'static str {
        match self.bar {
            None => "",
            Some(_) if self.is_met() => "pass",
            Some(_) => "FAIL",
        }
    }
}

/// The middle one.
pub(crate) fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    millis(times[times.len() / 2])
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}

/// Millions of bytes.
pub(crate) fn megabytes(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes).expect("a sensible size")) / 1_000_000.0
}
