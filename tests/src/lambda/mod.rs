//! Lambda on loopback: the runtime API a function polls, and the function as a process of its own.

// JSON is read by its members' names; one that is missing fails the test as it should.
#![allow(clippy::indexing_slicing)]

mod deployment;
mod event;
mod function;
mod outcome;
mod program;
mod relay;
mod runtime_api;
mod turn;

pub use deployment::Deployment;
pub use event::{Caller, Trigger, Wanted};
pub use function::Function;
pub use outcome::{Outcome, Response};
pub use program::{deployed, program};
pub use relay::Relay;
pub use runtime_api::RuntimeApi;
pub use turn::{assistant, texts, turn, user};
