//! Appends the messages of a turn, exactly once.

mod handler;

pub use handler::handle;
