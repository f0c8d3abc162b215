//! The listening server.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

use super::connection::serve;
use super::limits::Limits;
use super::service::Service;
use super::stopping::Stopping;
use crate::functions::Functions;

/// The running API.
#[derive(Debug)]
pub(crate) struct Api {
    address: SocketAddr,
    stopping: watch::Sender<bool>,
    server: JoinHandle<()>,
}

impl Api {
    /// Serves the functions.
    pub(crate) fn start(
        listener: TcpListener,
        functions: Functions,
        limits: Limits,
    ) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let (stopping, told) = Stopping::channel();
        let service = Arc::new(Service::new(functions, limits));
        let server = tokio::spawn(accept(listener, service, told));
        Ok(Self {
            address,
            stopping,
            server,
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Stops listening and waits for the requests under way.
    pub(crate) async fn stop(self) {
        let _ = self.stopping.send(true);
        let _ = self.server.await;
    }
}

async fn accept(listener: TcpListener, service: Arc<Service>, stopping: Stopping) {
    let mut connections = JoinSet::new();
    let mut told = stopping.clone();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(Arc::clone(&service), stream, stopping.clone()));
                }
                // Running out of descriptors passes; spinning on it would not help.
                Err(_) => sleep(Duration::from_millis(10)).await,
            },
            Some(_) = connections.join_next() => {}
            () = told.told() => break,
        }
    }
    drop(listener);
    let finished = async { while connections.join_next().await.is_some() {} };
    // What is still running then is cut off as the set is dropped.
    let _ = timeout(service.limits.stop, finished).await;
}
