//! The clients of a function, from its configuration.

use std::io::stdout;

use agentcore::EventLog;
use aws::{Connection, SdkConfig, at, sdk_config};
use dynamodb::ContextTable;
use edge::{Collector, Config, Deps, Identity, Log, Operation};
use s3::{Bucket, Place};
use system::SystemClock;

/// The parts of a function on AWS; `M` is the models of the one that asks any.
pub type AwsDeps<M = ()> = Deps<EventLog, ContextTable, Bucket, M>;

/// The name of the service in logs and metrics, the same for all functions.
const SERVICE: &str = "colloquy";

/// Builds the clients. Nothing is called yet.
#[must_use]
pub fn connect(operation: Operation, config: &Config) -> AwsDeps {
    connect_with(operation, config, |_, _| ())
}

/// Builds the clients, and the models from the settings by which they are reached. Nothing is called yet.
#[must_use]
pub fn connect_with<M>(
    operation: Operation,
    config: &Config,
    models: impl FnOnce(&Config, &SdkConfig) -> M,
) -> AwsDeps<M> {
    let connection = Connection::new(&config.region, credentials(config));
    // Reading the machine's trust store is most of what a start costs, so all clients share one.
    let regional = sdk_config(&connection);
    let reached_at = |endpoint: &Option<String>| match endpoint {
        None => regional.clone(),
        Some(endpoint) => at(&regional, endpoint),
    };
    let bucket = config.claim_check_bucket.as_ref().map(|bucket| {
        let place = Place {
            bucket: bucket.clone(),
            region: config.region.clone(),
            endpoint: config.endpoints.s3.clone(),
        };
        Bucket::new(place, &config.credentials)
    });
    Deps {
        events: EventLog::new(&reached_at(&config.endpoints.agentcore)),
        context: ContextTable::new(&reached_at(&config.endpoints.dynamodb), &config.table),
        claim_checks: bucket,
        memory: config.memory.clone(),
        settings: config.settings,
        identity: Identity::Verified(config.actor_claim.clone()),
        log: log(config),
        collector: config
            .collector
            .as_deref()
            .map(|address| Collector::new(address, operation.name(), &config.memory)),
        models: models(config, &reached_at(&config.endpoints.bedrock)),
        clock: SystemClock::new(),
    }
}

fn log(config: &Config) -> Log {
    Log::new(
        SERVICE,
        &config.function_name,
        config.log_level,
        Box::new(stdout()),
    )
}

fn credentials(config: &Config) -> aws::SharedCredentialsProvider {
    let known = &config.credentials;
    aws::credentials(
        &known.access_key_id,
        &known.secret_access_key,
        known.session_token.as_deref(),
    )
}
