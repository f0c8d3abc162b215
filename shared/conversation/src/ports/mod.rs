//! What the domain needs of the world: narrow traits, one a capability.
//!
//! `load` is given only the reading halves, so it cannot write even by mistake. Every implementation
//! passes the same contract suite; [`crate::memory`] holds the ones without a network.

mod clock;
mod context;
mod events;
mod summarizer;
mod summary;

pub use clock::{Clock, Entropy};
pub use context::{
    AgentState, Commit, CommitOutcome, ContextError, ContextItem, ContextItems, ContextReader,
    ContextWriter, HeadExpectation, HeadLookup, KeyRecord, StateWrite, StoredSystem, SystemWrite,
};
pub use events::{
    BranchRoot, EventId, EventLogError, EventReader, EventWriter, NewEvent, Page, PageToken,
    StoredEvent,
};
pub use summarizer::{Step, Summarizer, SummarizerError, Written};
pub use summary::{SummaryOutcome, SummaryWrite, SummaryWriter};
