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
mod tests;
