#![doc = include_str!("../README.md")]

mod answer;
mod error;
mod model;

pub use model::{Guardrail, Model};
