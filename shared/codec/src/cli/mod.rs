//! The command line: one line of JSON in, one line of JSON out.

mod decode;
mod encode;
mod fault;

use std::io::{BufRead, BufWriter, ErrorKind, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use codec::{Dialect, Mode};
use serde_json::Value;

use fault::Fault;

/// Conversation messages to AgentCore Memory payloads and back, without loss.
///
/// Reads JSON lines from standard input and writes one line of JSON for each line it reads. A line that cannot be
/// converted yields {"error":{"code","message","path"}} in its place; then the exit code is 1 in the end.
#[derive(Debug, Parser)]
#[command(name = "codec", version, after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = r#"Examples:
  A message as the payload of a CreateEvent call:
    echo '{"role":"user","content":[{"type":"text","text":"hi"}]}' | codec encode

  The same from a Bedrock Converse message, and back again:
    echo '{"role":"user","content":[{"text":"hi"}]}' | codec encode --from converse | codec decode --to converse

  What a session holds, whoever wrote it (events are listed newest first):
    aws bedrock-agentcore list-events --memory-id M --actor-id A --session-id S --include-payloads \
      | jq -c '.events | reverse[]' | codec decode

  Stop trusting anything that is not exactly as it should be:
    codec decode --strict < events.ndjson"#;

#[derive(Debug, Subcommand)]
enum Command {
    /// A message a line to {"payloads":[…]}; to {"events":[{"payload":[…]},…]} where one event cannot hold it
    Encode {
        /// How to lay messages out: camunda, or seed (the mapping document, which loses some things)
        #[arg(long, default_value_t = Dialect::Camunda, value_name = "camunda|seed")]
        dialect: Dialect,
        /// What a line is: messages (a message of the model) or converse (a Bedrock Converse message)
        #[arg(long, default_value = "messages", value_name = "messages|converse")]
        from: encode::Source,
    },
    /// An event a line, {"payload":[…],"metadata":{…}}, to {"messages":[…],"notes":[…]}
    Decode {
        /// Make an error of what would be skipped or mended, and noted
        #[arg(long)]
        strict: bool,
        /// What to write: messages, converse, or prompt ({"prompt":"…","notes":[…]})
        #[arg(
            long,
            default_value = "messages",
            value_name = "messages|converse|prompt"
        )]
        to: decode::Target,
    },
}

/// Converts line after line until the input ends or nobody reads the output any more.
pub(crate) fn run(args: &Args, mut input: impl BufRead, output: impl Write) -> ExitCode {
    let mut output = BufWriter::new(output);
    let mut line = Vec::new();
    let mut exit = ExitCode::SUCCESS;
    loop {
        line.clear();
        match input.read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => {}
            Err(_) => return ExitCode::from(2),
        }
        let answer = convert(&args.command, &line).unwrap_or_else(|fault| {
            exit = ExitCode::FAILURE;
            fault.into_json()
        });
        if let Err(error) = write_line(&mut output, &answer) {
            return written(exit, &error);
        }
    }
    match output.flush() {
        Ok(()) => exit,
        Err(error) => written(exit, &error),
    }
}

fn convert(command: &Command, line: &[u8]) -> Result<Value, Fault> {
    let value = serde_json::from_slice(line).map_err(|error| Fault::not_json(&error))?;
    match command {
        Command::Encode { dialect, from } => encode::encode(value, *dialect, *from),
        Command::Decode { strict, to } => {
            let mode = if *strict { Mode::Strict } else { Mode::Lenient };
            decode::decode(value, mode, *to)
        }
    }
}

/// Each line leaves at once, so that the command can sit in a pipe somebody waits at.
fn write_line(output: &mut impl Write, answer: &Value) -> std::io::Result<()> {
    serde_json::to_writer(&mut *output, answer)?;
    output.write_all(b"\n")?;
    output.flush()
}

/// A reader that has seen enough, such as `head`, is not a failure.
fn written(exit: ExitCode, error: &std::io::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::BrokenPipe => exit,
        _ => ExitCode::from(2),
    }
}
