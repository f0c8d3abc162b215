//! `cargo run`: the whole service on loopback.

// A program speaks to its user through these streams.
#![allow(clippy::print_stderr)]

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use local::{Options, Stack, StartError, greeting};
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> ExitCode {
    match serve(&Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("colloquy: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(options: &Options) -> Result<(), StartError> {
    let stack = Stack::start(options).await?;
    // Nobody has to listen: a closed stream does not end the service.
    let _ = std::io::stdout().write_all(greeting(&stack, options).as_bytes());
    told_to_stop().await;
    stack.stop().await;
    Ok(())
}

/// Ctrl-C, or the polite signal of a process manager.
async fn told_to_stop() {
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        },
        Err(_) => {
            let _ = tokio::signal::ctrl_c().await;
        }
    }
}
