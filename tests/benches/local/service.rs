//! The program under load.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running `colloquy`. It is killed with this value.
pub(crate) struct Service {
    process: Child,
    address: String,
}

impl Service {
    /// Starts the optimised program on free ports, with its data on disk.
    pub(crate) fn start(directory: &Path) -> Self {
        let mut process = Command::new(env!("CARGO"))
            // Cargo becomes the program, so this is its process.
            .args([
                "run",
                "--release",
                "--quiet",
                "--locked",
                "-p",
                "local",
                "--",
            ])
            .args([
                "--port",
                "0",
                "--emulator-port",
                "0",
                "--dynamodb-port",
                "0",
                "--data",
            ])
            .arg(directory)
            .stdout(Stdio::piped())
            .spawn()
            .expect("cargo runs");
        let lines = BufReader::new(process.stdout.take().expect("piped")).lines();
        let line = lines
            .map(|line| line.expect("text"))
            .find(|line| line.contains("HTTP API"))
            .expect("a greeting");
        let address = line
            .rsplit("http://")
            .next()
            .expect("an address")
            .to_owned();
        Self { process, address }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn resident_kb(&self) -> u64 {
        let status = format!("/proc/{}/status", self.process.id());
        let status = std::fs::read_to_string(status).expect("it runs");
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let number = line.and_then(|line| line.split_whitespace().nth(1));
        number
            .and_then(|number| number.parse().ok())
            .expect("a number")
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
