//! What the ports promise, as checks that any implementation can be put through.
//!
//! Each function is one promise and uses sessions of its own, so all of them can run on one store.

pub mod context;
pub mod events;
pub mod summary;
pub mod table;
