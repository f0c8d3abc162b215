//! A proxy before a service: it writes down each call and can make the n-th one go wrong.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, client, server};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// One call that passed.
#[derive(Clone, Debug)]
pub struct Call {
    /// The service's name for it.
    pub operation: String,
    /// When its request had arrived.
    pub started: Instant,
    /// When its answer was there to be sent.
    pub ended: Instant,
    /// The status the service gave; none where it was not asked.
    pub status: Option<u16>,
}

/// How a call goes wrong.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The service does it, and the caller never hears.
    LoseAnswer,
    /// The connection breaks before the service hears of it.
    Refuse,
    /// The service is not asked; this is the answer.
    Answer {
        /// The HTTP status.
        status: u16,
        /// The body.
        body: String,
    },
}

/// A proxy on a free port; it ends with this value.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    target: SocketAddr,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    calls: Vec<Call>,
    /// Number of calls since the faults were set.
    seen: usize,
    faults: BTreeMap<usize, Fault>,
    delay: Duration,
}

impl Proxy {
    /// A proxy before `target`.
    pub async fn start(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let shared = Arc::new(Shared {
            target,
            state: Mutex::default(),
        });
        let server = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Self {
            address,
            shared,
            server,
        }
    }

    /// Its address as an endpoint.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The calls since the last [`Self::clear`], in the order they were answered.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.shared.state().calls.clone()
    }

    /// Their names, sorted.
    #[must_use]
    pub fn operations(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .calls()
            .into_iter()
            .map(|call| call.operation)
            .collect();
        names.sort();
        names
    }

    /// Forgets the calls so far.
    pub fn clear(&self) {
        self.shared.state().calls.clear();
    }

    /// From now on the call number `index`, counted from 0, goes wrong. Earlier plans are dropped.
    pub fn fail(&self, index: usize, fault: Fault) {
        self.fail_each([(index, fault)]);
    }

    /// The same for several calls.
    pub fn fail_each(&self, faults: impl IntoIterator<Item = (usize, Fault)>) {
        let mut state = self.shared.state();
        state.seen = 0;
        state.faults = faults.into_iter().collect();
    }

    /// How many calls the plan has still to strike.
    #[must_use]
    pub fn faults_left(&self) -> usize {
        self.shared.state().faults.len()
    }

    /// Each call takes at least this long, so that calls at the same time overlap for certain.
    pub fn delay(&self, delay: Duration) {
        self.shared.state().delay = delay;
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder panics")
    }
}

/// The length of the longest chain of calls in which each began after the one before had ended.
#[must_use]
pub fn round_trips(calls: &[Call]) -> usize {
    let mut by_start: Vec<&Call> = calls.iter().collect();
    by_start.sort_by_key(|call| call.started);
    let mut depths: Vec<(Instant, usize)> = Vec::new();
    for call in by_start {
        let before = depths.iter().filter(|(ended, _)| *ended <= call.started);
        let depth = 1 + before.map(|(_, depth)| *depth).max().unwrap_or_default();
        depths.push((call.ended, depth));
    }
    depths
        .into_iter()
        .map(|(_, depth)| depth)
        .max()
        .unwrap_or_default()
}

/// How long at least one of the calls was under way.
#[must_use]
pub fn time_in_calls(calls: &[Call]) -> Duration {
    let mut by_start: Vec<&Call> = calls.iter().collect();
    by_start.sort_by_key(|call| call.started);
    let mut total = Duration::ZERO;
    let mut counted = None;
    for call in by_start {
        // What another call has counted already does not count again.
        let from = counted.map_or(call.started, |until: Instant| until.max(call.started));
        total += call.ended.saturating_duration_since(from);
        counted = Some(from.max(call.ended));
    }
    total
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        // Small answers must not wait for the acknowledgement of the one before.
        stream.set_nodelay(true).expect("a TCP socket");
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let service = service_fn(move |request| pass(Arc::clone(&shared), request));
            // A connection the plan breaks ends with an error, as it should.
            let _ = server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

/// Ends the connection without an answer.
#[derive(Debug, Clone, Copy)]
struct Broken;

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("broken on purpose")
    }
}

impl std::error::Error for Broken {}

impl From<Infallible> for Broken {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

async fn pass(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Broken> {
    let operation = operation(&request);
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(|_| Broken)?.to_bytes();
    let started = Instant::now();
    let (fault, delay) = {
        let mut state = shared.state();
        let index = state.seen;
        state.seen += 1;
        (state.faults.remove(&index), state.delay)
    };
    tokio::time::sleep(delay).await;
    let answer = match fault {
        Some(Fault::Refuse) => Err(None),
        Some(Fault::Answer { status, body }) => Ok(planned(status, body)),
        Some(Fault::LoseAnswer) => {
            let answer = forward(shared.target, Request::from_parts(head, Full::new(body))).await;
            Err(answer.ok().map(|answer| answer.status().as_u16()))
        }
        None => forward(shared.target, Request::from_parts(head, Full::new(body)))
            .await
            .map_err(|_| None),
    };
    let status = match &answer {
        Ok(answer) => Some(answer.status().as_u16()),
        Err(status) => *status,
    };
    shared.state().calls.push(Call {
        operation,
        started,
        ended: Instant::now(),
        status,
    });
    answer.map_err(|_| Broken)
}

async fn forward(
    target: SocketAddr,
    request: Request<Full<Bytes>>,
) -> Result<Response<Full<Bytes>>, Broken> {
    let stream = TcpStream::connect(target).await.map_err(|_| Broken)?;
    stream.set_nodelay(true).map_err(|_| Broken)?;
    let (mut sender, connection) = client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|_| Broken)?;
    let driver = tokio::spawn(connection);
    let answer = sender.send_request(request).await.map_err(|_| Broken)?;
    let (head, body) = answer.into_parts();
    let body = body.collect().await.map_err(|_| Broken)?.to_bytes();
    driver.abort();
    Ok(Response::from_parts(head, Full::new(body)))
}

fn planned(status: u16, body: String) -> Response<Full<Bytes>> {
    Response::builder()
        .status(status)
        .header("content-type", "application/x-amz-json-1.0")
        .body(Full::new(Bytes::from(body)))
        .expect("a valid status")
}

/// DynamoDB names the operation in a header, AgentCore in method and path.
fn operation(request: &Request<Incoming>) -> String {
    if let Some(target) = request.headers().get("x-amz-target") {
        let target = target.to_str().unwrap_or_default();
        return target.rsplit('.').next().unwrap_or_default().to_owned();
    }
    let path = request.uri().path();
    let name = match *request.method() {
        Method::POST if path.ends_with("/events") => "CreateEvent",
        Method::POST if path.contains("/sessions/") => "ListEvents",
        Method::DELETE if path.contains("/events/") => "DeleteEvent",
        Method::GET if path.contains("/events/") => "GetEvent",
        _ => "Unknown",
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{Call, time_in_calls};

    #[test]
    fn what_overlaps_counts_once() {
        let start = Instant::now();
        let call = |from, to| Call {
            operation: String::new(),
            started: start + Duration::from_millis(from),
            ended: start + Duration::from_millis(to),
            status: None,
        };
        let calls = [call(20, 30), call(0, 10), call(2, 5), call(8, 12)];
        assert_eq!(time_in_calls(&calls), Duration::from_millis(22));
        assert_eq!(time_in_calls(&[]), Duration::ZERO);
    }
}
