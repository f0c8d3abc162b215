//! Condenses the oldest messages of a conversation into a summary that outlives them.

mod handler;
mod models;

pub use handler::handle;
pub use models::{Model, Models};
