//! What can be chosen on the command line.

use std::path::{Path, PathBuf};

use clap::Parser;

const EXAMPLES: &str = "Examples:
  cargo run                                       everything on its usual ports, kept in .colloquy
  cargo run -- --ephemeral                        nothing kept
  cargo run -- --port 8080 --data ../conversations
  cargo run -- --logs                             with the functions' own log lines";

/// Conversation memory for AI agents, all of it on this machine: the HTTP API, AgentCore Memory and DynamoDB.
#[derive(Clone, Debug, Parser)]
#[command(name = "colloquy", version, after_help = EXAMPLES)]
pub struct Options {
    /// Port of the HTTP API; 0 picks a free one.
    #[arg(long, default_value_t = 9000)]
    pub port: u16,
    /// Port of the emulated AgentCore Memory; 0 picks a free one.
    #[arg(long, default_value_t = 9001)]
    pub emulator_port: u16,
    /// Port of the embedded DynamoDB; 0 picks a free one.
    #[arg(long, default_value_t = 9002)]
    pub dynamodb_port: u16,
    /// Directory in which conversations are kept.
    #[arg(long, value_name = "DIR", default_value = ".colloquy")]
    pub data: PathBuf,
    /// Keep conversations in memory only.
    #[arg(long, conflicts_with = "data")]
    pub ephemeral: bool,
    /// Write the functions' log lines and metrics to the error stream.
    #[arg(long)]
    pub logs: bool,
    /// Summarise with the emulator's stand-in for a model, under this id; without it the sentences that say most
    /// are picked.
    #[arg(long, value_name = "ID")]
    pub model: Option<String>,
    /// How many requests are worked on at once; more are turned away with 503.
    #[arg(long, value_name = "NUMBER", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..))]
    pub concurrency: u16,
}

impl Options {
    /// Free ports and nothing kept: for tests.
    #[must_use]
    pub fn ephemeral() -> Self {
        Self {
            port: 0,
            emulator_port: 0,
            dynamodb_port: 0,
            data: PathBuf::new(),
            ephemeral: true,
            logs: false,
            model: None,
            concurrency: 64,
        }
    }

    /// Where conversations are kept, if anywhere.
    #[must_use]
    pub fn directory(&self) -> Option<&Path> {
        (!self.ephemeral).then_some(self.data.as_path())
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::Options;

    #[test]
    fn the_command_line_is_consistent() {
        Options::command().debug_assert();
    }

    #[test]
    fn the_defaults_are_those_of_the_documentation() {
        let options = Options::parse_from(["colloquy"]);
        assert_eq!(
            (options.port, options.emulator_port, options.dynamodb_port),
            (9000, 9001, 9002)
        );
        assert_eq!(options.directory().unwrap().to_str(), Some(".colloquy"));
    }

    #[test]
    fn what_is_kept_nowhere_has_no_directory() {
        assert_eq!(
            Options::parse_from(["colloquy", "--ephemeral"]).directory(),
            None
        );
        assert!(Options::try_parse_from(["colloquy", "--ephemeral", "--data", "d"]).is_err());
        assert!(Options::try_parse_from(["colloquy", "--concurrency", "0"]).is_err());
    }
}
