//! Where a client connects to, as whom, and how long it waits.

use std::time::Duration;

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_smithy_http_client::Builder;
use aws_smithy_http_client::tls::{Provider, rustls_provider::CryptoMode};
use aws_smithy_runtime_api::client::behavior_version::BehaviorVersion;
use aws_types::SdkConfig;
use aws_types::region::Region;
use aws_types::sdk_config::{
    RetryConfig, SharedHttpClient, StalledStreamProtectionConfig, TimeoutConfig,
};

/// Everything a client needs to reach its service.
#[derive(Clone, Debug)]
pub struct Connection {
    /// The AWS Region.
    pub region: String,
    /// An address in place of the Region's own: an emulator, or a private endpoint.
    pub endpoint: Option<String>,
    /// Who calls.
    pub credentials: SharedCredentialsProvider,
    /// How long a new connection may take.
    pub connect_timeout: Duration,
    /// How long one call may take, its connection included. There is one attempt a call.
    pub attempt_timeout: Duration,
}

impl Connection {
    /// A connection to the Region's own endpoint, with timeouts that suit one small request.
    #[must_use]
    pub fn new(region: &str, credentials: SharedCredentialsProvider) -> Self {
        Self {
            region: region.to_owned(),
            endpoint: None,
            credentials,
            connect_timeout: Duration::from_secs(1),
            attempt_timeout: Duration::from_secs(5),
        }
    }

    /// Whether the endpoint is plain HTTP. Only an address given on purpose can be.
    fn is_plain(&self) -> bool {
        self.endpoint.as_deref().is_some_and(is_plain)
    }
}

fn is_plain(address: &str) -> bool {
    address.starts_with("http://")
}

/// Credentials that are already known: those of the execution environment, or an emulator's.
#[must_use]
pub fn credentials(
    access_key_id: &str,
    secret_access_key: &str,
    session_token: Option<&str>,
) -> SharedCredentialsProvider {
    SharedCredentialsProvider::new(Credentials::new(
        access_key_id,
        secret_access_key,
        session_token.map(str::to_owned),
        None,
        "static",
    ))
}

/// The settings every service client is built from.
///
/// The clients share one connection pool. They never retry: the domain knows what a repeated write
/// means and how much time is left, so it is the only layer that does.
#[must_use]
pub fn sdk_config(connection: &Connection) -> SdkConfig {
    // There is one attempt, so a timeout of the whole operation would be a second timer for the same.
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(connection.connect_timeout)
        .operation_attempt_timeout(connection.attempt_timeout)
        .build();
    let mut config = SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new(connection.region.clone()))
        .credentials_provider(connection.credentials.clone())
        .retry_config(RetryConfig::disabled())
        .timeout_config(timeouts)
        // The attempt timeout already ends a call that stands still.
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .http_client(http_client(connection));
    config.set_endpoint_url(connection.endpoint.clone());
    config.build()
}

/// The same settings for a service at an address of its own. Connections are shared, and with them the trust store,
/// which takes a millisecond to read; only plain HTTP has a pool of its own.
#[must_use]
pub fn at(config: &SdkConfig, endpoint: &str) -> SdkConfig {
    let mut config = config.clone().into_builder().endpoint_url(endpoint);
    if is_plain(endpoint) {
        config.set_http_client(Some(Builder::new().build_http()));
    }
    config.build()
}

/// The same settings for a service that answers more slowly, perhaps in another Region. The connections, and with
/// them the trust store, stay shared.
#[must_use]
pub fn adjusted(config: &SdkConfig, region: &str, attempt_timeout: Duration) -> SdkConfig {
    let known = config.timeout_config();
    let timeouts = known.map_or_else(TimeoutConfig::builder, TimeoutConfig::to_builder);
    let timeouts = timeouts.operation_attempt_timeout(attempt_timeout);
    config
        .clone()
        .into_builder()
        .region(Region::new(region.to_owned()))
        .timeout_config(timeouts.build())
        .build()
}

/// Loading the trust store takes tens of milliseconds, which a loopback address does not need.
fn http_client(connection: &Connection) -> SharedHttpClient {
    if connection.is_plain() {
        return Builder::new().build_http();
    }
    Builder::new()
        .tls_provider(Provider::Rustls(CryptoMode::AwsLc))
        .build_https()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection(endpoint: Option<&str>) -> Connection {
        Connection {
            endpoint: endpoint.map(str::to_owned),
            ..Connection::new("eu-central-1", credentials("id", "secret", None))
        }
    }

    #[test]
    fn only_a_given_http_address_is_plain() {
        assert!(!connection(None).is_plain());
        assert!(!connection(Some("https://127.0.0.1:1")).is_plain());
        assert!(connection(Some("http://127.0.0.1:1")).is_plain());
    }

    #[test]
    fn the_clients_never_retry() {
        let config = sdk_config(&connection(None));
        assert_eq!(
            config.retry_config().map(RetryConfig::max_attempts),
            Some(1)
        );
    }

    #[test]
    fn a_slower_service_gets_its_time_and_keeps_the_rest() {
        let config = sdk_config(&connection(Some("http://127.0.0.1:1")));
        let slower = adjusted(&config, "us-west-2", Duration::from_mins(1));
        let timeouts = slower.timeout_config().expect("set above");
        assert_eq!(
            timeouts.operation_attempt_timeout(),
            Some(Duration::from_mins(1))
        );
        assert_eq!(timeouts.connect_timeout(), Some(Duration::from_secs(1)));
        assert_eq!(slower.region().map(Region::as_ref), Some("us-west-2"));
        assert_eq!(slower.endpoint_url(), Some("http://127.0.0.1:1"));
        assert_eq!(
            slower.retry_config().map(RetryConfig::max_attempts),
            Some(1)
        );
    }

    #[test]
    fn a_service_at_another_address_keeps_the_rest() {
        let config = sdk_config(&connection(None));
        for endpoint in ["https://127.0.0.1:1", "http://127.0.0.1:1"] {
            let elsewhere = at(&config, endpoint);
            assert_eq!(elsewhere.endpoint_url(), Some(endpoint));
            assert_eq!(elsewhere.region(), config.region());
            assert_eq!(
                elsewhere.retry_config().map(RetryConfig::max_attempts),
                Some(1)
            );
        }
    }

    #[test]
    fn an_attempt_has_the_time_it_is_given() {
        let config = sdk_config(&Connection {
            attempt_timeout: Duration::from_millis(70),
            ..connection(None)
        });
        let timeouts = config.timeout_config().expect("set above");
        assert_eq!(
            timeouts.operation_attempt_timeout(),
            Some(Duration::from_millis(70))
        );
    }
}
