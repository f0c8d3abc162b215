#![doc = include_str!("../README.md")]

mod extract;
mod prompt;
mod redact;
mod select;
mod transcript;

pub use extract::{EXTRACTIVE_MODEL, extract};
pub use prompt::{PROMPT_VERSION, SYSTEM_PROMPT, user_prompt};
pub use redact::Redactor;
pub use select::{NothingToSummarise, Ratio, overflow, split};
pub use transcript::{Budget, Line, next_step, transcript};
