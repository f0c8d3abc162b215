//! A server and a client that shows every byte, for tests on the wire.
// Each test file uses a part of this, and a failure here is a failed test.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use emulator::{DEFAULT_MEMORY_ID, Emulator, Options, Switches};
use serde_json::{Value, json};

/// A time all fixed clocks of these tests stand at: 2026-03-01T14:36:22.346Z.
pub(crate) const NOW: u64 = 1_772_375_782_346;

pub(crate) struct Server {
    // Declared first: dropped first, while the runtime that has to end its tasks is alive.
    pub(crate) emulator: Emulator,
    runtime: tokio::runtime::Runtime,
}

#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// The error shape named in the header.
    pub(crate) fn error(&self) -> &str {
        self.header("x-amzn-errortype").unwrap_or("")
    }

    pub(crate) fn message(&self) -> String {
        self.json()["message"].as_str().unwrap_or("").to_owned()
    }
}

/// An emulator whose clock stands still, so that nothing depends on the day of the test. These tests look at one
/// behaviour at a time and read at once what they wrote, so it is the reading without lags and conflicts; those that
/// are about the hardest one ask for it.
pub(crate) fn start() -> Server {
    start_with(|_| {})
}

pub(crate) fn start_with(change: impl FnOnce(&mut Options)) -> Server {
    let mut options = Options {
        fixed_clock: Some(NOW),
        seed: Some(42),
        switches: Switches::reported(),
        ..Options::default()
    };
    change(&mut options);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let emulator = runtime.block_on(Emulator::start(options)).unwrap();
    Server { emulator, runtime }
}

impl Server {
    pub(crate) fn stop(self) {
        let Self { emulator, runtime } = self;
        runtime.block_on(emulator.stop());
    }

    pub(crate) fn try_call(
        &self,
        method: &str,
        path: &str,
        body: &[u8],
    ) -> std::io::Result<Response> {
        call(self.emulator.addr(), method, path, body)
    }

    pub(crate) fn call(&self, method: &str, path: &str, body: &Value) -> Response {
        self.try_call(method, path, body.to_string().as_bytes())
            .unwrap()
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Response {
        self.call("POST", path, body)
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.try_call("GET", path, b"").unwrap()
    }

    /// `CreateEvent` on the default memory.
    pub(crate) fn create(&self, body: &Value) -> Response {
        self.post(&format!("/memories/{DEFAULT_MEMORY_ID}/events"), body)
    }

    /// `ListEvents` for actor `a` and session `s`.
    pub(crate) fn list(&self, body: &Value) -> Value {
        let answer = self.post(
            &format!("/memories/{DEFAULT_MEMORY_ID}/actor/a/sessions/s"),
            body,
        );
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    /// Writes an event for actor `a` and session `s` at some milliseconds after `NOW`, and gives its id.
    pub(crate) fn write(&self, offset: i64, extra: &Value) -> String {
        let mut body = event(offset);
        body.as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        let answer = self.create(&body);
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()["event"]["eventId"]
            .as_str()
            .unwrap()
            .to_owned()
    }
}

/// A minimal event for actor `a` and session `s`.
pub(crate) fn event(offset: i64) -> Value {
    let millis = NOW.checked_add_signed(offset).unwrap();
    let seconds: Value =
        serde_json::from_str(&format!("{}.{:03}", millis / 1000, millis % 1000)).unwrap();
    json!({"actorId": "a", "sessionId": "s", "eventTimestamp": seconds, "payload": [text("hi")]})
}

pub(crate) fn text(text: &str) -> Value {
    json!({"conversational": {"content": {"text": text}, "role": "USER"}})
}

pub(crate) fn ids(page: &Value) -> Vec<String> {
    page["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["eventId"].as_str().unwrap().to_owned())
        .collect()
}

pub(crate) fn call(
    address: SocketAddr,
    method: &str,
    path: &str,
    body: &[u8],
) -> std::io::Result<Response> {
    let mut request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    )
    .into_bytes();
    request.extend_from_slice(body);
    send(address, &request)
}

/// Sends bytes as they are and reads until the server closes.
pub(crate) fn send(address: SocketAddr, request: &[u8]) -> std::io::Result<Response> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(20)))?;
    stream.write_all(request)?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    parse(&bytes)
        .ok_or_else(|| std::io::Error::new(std::io::ErrorKind::UnexpectedEof, "no whole answer"))
}

fn parse(bytes: &[u8]) -> Option<Response> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some(Response {
        status,
        head,
        body: bytes[end + 4..].to_vec(),
    })
}
