//! Lambda on loopback: the runtime API a function polls, and the function as a process of its own.

// JSON is read by its members' names; one that is missing fails the test as it should.
#![allow(clippy::indexing_slicing)]

mod authority;
mod deployment;
mod event;
mod failure;
mod function;
mod hostile;
mod outcome;
mod program;
mod relay;
mod runtime_api;
mod turn;

pub use authority::Authority;
pub use deployment::Deployment;
pub use event::{Caller, Trigger, Wanted};
pub use failure::{Failure, fails, is_failure};
pub use function::Function;
pub use hostile::hostile_bodies;
pub use outcome::{Outcome, Response};
pub use program::{deployed, program};
pub use relay::Relay;
pub use runtime_api::RuntimeApi;
pub use turn::{assistant, texts, turn, user};
