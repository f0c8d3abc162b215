//! Amazon Bedrock AgentCore Memory on loopback, true to the service and able to fail like it.
//!
//! [`Emulator::start`] gives a server on a free port that speaks the wire protocol of the service, so any AWS
//! SDK can be pointed at [`Emulator::url`]. [`Switches`] decide what the public sources leave open;
//! a [`FaultPlan`] makes calls go wrong. A stand-in for Bedrock Converse is served on the same port.

mod admin;
mod calls;
mod clock;
mod disk;
mod dispatch;
mod error;
mod event;
mod faults;
mod holds;
mod http;
mod java_notation;
mod limits;
mod metadata;
mod model;
mod operations;
mod options;
mod page_token;
mod random;
mod route;
mod server;
mod sigv4;
mod store;
mod switches;
mod timestamp;
mod validate;
mod world;

pub use calls::{Call, Calls};
pub use disk::DiskError;
pub use faults::{FaultAction, FaultPlan, FaultRule, Lag, SlowBody};
pub use model::{ModelAnswer, ModelRequest};
pub use options::{Auth, MemorySpec, Options};
pub use server::{Emulator, StartError};
pub use switches::{
    ExpiryBasis, MainFilter, MemoryIdEcho, Switches, TextUnit, TieOrder, TokenMismatch,
    TokenRepeat, TokenScope,
};

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Id of the memory that exists from the start unless the options say otherwise.
pub const DEFAULT_MEMORY_ID: &str = "local-0000000000";
/// Access key id of the well-known test key.
pub const TEST_ACCESS_KEY_ID: &str = "emulator";
/// Secret of the well-known test key.
pub const TEST_SECRET_ACCESS_KEY: &str = "emulator-secret";
