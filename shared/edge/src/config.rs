//! The settings of a deployment, from environment variables, all mistakes named at once.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `MEMORY_ID` | the AgentCore Memory resource | required |
//! | `CONTEXT_TABLE` | the DynamoDB table | required |
//! | `AWS_REGION` | the Region | required |
//! | `EVENT_LAYOUT` | `message` or `turn` | `message` |
//! | `DIALECT` | `camunda` or `seed` | `camunda` |
//! | `RETENTION_DAYS` | how long the memory keeps events | 7 |
//! | `INTEGRITY` | `report` or `enforce` | `report` |
//! | `CONTEXT_WINDOW_TOKENS` | how many tokens the agent's model takes at once | 200000 |
//! | `ACTOR_CLAIM` | the claim that names the actor | `sub` |
//! | `CLAIM_CHECK_BUCKET` | where large answers go | none: they are cut |
//! | `LOG_LEVEL` | `ERROR`, `WARN`, `INFO`, `DEBUG` | `INFO` |
//! | `OTEL_EXPORTER_OTLP_ENDPOINT` | a collector, plain HTTP | none: no traces |
//! | `AWS_ENDPOINT_URL_…` | an address in place of a service's own | none |
//! | `COLLOQUY_LOCAL`, `ALLOW_ENDPOINT_OVERRIDE` | `1` lets those addresses count | unset |
//!
//! Those of the models are in `model.rs`.

use std::fmt;
use std::time::Duration;

use codec::Dialect;
use conversation::{IntegrityMode, Layout, Settings};
use thiserror::Error;

use crate::identity::ActorClaim;
use crate::log::Level;
use crate::model::{Guardrail, ModelConfig};

/// The settings of one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// The AgentCore Memory resource.
    pub memory: String,
    /// The context table.
    pub table: String,
    /// How conversations are written and checked.
    pub settings: Settings,
    /// What names the actor of an HTTP request.
    pub actor_claim: ActorClaim,
    /// Where answers go that are too large to return.
    pub claim_check_bucket: Option<String>,
    /// How much is logged.
    pub log_level: Level,
    /// The function's own name.
    pub function_name: String,
    /// The Region.
    pub region: String,
    /// Addresses in place of the services' own.
    pub endpoints: Endpoints,
    /// Who calls the services.
    pub credentials: Credentials,
    /// The collector of traces, `host:port`.
    pub collector: Option<String>,
    /// Who summarises.
    pub model: ModelConfig,
}

/// Addresses in place of the services' own: emulators, or private endpoints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endpoints {
    /// AgentCore Memory.
    pub agentcore: Option<String>,
    /// DynamoDB.
    pub dynamodb: Option<String>,
    /// S3.
    pub s3: Option<String>,
    /// Bedrock's models.
    pub bedrock: Option<String>,
}

/// Credentials of the execution environment. Lambda puts them there before the process starts and they
/// outlive it, so nothing needs to be looked up or renewed.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The access key's id.
    pub access_key_id: String,
    /// The access key's secret.
    pub secret_access_key: String,
    /// The session's token.
    pub session_token: Option<String>,
}

/// Every mistake in the environment.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}", Lines(.0))]
pub struct ConfigError(pub Vec<Mistake>);

/// One mistake in the environment. It does not repeat the value, which may be a secret.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{variable} {reason}")]
pub struct Mistake {
    /// The variable.
    pub variable: &'static str,
    /// What is wrong with it.
    pub reason: String,
}

impl Config {
    /// Reads the settings, given a way to look variables up. An empty variable is an unset one.
    ///
    /// # Errors
    /// All mistakes together.
    pub fn read(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let mut reader = Reader {
            lookup,
            mistakes: Vec::new(),
        };
        let config = Self {
            memory: reader.required("MEMORY_ID"),
            table: reader.required("CONTEXT_TABLE"),
            settings: reader.settings(),
            actor_claim: reader.parsed("ACTOR_CLAIM").unwrap_or_default(),
            claim_check_bucket: reader.optional("CLAIM_CHECK_BUCKET"),
            log_level: reader.log_level(),
            function_name: reader
                .optional("AWS_LAMBDA_FUNCTION_NAME")
                .unwrap_or_default(),
            region: reader.required("AWS_REGION"),
            endpoints: reader.endpoints(),
            credentials: Credentials {
                access_key_id: reader.required("AWS_ACCESS_KEY_ID"),
                secret_access_key: reader.required("AWS_SECRET_ACCESS_KEY"),
                session_token: reader.optional("AWS_SESSION_TOKEN"),
            },
            collector: reader.collector(),
            model: reader.model(),
        };
        if reader.mistakes.is_empty() {
            Ok(config)
        } else {
            Err(ConfigError(reader.mistakes))
        }
    }
}

struct Reader<L> {
    lookup: L,
    mistakes: Vec<Mistake>,
}

impl<L: Fn(&str) -> Option<String>> Reader<L> {
    fn optional(&self, variable: &'static str) -> Option<String> {
        (self.lookup)(variable).filter(|value| !value.is_empty())
    }

    fn required(&mut self, variable: &'static str) -> String {
        self.optional(variable).unwrap_or_else(|| {
            self.mistake(variable, "is required");
            String::new()
        })
    }

    fn parsed<T: std::str::FromStr<Err: fmt::Display>>(
        &mut self,
        variable: &'static str,
    ) -> Option<T> {
        match self.optional(variable)?.parse() {
            Ok(value) => Some(value),
            Err(error) => {
                self.mistake(variable, &error.to_string());
                None
            }
        }
    }

    fn word<T: Copy + Default>(&mut self, variable: &'static str, words: &[(&str, T)]) -> T {
        let Some(given) = self.optional(variable) else {
            return T::default();
        };
        if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == given) {
            return *meaning;
        }
        let allowed: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
        self.mistake(variable, &format!("must be one of {}", allowed.join(", ")));
        T::default()
    }

    fn settings(&mut self) -> Settings {
        let settings = Settings {
            dialect: self.word(
                "DIALECT",
                &[("camunda", Dialect::Camunda), ("seed", Dialect::Seed)],
            ),
            layout: self.word(
                "EVENT_LAYOUT",
                &[("message", Layout::Message), ("turn", Layout::Turn)],
            ),
            retention: self.retention(),
            integrity: self.word(
                "INTEGRITY",
                &[
                    ("report", IntegrityMode::Report),
                    ("enforce", IntegrityMode::Enforce),
                ],
            ),
            context_window_tokens: self
                .number("CONTEXT_WINDOW_TOKENS", 1_000..=100_000_000)
                .unwrap_or(Settings::default().context_window_tokens),
        };
        if settings.dialect == Dialect::Seed && settings.layout == Layout::Turn {
            // Nothing in that dialect says where one message ends and the next begins.
            self.mistake(
                "EVENT_LAYOUT",
                "must be message with DIALECT=seed, which cannot pack a turn",
            );
        }
        settings
    }

    /// A whole number within a range.
    fn number(
        &mut self,
        variable: &'static str,
        range: std::ops::RangeInclusive<u64>,
    ) -> Option<u64> {
        let text = self.optional(variable)?;
        let number = text.parse().ok().filter(|number| range.contains(number));
        if number.is_none() {
            let (least, most) = range.into_inner();
            let reason = format!("must be a whole number between {least} and {most}");
            self.mistake(variable, &reason);
        }
        number
    }

    fn retention(&mut self) -> Duration {
        const DAY_HOURS: u64 = 24;
        const DEFAULT_DAYS: u64 = 7;
        let Some(text) = self.optional("RETENTION_DAYS") else {
            return Duration::from_hours(DEFAULT_DAYS * DAY_HOURS);
        };
        let days = text
            .parse::<u64>()
            .ok()
            .filter(|days| (3..=365).contains(days));
        let days = days.unwrap_or_else(|| {
            self.mistake(
                "RETENTION_DAYS",
                "must be a number of days between 3 and 365",
            );
            DEFAULT_DAYS
        });
        Duration::from_hours(days * DAY_HOURS)
    }

    /// Lambda's own logging control has a variable of its own, which yields to ours.
    fn log_level(&mut self) -> Level {
        let ours = self.parsed("LOG_LEVEL");
        ours.or_else(|| self.parsed("AWS_LAMBDA_LOG_LEVEL"))
            .unwrap_or_default()
    }

    fn endpoints(&mut self) -> Endpoints {
        Endpoints {
            agentcore: self.endpoint("AWS_ENDPOINT_URL_BEDROCK_AGENTCORE"),
            dynamodb: self.endpoint("AWS_ENDPOINT_URL_DYNAMODB"),
            s3: self.endpoint("AWS_ENDPOINT_URL_S3"),
            bedrock: self.endpoint("AWS_ENDPOINT_URL_BEDROCK_RUNTIME"),
        }
    }

    /// An address that is set but does not count would be a surprise either way, so it is a mistake.
    fn endpoint(&mut self, variable: &'static str) -> Option<String> {
        let address = self.optional(variable)?;
        let is_one = |variable| self.optional(variable).as_deref() == Some("1");
        if !is_one("COLLOQUY_LOCAL") && !is_one("ALLOW_ENDPOINT_OVERRIDE") {
            self.mistake(variable, "is set, but ALLOW_ENDPOINT_OVERRIDE=1 is not");
            return None;
        }
        if !address.starts_with("http://") && !address.starts_with("https://") {
            self.mistake(variable, "must begin with http:// or https://");
            return None;
        }
        Some(address)
    }

    fn collector(&mut self) -> Option<String> {
        let address = self.optional("OTEL_EXPORTER_OTLP_ENDPOINT")?;
        let Some(rest) = address.strip_prefix("http://") else {
            // Collectors run beside the function; one more TLS stack would cost every cold start.
            self.mistake("OTEL_EXPORTER_OTLP_ENDPOINT", "must begin with http://");
            return None;
        };
        let host = rest.trim_end_matches('/');
        let has_port = host
            .rsplit_once(':')
            .is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        Some(if has_port {
            host.to_owned()
        } else {
            format!("{host}:4318")
        })
    }

    fn model(&mut self) -> ModelConfig {
        let first = self.optional("MODEL_ID");
        let fallback = self.optional("FALLBACK_MODEL_ID");
        if first.is_none() && fallback.is_some() {
            self.mistake("FALLBACK_MODEL_ID", "is set, but MODEL_ID is not");
        }
        let tokens = self.number("MODEL_MAX_TOKENS", 64..=100_000);
        let redact = [("off", false), ("builtin", true)];
        ModelConfig {
            ids: first.into_iter().chain(fallback).collect(),
            region: self.optional("MODEL_REGION"),
            max_tokens: tokens
                .and_then(|tokens| u32::try_from(tokens).ok())
                .unwrap_or(conversation::SUMMARY_TOKENS),
            step_tokens: self
                .number("MODEL_STEP_TOKENS", 1_000..=10_000_000)
                .unwrap_or(conversation::STEP_TOKENS),
            guardrail: self.guardrail(),
            redacts: self.word("REDACT", &redact),
        }
    }

    fn guardrail(&mut self) -> Option<Guardrail> {
        match (
            self.optional("GUARDRAIL_ID"),
            self.optional("GUARDRAIL_VERSION"),
        ) {
            (Some(id), Some(version)) => Some(Guardrail { id, version }),
            (None, None) => None,
            // A guardrail that is half set would be one that does not guard.
            (Some(_), None) => {
                self.mistake("GUARDRAIL_VERSION", "is required with GUARDRAIL_ID");
                None
            }
            (None, Some(_)) => {
                self.mistake("GUARDRAIL_ID", "is required with GUARDRAIL_VERSION");
                None
            }
        }
    }

    fn mistake(&mut self, variable: &'static str, reason: &str) {
        self.mistakes.push(Mistake {
            variable,
            reason: reason.to_owned(),
        });
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").finish_non_exhaustive()
    }
}

struct Lines<'a>(&'a [Mistake]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::time::Duration;

    use codec::Dialect;
    use conversation::{IntegrityMode, Layout};

    use super::Config;
    use crate::identity::ActorClaim;
    use crate::log::Level;

    const MINIMAL: &[(&str, &str)] = &[
        ("MEMORY_ID", "m"),
        ("CONTEXT_TABLE", "t"),
        ("AWS_REGION", "eu-central-1"),
        ("AWS_ACCESS_KEY_ID", "id"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
    ];

    fn read(more: &[(&str, &str)]) -> Result<Config, String> {
        let variables: BTreeMap<&str, &str> = MINIMAL.iter().chain(more).copied().collect();
        let lookup = |name: &str| variables.get(name).map(|value| (*value).to_owned());
        Config::read(lookup).map_err(|error| error.to_string())
    }

    #[test]
    fn the_minimum_has_sensible_defaults() {
        let config = read(&[]).unwrap();
        assert_eq!(config.settings.dialect, Dialect::Camunda);
        assert_eq!(config.settings.layout, Layout::Message);
        assert_eq!(config.settings.retention, Duration::from_hours(168));
        assert_eq!(config.settings.integrity, IntegrityMode::Report);
        assert_eq!(config.actor_claim, ActorClaim::default());
        assert_eq!(config.log_level, Level::Info);
        assert_eq!(config.claim_check_bucket, None);
        assert_eq!(config.collector, None);
        assert!(!format!("{config:?}").contains("secret"));
    }

    #[test]
    fn everything_can_be_set() {
        let config = read(&[
            ("EVENT_LAYOUT", "turn"),
            ("RETENTION_DAYS", "30"),
            ("INTEGRITY", "enforce"),
            ("ACTOR_CLAIM", "iam:userArn"),
            ("CLAIM_CHECK_BUCKET", "b"),
            ("LOG_LEVEL", "debug"),
            ("AWS_SESSION_TOKEN", "token"),
            ("ALLOW_ENDPOINT_OVERRIDE", "1"),
            ("AWS_ENDPOINT_URL_DYNAMODB", "http://127.0.0.1:9002"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost/"),
        ])
        .unwrap();
        assert_eq!(config.settings.layout, Layout::Turn);
        assert_eq!(config.settings.retention, Duration::from_hours(720));
        assert_eq!(config.settings.integrity, IntegrityMode::Enforce);
        assert_eq!(config.actor_claim, ActorClaim::IamArn);
        assert_eq!(config.log_level, Level::Debug);
        assert_eq!(
            config.endpoints.dynamodb.as_deref(),
            Some("http://127.0.0.1:9002")
        );
        assert_eq!(config.collector.as_deref(), Some("localhost:4318"));
    }

    #[test]
    fn all_mistakes_are_named_at_once() {
        let error = Config::read(|name| match name {
            "DIALECT" => Some("pirate".to_owned()),
            "RETENTION_DAYS" => Some("1".to_owned()),
            "LOG_LEVEL" => Some("loud".to_owned()),
            "ACTOR_CLAIM" => Some("iam:".to_owned()),
            "INTEGRITY" => Some("maybe".to_owned()),
            "OTEL_EXPORTER_OTLP_ENDPOINT" => Some("https://x".to_owned()),
            _ => None,
        })
        .unwrap_err();
        let named: Vec<&str> = error.0.iter().map(|mistake| mistake.variable).collect();
        let expected = [
            "MEMORY_ID",
            "CONTEXT_TABLE",
            "DIALECT",
            "RETENTION_DAYS",
            "INTEGRITY",
            "ACTOR_CLAIM",
            "LOG_LEVEL",
            "AWS_REGION",
            "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY",
            "OTEL_EXPORTER_OTLP_ENDPOINT",
        ];
        assert_eq!(named, expected);
        assert!(
            !error.to_string().contains("pirate"),
            "values are not repeated"
        );
    }

    #[test]
    fn the_models_are_set_all_or_none() {
        let none = read(&[]).unwrap().model;
        assert_eq!((none.ids.len(), none.max_tokens), (0, 2_048));
        assert_eq!((none.step_tokens, none.redacts), (100_000, false));
        let model = read(&[
            ("MODEL_ID", "large"),
            ("FALLBACK_MODEL_ID", "small"),
            ("MODEL_REGION", "us-west-2"),
            ("MODEL_MAX_TOKENS", "500"),
            ("MODEL_STEP_TOKENS", "5000"),
            ("GUARDRAIL_ID", "g"),
            ("GUARDRAIL_VERSION", "3"),
            ("REDACT", "builtin"),
        ])
        .unwrap()
        .model;
        assert_eq!(model.ids, ["large", "small"]);
        assert_eq!(model.region.as_deref(), Some("us-west-2"));
        assert_eq!((model.max_tokens, model.step_tokens), (500, 5_000));
        assert_eq!(model.guardrail.unwrap().version, "3");
        assert!(model.redacts);
        for (half, expected) in [
            (
                ("FALLBACK_MODEL_ID", "m"),
                "FALLBACK_MODEL_ID is set, but MODEL_ID is not",
            ),
            (
                ("GUARDRAIL_ID", "g"),
                "GUARDRAIL_VERSION is required with GUARDRAIL_ID",
            ),
            (
                ("GUARDRAIL_VERSION", "1"),
                "GUARDRAIL_ID is required with GUARDRAIL_VERSION",
            ),
            (("REDACT", "all"), "REDACT must be one of off, builtin"),
            (
                ("MODEL_MAX_TOKENS", "1"),
                "MODEL_MAX_TOKENS must be a whole number between 64 and 100000",
            ),
        ] {
            assert_eq!(read(&[half]).unwrap_err(), expected);
        }
    }

    #[test]
    fn a_packed_seed_turn_could_not_be_taken_apart() {
        let error = read(&[("EVENT_LAYOUT", "turn"), ("DIALECT", "seed")]).unwrap_err();
        assert_eq!(
            error,
            "EVENT_LAYOUT must be message with DIALECT=seed, which cannot pack a turn"
        );
    }

    #[test]
    fn other_addresses_count_only_where_that_is_allowed() {
        let address = (
            "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE",
            "http://127.0.0.1:9001",
        );
        let refused =
            "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE is set, but ALLOW_ENDPOINT_OVERRIDE=1 is not";
        assert_eq!(read(&[address]).unwrap_err(), refused);
        assert_eq!(
            read(&[address, ("COLLOQUY_LOCAL", "0")]).unwrap_err(),
            refused
        );
        let config = read(&[address, ("COLLOQUY_LOCAL", "1")]).unwrap();
        assert_eq!(
            config.endpoints.agentcore.as_deref(),
            Some("http://127.0.0.1:9001")
        );
        let scheme =
            read(&[("AWS_ENDPOINT_URL_S3", "ftp://x"), ("COLLOQUY_LOCAL", "1")]).unwrap_err();
        assert_eq!(
            scheme,
            "AWS_ENDPOINT_URL_S3 must begin with http:// or https://"
        );
    }
}
