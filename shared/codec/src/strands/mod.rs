//! Session records of Strands agents, as they lie in AgentCore events and in snapshots.

mod agent;

pub use agent::AgentRecord;
