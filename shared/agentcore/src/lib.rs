#![doc = include_str!("../README.md")]

mod document;
mod error;
mod event;
mod event_log;

pub use event_log::EventLog;
