//! The whole service on loopback with embedded stores: what `cargo run` starts.
//!
//! The HTTP API hands each request, as an API gateway would, to the handlers of the functions; these reach the
//! emulated AgentCore Memory and an embedded DynamoDB through the same clients as in Lambda.
//!
//! ```
//! use local::{Options, Stack};
//!
//! # #[tokio::main(flavor = "multi_thread")]
//! # async fn main() -> Result<(), local::StartError> {
//! let stack = Stack::start(&Options::ephemeral()).await?;
//! assert!(stack.url().starts_with("http://127.0.0.1:"));
//! stack.stop().await;
//! # Ok(())
//! # }
//! ```

mod api;
mod database;
mod functions;
mod greeting;
mod options;
mod port;
mod stack;

pub use greeting::greeting;
pub use options::Options;
pub use port::Port;
pub use stack::{Stack, StartError};
