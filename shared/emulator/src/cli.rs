//! The command line: arguments, the greeting and complaints.
// A program speaks to its user through this stream.
#![allow(clippy::print_stderr)]

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Parser;
use emulator::{Auth, Emulator, FaultPlan, MemorySpec, Options, StartError, Switches};
use serde::de::DeserializeOwned;

const HARDEST: &str = "hardest";
const REPORTED: &str = "reported";

const EXAMPLES: &str = "Examples:
  emulator --port 9001
  emulator --port 9001 --data .emulator
  emulator --faults faults.json --rate-limits
  emulator --switches reported
  AWS_ENDPOINT_URL=http://127.0.0.1:9001 aws bedrock-agentcore list-actors --memory-id local-0000000000

A fault plan:
  {\"seed\": 1, \"rules\": [
    {\"operation\": \"CreateEvent\", \"nth\": 3, \"action\": \"throttle\"},
    {\"operation\": \"ListEvents\", \"share\": 0.1, \"action\": {\"delayMs\": 200}}]}";

/// Amazon Bedrock AgentCore Memory on loopback, with a stand-in for Bedrock Converse.
#[derive(Debug, Parser)]
#[command(name = "emulator", after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Port to listen on; 0 picks a free one.
    #[arg(long, default_value_t = 9001)]
    port: u16,
    /// Address to listen on. Anything but loopback is open to the network.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// Directory in which everything is kept across restarts.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Fault plan as a JSON file.
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,
    /// How open questions about the service are read: `hardest` on a client, as it is `reported`, or by a JSON
    /// file, which leaves out what shall be hardest.
    #[arg(long, value_name = "hardest|reported|FILE", default_value = HARDEST)]
    switches: PathBuf,
    /// Memory that exists from the start.
    #[arg(long, value_name = "ID", default_value = emulator::DEFAULT_MEMORY_ID)]
    memory: String,
    /// Days after which events of that memory expire.
    #[arg(long, value_name = "DAYS", default_value_t = 7)]
    expiry_days: u32,
    /// Milliseconds for which a new memory stays in CREATING.
    #[arg(long, value_name = "MS", default_value_t = 0)]
    memory_delay_ms: u64,
    /// Apply the rate limits of the service.
    #[arg(long)]
    rate_limits: bool,
    /// Require a valid signature by the test key.
    #[arg(long)]
    verify_signatures: bool,
    /// Seed of ids and of arbitrary orders.
    #[arg(long)]
    seed: Option<u64>,
}

/// Why the program ends early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    #[error("cannot read {path}: {source}")]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{path} is not valid: {source}")]
    Parse {
        path: PathBuf,
        source: serde_json::Error,
    },
    #[error(transparent)]
    Start(#[from] StartError),
}

impl Arguments {
    pub(crate) fn into_options(self) -> Result<Options, CliError> {
        Ok(Options {
            host: self.host,
            port: self.port,
            data: self.data,
            seed: self.seed,
            memory_delay: Duration::from_millis(self.memory_delay_ms),
            memories: vec![MemorySpec {
                id: self.memory,
                expiry_days: self.expiry_days,
            }],
            switches: switches(&self.switches)?,
            rate_limits: self.rate_limits,
            auth: if self.verify_signatures {
                Auth::verify_test_key()
            } else {
                Auth::Accept
            },
            faults: self
                .faults
                .as_deref()
                .map_or_else(|| Ok(FaultPlan::default()), read_json)?,
            ..Options::default()
        })
    }
}

/// One of the two named readings, or a file.
fn switches(given: &Path) -> Result<Switches, CliError> {
    match given.to_str() {
        Some(HARDEST) => Ok(Switches::default()),
        Some(REPORTED) => Ok(Switches::reported()),
        _ => read_json(given),
    }
}

/// Says where the emulator is and how to try it. Nobody has to listen: a closed stream does not end the server.
pub(crate) fn greet(emulator: &Emulator) {
    let url = emulator.url();
    let mut text = format!("emulator listening on {url}\n");
    for memory in emulator.memories() {
        text.push_str(&first_calls(&url, &memory));
    }
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Two commands that write an event and read it back, the second no sooner than the event can be seen under the
/// hardest switches.
fn first_calls(url: &str, memory: &str) -> String {
    let event = r#"{\"actorId\":\"me\",\"sessionId\":\"first\",\"eventTimestamp\":$(date +%s),\"payload\":[{\"conversational\":{\"content\":{\"text\":\"hello\"},\"role\":\"USER\"}}]}"#;
    format!(
        "memory {memory}\ntry:\n  curl -s {url}/memories/{memory}/events -H 'content-type: application/json' -d \"{event}\"\n  \
         sleep 1; curl -s {url}/memories/{memory}/actor/me/sessions/first -d '{{}}'\n"
    )
}

pub(crate) fn complain(error: &CliError) {
    eprintln!("emulator: {error}");
    if let CliError::Start(StartError::Listen { source, .. }) = error
        && source.kind() == std::io::ErrorKind::AddrInUse
    {
        eprintln!(
            "another program has this port; choose one with --port, or --port 0 for any free one"
        );
    }
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, CliError> {
    let text = std::fs::read_to_string(path).map_err(|source| CliError::Read {
        path: path.into(),
        source,
    })?;
    serde_json::from_str(&text).map_err(|source| CliError::Parse {
        path: path.into(),
        source,
    })
}
