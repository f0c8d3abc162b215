#![doc = include_str!("../README.md")]

mod connect;
mod run;
mod warm;

pub use connect::{AwsDeps, connect};
pub use lambda_runtime::Error;
pub use run::run;
