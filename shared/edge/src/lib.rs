#![doc = include_str!("../README.md")]

mod answer;
mod call;
mod claim_check;
mod config;
mod counted;
mod deadline;
mod deps;
#[cfg(feature = "development")]
mod development;
mod failure;
mod fields;
mod fit;
mod format;
mod identity;
mod literal;
mod load;
mod log;
mod members;
mod metrics;
mod model;
mod percent;
mod problem;
mod record;
mod refusal;
mod respond;
mod route;
mod shown;
mod spelling;
mod store;
mod subject;
mod summarize;
mod summary;
#[cfg(test)]
mod testing;
mod timestamp;
mod traces;
mod trigger;
mod values;
mod window;

pub use self::window::{SlidingRule, Window};
pub use call::{Call, Source};
pub use claim_check::{ClaimCheck, ClaimCheckFailed, ClaimChecks};
pub use config::{Config, ConfigError, Credentials, Endpoints, Mistake};
pub use counted::{Counted, Counts};
pub use deadline::{remaining, remaining_for};
pub use deps::Deps;
#[cfg(feature = "development")]
pub use development::Development;
pub use failure::Failure;
pub use fit::Fitted;
pub use format::Format;
pub use identity::{ActorClaim, Identity, NotAnActorClaim};
pub use load::{LOAD_FIELDS, LoadCall};
pub use log::{Fact, Invocation, Level, Log, NotALevel};
pub use metrics::{Metric, NAMESPACE};
pub use model::{Guardrail, ModelConfig};
pub use problem::{ErrorType, Problem};
pub use record::{Outcome, Record};
pub use refusal::{Reason, Refusal};
pub use respond::Fault;
pub use route::Operation;
pub use store::{STORE_FIELDS, StoreCall};
pub use subject::Subject;
pub use summarize::{SUMMARIZE_FIELDS, SummarizeCall};
pub use traces::Collector;
pub use trigger::MAX_PAYLOAD_BYTES;
