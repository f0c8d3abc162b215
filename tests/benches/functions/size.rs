//! What Lambda has to fetch before it can start a function.

use std::path::Path;
use std::process::{Command, Stdio};

use tests::lambda::deployed;

use crate::FUNCTIONS;
use crate::report::{Report, megabytes};

const ZIPPED_MB: f64 = 3.8;

pub(crate) fn measure(report: &mut Report) {
    let whole = FUNCTIONS.map(|name| (name, whole(&deployed(name))));
    report.noted("binary", "MB", &whole);
    let zipped = FUNCTIONS.map(|name| (name, zipped(&deployed(name))));
    report.bounded("zipped", "MB", ZIPPED_MB, &zipped);
}

fn whole(binary: &Path) -> f64 {
    megabytes(std::fs::metadata(binary).expect("it was built").len())
}

/// A zip file is the deflated binary and some hundred bytes. So is what gzip makes, and gzip is everywhere.
fn zipped(binary: &Path) -> f64 {
    let output = Command::new("gzip")
        .arg("-c")
        .arg(binary)
        .stderr(Stdio::inherit())
        .output()
        .expect("gzip runs");
    assert!(output.status.success(), "gzip failed");
    megabytes(u64::try_from(output.stdout.len()).expect("a sensible size"))
}
