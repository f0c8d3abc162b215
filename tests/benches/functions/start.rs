//! From the start of the process to the moment it asks for its first call.

use tests::lambda::{Function, deployed};

use crate::FUNCTIONS;
use crate::report::{Figure, Report, median, megabytes};
use crate::services::{Services, borrowed};

const STARTS: usize = 50;
const START_MS: f64 = 12.0;
const RESIDENT_MB: f64 = 12.0;

pub(crate) async fn measure(report: &mut Report, services: &Services) {
    let (times, resident) = all(&services.plain()).await;
    let name = format!("exec to first /next, median of {STARTS}");
    report.bounded(&name, "ms", START_MS, &times);
    report.bounded(
        "resident memory then, most of them",
        "MB",
        RESIDENT_MB,
        &resident,
    );
    let (times, resident) = all(&services.secure()).await;
    // To be known only: the handshakes' other ends run in this process, on the same cores.
    report.noted("the same with TLS to the services", "ms", &times);
    report.bounded(
        "resident memory then, most of them",
        "MB",
        RESIDENT_MB,
        &resident,
    );
}

async fn all(variables: &[(&str, String)]) -> (Vec<Figure>, Vec<Figure>) {
    let (mut times, mut resident) = (Vec::new(), Vec::new());
    for name in FUNCTIONS {
        let (time, memory) = starts(name, variables).await;
        times.push((name, time));
        resident.push((name, memory));
    }
    (times, resident)
}

async fn starts(name: &str, variables: &[(&str, String)]) -> (f64, f64) {
    let (binary, variables) = (deployed(name), borrowed(variables));
    let mut times = Vec::new();
    let mut resident = 0;
    for _ in 0..STARTS {
        let function = Function::start_program(&binary, name, &variables).await;
        times.push(function.api.first_poll().await - function.started);
        resident = resident.max(function.resident_kb());
    }
    (median(times), megabytes(1_024 * resident))
}
