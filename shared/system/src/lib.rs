#![doc = include_str!("../README.md")]

mod clock;
mod entropy;

pub use clock::SystemClock;
pub use entropy::SystemEntropy;
