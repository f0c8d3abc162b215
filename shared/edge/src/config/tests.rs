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
    let refused = "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE is set, but ALLOW_ENDPOINT_OVERRIDE=1 is not";
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
    let scheme = read(&[("AWS_ENDPOINT_URL_S3", "ftp://x"), ("COLLOQUY_LOCAL", "1")]).unwrap_err();
    assert_eq!(
        scheme,
        "AWS_ENDPOINT_URL_S3 must begin with http:// or https://"
    );
}
