//! The context store port on Amazon DynamoDB.
//!
//! One table, one item a thing, all items of a conversation under one partition key:
//!
//! ```text
//! pk                  memory # actor
//! sk                  session #h# branch        head of a branch, the main line having no name
//!                     session #sys              system message
//!                     session #state# agent     state of an agent
//!                     #key# session # hash      idempotency key
//! ```
//!
//! `#` is outside the alphabet of all ids (and escaped where it is not), so no session is a prefix of
//! another, and the Query that reads a conversation never reads its idempotency keys.

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
mod system;
mod table;

pub use context_table::ContextTable;
pub use table::{PARTITION_KEY, SORT_KEY, TTL_ATTRIBUTE};
