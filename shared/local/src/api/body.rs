//! Reading bodies within a limit.

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Incoming};

/// What came of reading a body.
#[derive(Debug)]
pub(crate) enum Received {
    /// All of it.
    Whole(Vec<u8>),
    /// More than is taken; so many bytes at least.
    TooLarge(usize),
    /// The client went away in the middle.
    Broken,
}

/// How much of a body that is too large is still read and thrown away. Many clients send everything before they
/// read, and would otherwise see a broken connection instead of the answer.
const DRAINED: usize = 16 * 1_024 * 1_024;

/// Reads a body of at most `limit` bytes.
pub(crate) async fn receive(mut body: Incoming, limit: usize) -> Received {
    let announced = body.size_hint().lower();
    let announced = usize::try_from(announced).unwrap_or(usize::MAX);
    if announced > DRAINED {
        return Received::TooLarge(announced);
    }
    let mut bytes = Vec::new();
    let mut seen: usize = 0;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Received::Broken;
        };
        let data: Bytes = frame.into_data().unwrap_or_default();
        seen = seen.saturating_add(data.len());
        if seen > DRAINED {
            break;
        }
        if seen <= limit {
            bytes.extend_from_slice(&data);
        } else {
            bytes = Vec::new();
        }
    }
    if seen > limit {
        Received::TooLarge(seen)
    } else {
        Received::Whole(bytes)
    }
}
