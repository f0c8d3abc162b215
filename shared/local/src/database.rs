//! DynamoDB on loopback, in a file or in memory.

use std::net::SocketAddr;
use std::path::Path;

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::stack::StartError;

/// The file inside the data directory. Its write-ahead log is synced before a write is acknowledged, so a
/// killed process loses nothing it confirmed.
const FILE: &str = "dynamodb.sqlite";

/// A running DynamoDB.
#[derive(Debug)]
pub(crate) struct Database {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    server: JoinHandle<()>,
}

impl Database {
    /// Serves the database of the directory, or an empty one in memory.
    pub(crate) fn start(
        listener: TcpListener,
        directory: Option<&Path>,
    ) -> Result<Self, StartError> {
        let unusable = |reason: String| StartError::Database { reason };
        let address = listener
            .local_addr()
            .map_err(|error| unusable(error.to_string()))?;
        let opened = match directory {
            Some(directory) => dynoxide::Database::new(&directory.join(FILE).to_string_lossy()),
            None => dynoxide::Database::memory(),
        };
        let database = opened.map_err(|error| unusable(error.to_string()))?;
        let (stop, stopped) = oneshot::channel::<()>();
        let server = tokio::spawn(async move {
            let told = async {
                let _ = stopped.await;
            };
            // Once it is bound, nothing but being told ends the server.
            let _ = dynoxide::server::serve_with_shutdown(listener, database, told).await;
        });
        Ok(Self {
            address,
            stop,
            server,
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Lets running requests finish and closes the file.
    pub(crate) async fn stop(self) {
        let _ = self.stop.send(());
        let _ = self.server.await;
    }
}
