//! The emulator as a program.

mod cli;

use std::process::ExitCode;

use clap::Parser;
use emulator::Emulator;

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = cli::Arguments::parse();
    match serve(arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            cli::complain(&error);
            ExitCode::FAILURE
        }
    }
}

async fn serve(arguments: cli::Arguments) -> Result<(), cli::CliError> {
    let emulator = Emulator::start(arguments.into_options()?).await?;
    cli::greet(&emulator);
    // Ends on Ctrl-C. Being killed instead loses nothing that was acknowledged.
    let _ = tokio::signal::ctrl_c().await;
    emulator.stop().await;
    Ok(())
}
