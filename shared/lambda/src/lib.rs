#![doc = include_str!("../README.md")]

mod connect;
mod run;
mod warm;

pub use connect::{AwsDeps, connect, connect_with};
pub use lambda_runtime::Error;
pub use run::{run, run_with};
pub use warm::Warm;
