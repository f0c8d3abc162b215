#![doc = include_str!("../README.md")]

mod attribute;
mod commit;
mod context_table;
mod error;
mod head;
mod idempotency;
mod key;
mod request_token;
mod size;
mod state;
mod summary;
mod system;
mod table;

pub use context_table::ContextTable;
pub use table::{PARTITION_KEY, SORT_KEY, TTL_ATTRIBUTE};
