//! The simulation as a command: `cargo run --release -p simulation -- --steps 1000000`.

// Progress and the summary are this command's output.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use simulation::{EVERYTHING, Failure, Setup, campaign, explore};

/// Runs the protocol under crashes, lost answers, skewed clocks and more, by seed.
#[derive(Debug, Parser)]
struct Arguments {
    /// Scheduling decisions to take; runs are finished, so it will be a few more.
    #[arg(long, default_value_t = 1_000_000)]
    steps: u64,
    /// The first run's seed; the next runs count on from it.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Search every schedule of two writers instead.
    #[arg(long)]
    exhaustive: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = if arguments.exhaustive {
        search()
    } else {
        sample(&arguments)
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn sample(arguments: &Arguments) -> Result<(), Failure> {
    let start = Instant::now();
    let mut told = 0;
    let mut runs = 0_u64;
    let total = campaign(arguments.seed, arguments.steps, |seed, total| {
        runs += 1;
        if total.steps / 100_000 > told {
            told = total.steps / 100_000;
            println!(
                "{:>9} steps, up to seed {seed}, {:.1} s",
                total.steps,
                start.elapsed().as_secs_f64()
            );
        }
    })?;
    println!(
        "{} steps in {runs} runs held, {:.1} s",
        total.steps,
        start.elapsed().as_secs_f64()
    );
    print!("{}", total.coverage);
    let missing = total.coverage.missing(EVERYTHING);
    if !missing.is_empty() {
        println!("never happened: {}", missing.join(", "));
    }
    Ok(())
}

fn search() -> Result<(), Failure> {
    let start = Instant::now();
    let mut schedules = 0;
    for setup in Setup::all() {
        let explored = explore(setup)?;
        schedules += explored.schedules;
        println!("{setup}: {explored}");
    }
    println!(
        "{schedules} schedules held, {:.1} s",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}
