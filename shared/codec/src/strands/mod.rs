//! Session records of Strands agents, as they lie in AgentCore events and in snapshots.

mod agent;
mod record;
mod snapshot;

pub use agent::AgentRecord;
pub use record::{session_message, session_payload};

pub(crate) use record::{is_blank, may_be_redacted, read_bare, read_record};
pub(crate) use snapshot::read_snapshot;
