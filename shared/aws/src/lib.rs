#![doc = include_str!("../README.md")]

mod connection;
mod failure;
mod plain;

pub use aws_credential_types::provider::SharedCredentialsProvider;
pub use aws_types::SdkConfig;
pub use connection::{Connection, adjusted, at, credentials, sdk_config};
pub use failure::Failure;
pub use plain::PlainRequests;
