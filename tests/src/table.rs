//! DynamoDB on loopback.

use std::net::SocketAddr;

use dynoxide::Database;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// An embedded DynamoDB behind its HTTP interface; it ends with this value.
#[derive(Debug)]
pub struct Table {
    address: SocketAddr,
    server: JoinHandle<()>,
}

impl Table {
    /// An empty one on a free port.
    pub async fn start() -> Self {
        let database = Database::memory().expect("an in-memory database");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let server = tokio::spawn(dynoxide::server::serve_on(listener, database));
        Self { address, server }
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        self.server.abort();
    }
}
