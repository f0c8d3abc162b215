//! A client that keeps connections and never waits for one.

use std::sync::{Arc, Mutex};

use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde_json::json;
use tests::lambda::{assistant, user};
use tokio::net::TcpStream;

/// Conversations the load is spread over.
const SESSIONS: u64 = 500;

/// Clones share their connections.
#[derive(Clone)]
pub(crate) struct Client {
    address: String,
    idle: Arc<Mutex<Vec<SendRequest<Full<Bytes>>>>>,
}

impl Client {
    pub(crate) fn new(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            idle: Arc::default(),
        }
    }

    /// Sends request number `number` and gives the status; none where the connection broke. By turns it is a
    /// store of two messages and a load.
    pub(crate) async fn send(&self, number: u64) -> Option<u16> {
        let session = number / 2 % SESSIONS;
        let path = format!("/v1/actors/me/sessions/s{session}");
        let request = Request::builder()
            .header("host", &self.address)
            .header("x-actor-id", "me");
        let request = if number.is_multiple_of(2) {
            let turn =
                json!({"messages": [user("what a user says"), assistant("what a model answers")]});
            request
                .method("POST")
                .uri(format!("{path}/messages"))
                .body(Full::new(Bytes::from(turn.to_string())))
        } else {
            request.uri(path).body(Full::default())
        };
        let mut connection = self.connection().await?;
        let answer = connection
            .send_request(request.expect("a valid request"))
            .await
            .ok()?;
        let status = answer.status().as_u16();
        answer.into_body().collect().await.ok()?;
        if connection.ready().await.is_ok() {
            self.idle.lock().expect("no holder panics").push(connection);
        }
        Some(status)
    }

    async fn connection(&self) -> Option<SendRequest<Full<Bytes>>> {
        loop {
            let idle = self.idle.lock().expect("no holder panics").pop();
            match idle {
                Some(connection) if connection.is_ready() => return Some(connection),
                Some(_) => {}
                None => break,
            }
        }
        let stream = TcpStream::connect(&self.address).await.ok()?;
        stream.set_nodelay(true).ok()?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await.ok()?;
        tokio::spawn(connection);
        Some(sender)
    }
}
