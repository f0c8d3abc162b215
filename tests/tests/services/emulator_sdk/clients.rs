//! SDK clients that talk to an emulator.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aws_sdk_bedrockagentcore as data;
use aws_sdk_bedrockruntime as model;
use data::primitives::DateTime;
use data::types::{Content, Conversational, Event, PayloadType, Role};
use emulator::{
    DEFAULT_MEMORY_ID, Emulator, Options, Switches, TEST_ACCESS_KEY_ID, TEST_SECRET_ACCESS_KEY,
};

/// An emulator with clients for what it serves; the control plane is called by boto3, in the interop suites.
pub(crate) struct Bench {
    pub(crate) emulator: Emulator,
    pub(crate) data: data::Client,
    pub(crate) model: model::Client,
}

pub(crate) async fn start() -> Bench {
    start_with(|_| {}).await
}

pub(crate) async fn start_with(change: impl FnOnce(&mut Options)) -> Bench {
    // These tests ask what the SDK makes of one answer, and read at once what they wrote.
    let mut options = Options {
        switches: Switches::reported(),
        ..Options::default()
    };
    change(&mut options);
    let emulator = Emulator::start(options).await.unwrap();
    let secret = TEST_SECRET_ACCESS_KEY;
    Bench {
        data: data_client(&emulator.url(), secret, 1),
        model: model_client(&emulator.url(), secret),
        emulator,
    }
}

/// A client that makes this many attempts.
pub(crate) fn data_client(url: &str, secret: &str, attempts: u32) -> data::Client {
    let retries = data::config::retry::RetryConfig::standard()
        .with_max_attempts(attempts)
        .with_initial_backoff(Duration::from_millis(1));
    let config = data::Config::builder()
        .behavior_version(data::config::BehaviorVersion::v2026_01_12())
        .region(data::config::Region::new("us-east-1"))
        .credentials_provider(data::config::Credentials::new(
            TEST_ACCESS_KEY_ID,
            secret,
            None,
            None,
            "test",
        ))
        .endpoint_url(url)
        .retry_config(retries)
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .build();
    data::Client::from_conf(config)
}

pub(crate) fn model_client(url: &str, secret: &str) -> model::Client {
    let config = model::Config::builder()
        .behavior_version(model::config::BehaviorVersion::v2026_01_12())
        .region(model::config::Region::new("us-east-1"))
        .credentials_provider(model::config::Credentials::new(
            TEST_ACCESS_KEY_ID,
            secret,
            None,
            None,
            "test",
        ))
        .endpoint_url(url)
        .retry_config(model::config::retry::RetryConfig::disabled())
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .build();
    model::Client::from_conf(config)
}

/// The present, in milliseconds.
pub(crate) fn now() -> i64 {
    i64::try_from(
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap()
            .as_millis(),
    )
    .unwrap()
}

pub(crate) fn text(text: &str) -> PayloadType {
    let content = Conversational::builder()
        .content(Content::Text(text.to_owned()))
        .role(Role::User)
        .build()
        .unwrap();
    PayloadType::Conversational(content)
}

impl Bench {
    /// Writes an event for actor `a/b:c` and session `s`.
    pub(crate) async fn write(&self, millis: i64, payload: PayloadType) -> Event {
        let sent = self
            .data
            .create_event()
            .memory_id(DEFAULT_MEMORY_ID)
            .actor_id("a/b:c")
            .session_id("s")
            .event_timestamp(DateTime::from_millis(millis))
            .payload(payload)
            .send()
            .await;
        sent.unwrap().event.unwrap()
    }

    pub(crate) fn list(&self) -> data::operation::list_events::builders::ListEventsFluentBuilder {
        self.data
            .list_events()
            .memory_id(DEFAULT_MEMORY_ID)
            .actor_id("a/b:c")
            .session_id("s")
    }
}
