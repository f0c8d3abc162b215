//! Drives an AgentCore Memory endpoint with plain HTTP, fast enough not to be the bottleneck.
//!
//! It speaks to any emulator of the service alike: kept-alive connections where the server allows them, a
//! new one for each request where it does not. Prints one line of JSON.

mod connection;
mod request;

use std::io::{Write, stdout};
use std::net::SocketAddr;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::{Parser, ValueEnum};

use connection::{Connection, LoadError};
use request::RequestWriter;

/// Events in the session that is listed, and the size of the page asked for.
const LISTED_EVENTS: usize = 100;

/// Drive one operation of an AgentCore Memory endpoint for some seconds and print its throughput.
#[derive(Debug, Parser)]
struct Arguments {
    /// Where the server listens.
    #[arg(long)]
    address: SocketAddr,
    /// Which operation to repeat.
    #[arg(long)]
    operation: Operation,
    /// Id of a memory the server knows.
    #[arg(long)]
    memory: String,
    /// Connections that send at the same time, each one request after another.
    #[arg(long, default_value_t = 8)]
    connections: usize,
    /// How long to send.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Operation {
    /// `CreateEvent`: one text of 200 characters, 100 events to a session.
    Create,
    /// `ListEvents`: a page of 100 out of a session of 100, with payloads.
    List,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match drive(&arguments) {
        Ok(line) => match writeln!(stdout(), "{line}") {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        Err(error) => {
            // Nothing is left to tell when stderr is closed as well.
            let _ = writeln!(std::io::stderr(), "load-generator: {error}");
            ExitCode::FAILURE
        }
    }
}

fn drive(arguments: &Arguments) -> Result<String, LoadError> {
    if matches!(arguments.operation, Operation::List) {
        fill_session(arguments)?;
    }
    let started = Instant::now();
    let until = started + Duration::from_secs(arguments.seconds);
    let counts: Result<Vec<u64>, LoadError> = thread::scope(|scope| {
        let senders: Vec<_> = (0..arguments.connections)
            .map(|number| scope.spawn(move || send(arguments, number, until)))
            .collect();
        senders
            .into_iter()
            .map(|sender| sender.join().unwrap_or(Err(LoadError::SenderDied)))
            .collect()
    });
    let requests: u64 = counts?.iter().sum();
    let elapsed = started.elapsed();
    let per_second = u128::from(requests) * 1_000_000 / elapsed.as_micros().max(1);
    Ok(format!(
        r#"{{"requests":{requests},"milliseconds":{},"perSecond":{per_second}}}"#,
        elapsed.as_millis()
    ))
}

/// Writes the events that the listing then asks for.
fn fill_session(arguments: &Arguments) -> Result<(), LoadError> {
    let mut connection = Connection::open(arguments.address)?;
    let mut requests = RequestWriter::new(&arguments.memory, "listed", now_millis());
    for _ in 0..LISTED_EVENTS {
        connection.exchange(requests.create("listed"), 201)?;
    }
    Ok(())
}

/// One sender: the number of requests it had answered as they should be.
fn send(arguments: &Arguments, number: usize, until: Instant) -> Result<u64, LoadError> {
    let mut connection = Connection::open(arguments.address)?;
    let mut requests =
        RequestWriter::new(&arguments.memory, &format!("sender-{number}"), now_millis());
    let mut answered = 0_u64;
    while Instant::now() < until {
        match arguments.operation {
            Operation::Create => {
                let session = format!("session-{number}-{}", answered / 100);
                connection.exchange(requests.create(&session), 201)?;
            }
            Operation::List => {
                let body = connection.exchange(requests.list("listed", LISTED_EVENTS), 200)?;
                // Looking into each answer would cost more than sending it; the first one proves the case.
                if answered == 0 {
                    check_page(body)?;
                }
            }
        }
        answered += 1;
    }
    Ok(answered)
}

fn check_page(body: &[u8]) -> Result<(), LoadError> {
    let count = |needle: &[u8]| {
        body.windows(needle.len())
            .filter(|window| *window == needle)
            .count()
    };
    let (events, payloads) = (count(br#""eventId""#), count(br#""conversational""#));
    if events == LISTED_EVENTS && payloads == LISTED_EVENTS {
        Ok(())
    } else {
        Err(LoadError::WrongPage { events, payloads })
    }
}

fn now_millis() -> u128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_millis())
}
