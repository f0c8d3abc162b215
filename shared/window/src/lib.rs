#![doc = include_str!("../README.md")]

pub mod estimate;
mod facts;
mod history;
pub mod pins;
mod policy;
pub mod repair;
mod scan;
mod select;
pub mod truncate;

pub use facts::starts_turn;
pub use history::History;
pub use policy::{Policy, SlidingRule};
pub use scan::Scan;
pub use select::{Selection, select};
