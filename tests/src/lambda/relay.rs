//! A relay that counts connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// A relay before a service, on a free port; it ends with this value.
#[derive(Debug)]
pub struct Relay {
    address: SocketAddr,
    accepted: Arc<AtomicUsize>,
    server: JoinHandle<()>,
}

impl Relay {
    /// A relay to `target`, given as an endpoint.
    pub async fn start(target: &str) -> Self {
        let target = target.trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let accepted = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&accepted);
        let server = tokio::spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                counted.fetch_add(1, Ordering::SeqCst);
                let target = target.clone();
                tokio::spawn(async move {
                    let mut far = TcpStream::connect(target).await.expect("the service runs");
                    // Either side may end it.
                    let _ = copy_bidirectional(&mut near, &mut far).await;
                });
            }
        });
        Self {
            address,
            accepted,
            server,
        }
    }

    /// Its address as an endpoint.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many connections were made so far.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.server.abort();
    }
}
