//! `codec`: messages to AgentCore payloads and back, a line at a time.

mod cli;

use std::io::{stdin, stdout};
use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    cli::run(&cli::Args::parse(), stdin().lock(), stdout().lock())
}
