#![doc = include_str!("../README.md")]

mod advice;
mod answer;
mod deadline;
mod error;
mod fingerprint;
mod head;
mod id;
mod layout;
mod load;
pub mod memory;
mod metadata;
mod pace;
pub mod ports;
mod report;
mod request_token;
mod retry;
mod settings;
mod store;
mod summarize;
#[cfg(test)]
mod testing;
mod token;
mod turn;

pub use advice::Advice;
pub use answer::Context;
pub use error::{Cause, ConflictKind, Error, IntegrityKind, InvalidReason, Service};
pub use head::{Head, REMEMBERED_TURNS, ShortTurn};
pub use id::{Conversation, KeyHash};
pub use load::{LoadRequest, Loaded, load};
pub use report::Report;
pub use settings::{IntegrityMode, Layout, Ports, Settings};
pub use store::{StoreMode, StoreRequest, Stored, store};
pub use summarize::{
    Extractive, STEP_TOKENS, SUMMARY_TOKENS, SummarizeReason, SummarizeRequest, Summarized,
    Summarizers, SummaryId, SummaryRecord, summarize,
};
pub use summary::{Ratio, Redactor};
pub use turn::{Link, NotATurnId, PartHash, TurnId};
pub use window::{Policy, SlidingRule};
