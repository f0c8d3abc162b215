//! Which messages of a conversation a model gets to see, and in a form it accepts.

pub mod estimate;
mod facts;
mod history;
pub mod pins;
mod policy;
pub mod repair;
mod select;
pub mod truncate;

pub use history::History;
pub use policy::{Policy, SlidingRule};
pub use select::{Selection, select};
