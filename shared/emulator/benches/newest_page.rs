//! The newest page of a session, whether it holds a hundred events or a million.
//!
//! The cost of a listing must follow the page and not the session. Both are filled through the API itself, in
//! one process, and listed over HTTP by the same client; the ratio of the medians is printed at the end.
// A benchmark prints its result, and a failure to set it up ends it.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::indexing_slicing)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use emulator::{DEFAULT_MEMORY_ID, Emulator, Options, Switches};

const SIZES: [usize; 2] = [100, 1_000_000];
const ROUNDS: usize = 2_000;

fn main() {
    let medians = SIZES.map(|size| median(&mut Client::connect(), size));
    println!(
        "median of {ROUNDS} listings: {:?} with {} events, {:?} with {} events, ratio {:.2}",
        medians[0],
        SIZES[0],
        medians[1],
        SIZES[1],
        medians[1].as_secs_f64() / medians[0].as_secs_f64()
    );
    divan::main();
}

#[divan::bench(args = SIZES)]
fn newest_page(bencher: divan::Bencher<'_, '_>, size: usize) {
    let mut client = Client::connect();
    bencher.bench_local(|| client.list(size));
}

fn median(client: &mut Client, size: usize) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            assert!(client.list(size) > 20_000, "a page of 100 events");
            start.elapsed()
        })
        .collect();
    times.sort();
    times[ROUNDS / 2]
}

/// One kept-alive connection.
struct Client {
    stream: TcpStream,
}

impl Client {
    fn connect() -> Self {
        static SERVER: OnceLock<(tokio::runtime::Runtime, Emulator)> = OnceLock::new();
        let (_, emulator) = SERVER.get_or_init(|| {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            let options = Options {
                fixed_clock: Some(NOW + 2_000_000),
                // The session is filled without pauses.
                switches: Switches::reported(),
                ..Options::default()
            };
            let emulator = runtime.block_on(Emulator::start(options)).unwrap();
            let address = emulator.addr();
            for size in SIZES {
                fill(address, size);
            }
            (runtime, emulator)
        });
        let stream = TcpStream::connect(emulator.addr()).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream }
    }

    /// Lists the newest page of the session of this size and gives its bytes.
    fn list(&mut self, size: usize) -> usize {
        let path = format!("/memories/{DEFAULT_MEMORY_ID}/actor/a/sessions/s{size}");
        self.call(&path, r#"{"maxResults":100}"#)
    }

    fn call(&mut self, path: &str, body: &str) -> usize {
        write!(
            self.stream,
            "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = Vec::with_capacity(40_000);
        let mut piece = vec![0; 65_536];
        loop {
            let read = self.stream.read(&mut piece).unwrap();
            assert!(read > 0, "the server closed the connection");
            answer.extend_from_slice(&piece[..read]);
            if let Some(length) = whole_body(&answer) {
                return length;
            }
        }
    }
}

const NOW: u64 = 1_772_375_782_000;

/// Writes the events of one session, a millisecond apart.
fn fill(address: std::net::SocketAddr, size: usize) {
    let mut client = Client {
        stream: TcpStream::connect(address).unwrap(),
    };
    client.stream.set_nodelay(true).unwrap();
    let path = format!("/memories/{DEFAULT_MEMORY_ID}/events");
    let start = Instant::now();
    for number in 0..u64::try_from(size).unwrap() {
        let millis = NOW + number;
        let body = format!(
            r#"{{"actorId":"a","sessionId":"s{size}","eventTimestamp":{}.{:03},"payload":[{{"conversational":{{"content":{{"text":"message {number}"}},"role":"USER"}}}}]}}"#,
            millis / 1000,
            millis % 1000
        );
        client.call(&path, &body);
    }
    let rate = f64::from(u32::try_from(size).unwrap()) / start.elapsed().as_secs_f64();
    println!("filled {size} events at {rate:.0} per second over one connection");
}

/// Length of the body once all of it has arrived.
fn whole_body(answer: &[u8]) -> Option<usize> {
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&answer[..end]).unwrap();
    assert!(head.starts_with("HTTP/1.1 20"), "{head}");
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))?
        .trim()
        .parse()
        .unwrap();
    (answer.len() - end == length).then_some(length)
}
