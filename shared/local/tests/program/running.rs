//! The program as a process, and a client for it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A running `colloquy`. It is killed with this value.
pub(crate) struct Running {
    process: Child,
    /// What it said at the start, up to its last line.
    pub(crate) greeting: String,
}

impl Running {
    /// Starts it on free ports, keeping its data in the directory.
    pub(crate) fn keeping(directory: &Path) -> Self {
        Self::start(&["--data", directory.to_str().unwrap()])
    }

    /// Starts it on free ports with more arguments, and waits for its greeting.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut process = command(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut greeting = String::new();
        let mut lines = BufReader::new(process.stdout.take().unwrap());
        while commands(&greeting).len() < 2 {
            assert_ne!(
                lines.read_line(&mut greeting).unwrap(),
                0,
                "it ended after saying {greeting:?}"
            );
        }
        Self { process, greeting }
    }

    /// The address of the API, from its greeting.
    pub(crate) fn url(&self) -> &str {
        let line = self
            .greeting
            .lines()
            .find(|line| line.contains("HTTP API"))
            .unwrap();
        line.split_whitespace().last().unwrap()
    }

    /// Sends it a signal by the name `kill` knows.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.process.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-s", name, &id])
                .status()
                .unwrap()
                .success()
        );
    }

    /// Waits for its end.
    pub(crate) fn ended(&mut self, within: Duration) -> ExitStatus {
        let start = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status;
            }
            assert!(start.elapsed() < within, "it still runs");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends it without a chance to do anything.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The program on free ports.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_colloquy"));
    for flag in ["--port", "--emulator-port", "--dynamodb-port"] {
        if !arguments.contains(&flag) {
            command.args([flag, "0"]);
        }
    }
    command.args(arguments);
    command
}

/// The commands a greeting has to paste.
pub(crate) fn commands(greeting: &str) -> Vec<&str> {
    // The last line may still be under way.
    let whole = greeting
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    whole
        .map(str::trim)
        .filter(|line| line.starts_with("curl "))
        .collect()
}

/// Runs a line as a shell would, and reads its output as JSON.
pub(crate) fn paste(line: &str) -> Value {
    let output = Command::new("bash").args(["-c", line]).output().unwrap();
    assert!(output.status.success(), "{line}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{line}: {error}"))
}
