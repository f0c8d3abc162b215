//! A relay that counts connections, and speaks TLS if it has to.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

use super::authority::Authority;

/// A relay before a service, on a free port; it ends with this value.
#[derive(Debug)]
pub struct Relay {
    scheme: &'static str,
    address: SocketAddr,
    accepted: Arc<AtomicUsize>,
    server: JoinHandle<()>,
}

impl Relay {
    /// A relay to `target`, given as an endpoint.
    pub async fn start(target: &str) -> Self {
        Self::to(target, None).await
    }

    /// A relay that is reached by TLS, as the services themselves are.
    pub async fn with_tls(target: &str, authority: &Authority) -> Self {
        Self::to(target, Some(authority.acceptor())).await
    }

    async fn to(target: &str, tls: Option<TlsAcceptor>) -> Self {
        let target = target.trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let scheme = if tls.is_some() { "https" } else { "http" };
        let accepted = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&accepted);
        let server = tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                near.set_nodelay(true).expect("a TCP socket");
                counted.fetch_add(1, Ordering::SeqCst);
                let (target, tls) = (target.clone(), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => pass_on(near, &target).await,
                        // Who does not trust us leaves before there is anything to pass on.
                        Some(tls) => {
                            if let Ok(near) = tls.accept(near).await {
                                pass_on(near, &target).await;
                            }
                        }
                    }
                });
            }
        });
        Self {
            scheme,
            address,
            accepted,
            server,
        }
    }

    /// Its address as an endpoint.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    /// How many connections were made so far.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }
}

async fn pass_on(mut near: impl AsyncRead + AsyncWrite + Unpin, target: &str) {
    let mut far = TcpStream::connect(target).await.expect("the service runs");
    far.set_nodelay(true).expect("a TCP socket");
    // Either side may end it.
    let _ = copy_bidirectional(&mut near, &mut far).await;
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.server.abort();
    }
}
