//! A handler run as a Lambda function: clients from the configuration, connections warmed, the runtime's loop.

mod connect;
mod run;
mod warm;

pub use connect::{AwsDeps, connect};
pub use lambda_runtime::Error;
pub use run::run;
