//! The event log port on Amazon Bedrock AgentCore Memory.
//!
//! ```no_run
//! use agentcore::EventLog;
//! use aws::{Connection, credentials, sdk_config};
//! use conversation::Conversation;
//! use conversation::ports::EventReader;
//!
//! # async fn example() -> Result<(), conversation::ports::EventLogError> {
//! let log = EventLog::new(&sdk_config(&Connection::new(
//!     "eu-central-1",
//!     credentials("id", "secret", None),
//! )));
//! let conversation = Conversation {
//!     memory: "chat-0123456789".to_owned(),
//!     actor: "alice".to_owned(),
//!     session: "monday".to_owned(),
//! };
//! let newest = log.page(&conversation, None, None).await?;
//! # drop(newest);
//! # Ok(())
//! # }
//! ```

mod document;
mod error;
mod event;
mod event_log;

pub use event_log::EventLog;
