#![doc = include_str!("../README.md")]

mod connection;
mod failure;

pub use aws_credential_types::provider::SharedCredentialsProvider;
pub use aws_types::SdkConfig;
pub use connection::{Connection, adjusted, at, credentials, sdk_config};
pub use failure::Failure;
