//! How the AWS clients of this workspace connect: TLS, timeouts, credentials, no hidden retries.
//!
//! ```
//! use aws::{Connection, credentials, sdk_config};
//!
//! let config = sdk_config(&Connection {
//!     endpoint: Some("http://127.0.0.1:8000".to_owned()),
//!     ..Connection::new("eu-central-1", credentials("id", "secret", None))
//! });
//! assert_eq!(config.endpoint_url(), Some("http://127.0.0.1:8000"));
//! ```

mod connection;
mod failure;

pub use aws_credential_types::provider::SharedCredentialsProvider;
pub use aws_types::SdkConfig;
pub use connection::{Connection, credentials, sdk_config};
pub use failure::Failure;
