//! Reading request bodies within a limit.

use http_body_util::BodyExt;
use hyper::Request;
use hyper::body::{Body, Incoming};
use hyper::header::EXPECT;

/// How much of an oversize body is read and thrown away, so that a client which sends everything before it
/// reads can still see the answer. Beyond it the connection is closed.
const DRAINED: usize = 256 * 1024 * 1024;

/// What came of reading a body.
#[derive(Debug)]
pub(crate) enum Received {
    Whole(Vec<u8>),
    TooLarge,
    /// The client went away in the middle.
    Broken,
}

/// Reads the body of a request, up to `most` bytes.
pub(crate) async fn receive(request: Request<Incoming>, most: usize) -> Received {
    let announced = request
        .body()
        .size_hint()
        .exact()
        .and_then(|size| usize::try_from(size).ok());
    let too_large = announced.is_some_and(|size| size > most);
    // A client that waits for a go-ahead has sent nothing yet, so there is nothing to drain.
    if too_large && request.headers().contains_key(EXPECT) {
        return Received::TooLarge;
    }
    let mut body = request.into_body();
    let mut bytes = Vec::with_capacity(if too_large { 0 } else { announced.unwrap_or(0) });
    let mut seen = 0_usize;
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Received::Broken;
        };
        let Ok(data) = frame.into_data() else {
            continue;
        };
        seen = seen.saturating_add(data.len());
        if seen > DRAINED {
            return Received::TooLarge;
        }
        if seen <= most {
            bytes.extend_from_slice(&data);
        }
    }
    if seen > most {
        Received::TooLarge
    } else {
        Received::Whole(bytes)
    }
}
