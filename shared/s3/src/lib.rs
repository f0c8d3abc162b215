//! The claim check port on Amazon S3: one signed PUT, without the S3 client.
//!
//! The generated client of S3 is by far the largest of AWS's, and all that is needed of it is one call.

mod address;
mod bucket;

pub use bucket::{Bucket, Place};
