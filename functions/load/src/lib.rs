//! Gives an agent its conversation back.

mod handler;

pub use handler::handle;
