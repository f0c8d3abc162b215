//! The functions as deployed: how large they are, how long they take to start, how much memory they need then, and
//! how long a call takes once they run. Prints a table and fails where a bar is not met; docs/benchmarks.md keeps one.

// A measurement that cannot be taken has nothing to say, and this program nothing to do but print.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::print_stdout)]

mod calls;
mod refusals;
mod report;
mod services;
mod size;
mod start;

use std::process::ExitCode;

use report::Report;
use services::Services;

/// The functions measured, which are the columns of the table.
const FUNCTIONS: [&str; 3] = ["load", "store", "summarize"];

#[tokio::main]
async fn main() -> ExitCode {
    let services = Services::start().await;
    let mut report = Report::new(&FUNCTIONS);
    size::measure(&mut report);
    start::measure(&mut report, &services).await;
    calls::measure(&mut report, &services).await;
    refusals::measure(&mut report, &services).await;
    report.print();
    report.verdict()
}
