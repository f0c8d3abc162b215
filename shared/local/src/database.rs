//! DynamoDB on loopback, in a file or in memory.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::thread::{Builder, JoinHandle};

use tokio::net::TcpListener;
use tokio::runtime;
use tokio::sync::oneshot;

use crate::stack::StartError;

/// The file inside the data directory. A write is acknowledged when the system has it, so a killed process loses
/// nothing it confirmed; a machine that loses power may lose the last writes.
const FILE: &str = "dynamodb.sqlite";

/// A running DynamoDB.
#[derive(Debug)]
pub(crate) struct Database {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    /// It works, and waits for the disk, on the thread that serves it: one of its own, or everybody would wait.
    thread: JoinHandle<()>,
}

impl Database {
    /// Serves the database of the directory, or an empty one in memory.
    pub(crate) fn start(
        listener: TcpListener,
        directory: Option<&Path>,
    ) -> Result<Self, StartError> {
        let database = open(directory).map_err(|error| unusable(error.to_string()))?;
        let io = |error: io::Error| unusable(error.to_string());
        let address = listener.local_addr().map_err(io)?;
        let listener = listener.into_std().map_err(io)?;
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(io)?;
        let (stop, stopped) = oneshot::channel::<()>();
        let serve = async move {
            let told = async {
                let _ = stopped.await;
            };
            // Once it listens, nothing but being told ends the server.
            if let Ok(listener) = TcpListener::from_std(listener) {
                let _ = dynoxide::server::serve_with_shutdown(listener, database, told).await;
            }
        };
        let thread = Builder::new()
            .name("dynamodb".to_owned())
            .spawn(move || runtime.block_on(serve))
            .map_err(io)?;
        Ok(Self {
            address,
            stop,
            thread,
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Lets running requests finish and closes the file.
    pub(crate) async fn stop(self) {
        let _ = self.stop.send(());
        let _ = tokio::task::spawn_blocking(|| self.thread.join()).await;
    }
}

fn open(directory: Option<&Path>) -> dynoxide::Result<dynoxide::Database> {
    let Some(directory) = directory else {
        return dynoxide::Database::memory();
    };
    let database = dynoxide::Database::new(&directory.join(FILE).to_string_lossy())?;
    // The log is synced when it is folded into the file, not for each write.
    database.disable_bulk_loading()?;
    Ok(database)
}

fn unusable(reason: String) -> StartError {
    StartError::Database { reason }
}
