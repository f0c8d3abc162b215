#![doc = include_str!("../README.md")]

mod address;
mod bucket;

pub use bucket::{Bucket, Place};
