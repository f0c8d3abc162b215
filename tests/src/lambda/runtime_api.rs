//! The API by which a function asks for its next invocation and answers it.

use std::collections::HashMap;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::outcome::Outcome;

/// How long a function may take before the test gives up on it; a dead process never answers.
const PATIENCE: Duration = Duration::from_mins(1);

/// The runtime API of one function, on a free port; it ends with this value.
#[derive(Debug)]
pub struct RuntimeApi {
    address: SocketAddr,
    shared: Arc<Shared>,
    server: JoinHandle<()>,
}

#[derive(Debug)]
struct Shared {
    send: mpsc::UnboundedSender<Invocation>,
    /// The polling function holds this while it waits, so that invocations go out one at a time.
    receive: tokio::sync::Mutex<mpsc::UnboundedReceiver<Invocation>>,
    open: Mutex<HashMap<String, oneshot::Sender<Outcome>>>,
    next_id: Mutex<u64>,
    first_poll: OnceLock<Instant>,
    polled: Notify,
    init_error: OnceLock<String>,
}

#[derive(Debug)]
struct Invocation {
    id: String,
    payload: Bytes,
    deadline_ms: u128,
}

impl RuntimeApi {
    /// An API nobody polls yet.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let (send, receive) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            send,
            receive: tokio::sync::Mutex::new(receive),
            open: Mutex::default(),
            next_id: Mutex::default(),
            first_poll: OnceLock::new(),
            polled: Notify::new(),
            init_error: OnceLock::new(),
        });
        let server = tokio::spawn(accept(listener, Arc::clone(&shared)));
        Self {
            address,
            shared,
            server,
        }
    }

    /// What functions are told in `AWS_LAMBDA_RUNTIME_API`.
    #[must_use]
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Waits until a function has asked for its first invocation, and gives that moment.
    pub async fn first_poll(&self) -> Instant {
        loop {
            let polled = self.shared.polled.notified();
            if let Some(moment) = self.shared.first_poll.get() {
                return *moment;
            }
            timeout(PATIENCE, polled)
                .await
                .expect("the function polls in time");
        }
    }

    /// What a function said that could not start.
    #[must_use]
    pub fn init_error(&self) -> Option<&str> {
        self.shared.init_error.get().map(String::as_str)
    }

    /// Hands an invocation to the function and waits for its outcome.
    pub async fn invoke(&self, payload: impl Into<Bytes>, time: Duration) -> Outcome {
        let id = self.shared.new_id();
        let (done, outcome) = oneshot::channel();
        lock(&self.shared.open).insert(id.clone(), done);
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("after 1970");
        let invocation = Invocation {
            id,
            payload: payload.into(),
            deadline_ms: (now + time).as_millis(),
        };
        self.shared
            .send
            .send(invocation)
            .expect("the server holds the other end");
        let outcome = timeout(PATIENCE, outcome)
            .await
            .expect("the function answers in time");
        outcome.expect("the server keeps the sender until the answer")
    }
}

impl Drop for RuntimeApi {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Shared {
    /// Lambda's request ids are UUIDs, and these have the same form.
    fn new_id(&self) -> String {
        let mut last = lock(&self.next_id);
        *last += 1;
        format!("8476a536-e9f4-11e8-9739-{:012x}", *last)
    }

    fn finish(&self, id: &str, outcome: Outcome) -> Response<Full<Bytes>> {
        match lock(&self.open).remove(id) {
            Some(done) => {
                // A test that no longer waits has failed already.
                let _ = done.send(outcome);
                plain(StatusCode::ACCEPTED)
            }
            None => plain(StatusCode::BAD_REQUEST),
        }
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        stream.set_nodelay(true).expect("a TCP socket");
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let shared = Arc::clone(&shared);
                async move { Ok::<_, Infallible>(answer(&shared, request).await) }
            });
            // The function's process may end in the middle of its poll.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

async fn answer(shared: &Shared, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let path = request.uri().path().to_owned();
    let Some(path) = path.strip_prefix("/2018-06-01/runtime/") else {
        return plain(StatusCode::NOT_FOUND);
    };
    if request.method() == Method::GET && path == "invocation/next" {
        return next(shared).await;
    }
    let body = request
        .into_body()
        .collect()
        .await
        .expect("a whole body")
        .to_bytes();
    let text = String::from_utf8(body.to_vec()).expect("functions answer in UTF-8");
    match path.split('/').collect::<Vec<_>>().as_slice() {
        ["invocation", id, "response"] => shared.finish(id, Outcome::Answer(text)),
        ["invocation", id, "error"] => shared.finish(id, fault(&text)),
        ["init", "error"] => {
            let _ = shared.init_error.set(text);
            plain(StatusCode::ACCEPTED)
        }
        _ => plain(StatusCode::NOT_FOUND),
    }
}

async fn next(shared: &Shared) -> Response<Full<Bytes>> {
    if shared.first_poll.set(Instant::now()).is_ok() {
        shared.polled.notify_waiters();
    }
    let Some(invocation) = shared.receive.lock().await.recv().await else {
        return plain(StatusCode::GONE);
    };
    Response::builder()
        .header("content-type", "application/json")
        .header("lambda-runtime-aws-request-id", invocation.id)
        .header(
            "lambda-runtime-deadline-ms",
            invocation.deadline_ms.to_string(),
        )
        .header(
            "lambda-runtime-invoked-function-arn",
            "arn:aws:lambda:us-east-1:000000000000:function:colloquy",
        )
        .header(
            "lambda-runtime-trace-id",
            "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=1",
        )
        .body(Full::new(invocation.payload))
        .expect("valid headers")
}

fn fault(text: &str) -> Outcome {
    let fault: Value = serde_json::from_str(text).expect("an error document");
    let part = |name: &str| {
        fault
            .get(name)
            .and_then(Value::as_str)
            .expect("a text")
            .to_owned()
    };
    Outcome::Fault {
        error_type: part("errorType"),
        error_message: part("errorMessage"),
    }
}

fn plain(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    response
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no holder panics")
}
