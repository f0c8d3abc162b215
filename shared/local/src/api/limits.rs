//! How much the API takes on.

use std::time::Duration;

use edge::MAX_PAYLOAD_BYTES;

/// Bounds of one server. What is beyond them is turned away at once, so that what is within them goes on being
/// served.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Requests worked on at the same time.
    pub(crate) requests: usize,
    /// Connections open at the same time.
    pub(crate) connections: usize,
    /// Bytes of a body.
    pub(crate) body_bytes: usize,
    /// How long a client may take to send the head of a request, or stay idle before it.
    pub(crate) head: Duration,
    /// How long a client may take to send a body.
    pub(crate) body: Duration,
    /// How long a request may be worked on: as long as an API gateway would wait.
    pub(crate) work: Duration,
    /// How long running requests may take once the server is told to stop.
    pub(crate) stop: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            requests: 64,
            connections: 1_024,
            body_bytes: MAX_PAYLOAD_BYTES,
            head: Duration::from_mins(1),
            body: Duration::from_secs(20),
            work: Duration::from_secs(29),
            stop: Duration::from_secs(5),
        }
    }
}
