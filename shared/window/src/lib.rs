#![doc = include_str!("../README.md")]

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
