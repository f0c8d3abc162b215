#![doc = include_str!("../README.md")]

pub mod estimate;
mod history;
mod kind;
pub mod pins;
mod policy;
pub mod repair;
mod scan;
mod select;
pub mod truncate;

pub use history::History;
pub use kind::{is_document_message, starts_turn};
pub use policy::{Policy, SlidingRule};
pub use scan::Scan;
pub use select::{Selection, select};
