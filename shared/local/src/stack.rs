//! Everything that runs, started and stopped together.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use edge::{ConfigError, Development};
use emulator::{DEFAULT_MEMORY_ID, Emulator, Switches};
use thiserror::Error;
use tokio::net::TcpListener;

use crate::api::{Api, Limits};
use crate::database::Database;
use crate::functions::{Functions, Services};
use crate::options::Options;
use crate::port::Port;

/// Nothing here is meant for a network: callers are believed.
const HOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Why the stack could not be started.
#[derive(Debug, Error)]
pub enum StartError {
    /// Another program listens there.
    #[error("port {port} for {what} is taken by another program; choose another with {flag} (0 for any free one)", flag = what.flag())]
    PortTaken {
        /// The port.
        port: u16,
        /// What it is for.
        what: Port,
    },
    /// The system does not let us listen there.
    #[error("cannot listen on port {port} for {what}: {source}; choose another with {flag}", flag = what.flag())]
    Listen {
        /// The port.
        port: u16,
        /// What it is for.
        what: Port,
        /// What the system said.
        source: io::Error,
    },
    /// The directory for the data cannot be made.
    #[error(
        "cannot create {directory}: {source}; choose another with --data, or keep nothing with --ephemeral"
    )]
    Directory {
        /// The directory.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The emulator cannot use its data.
    #[error("AgentCore Memory does not start: {0}; another run may be using the same --data")]
    Emulator(#[source] emulator::StartError),
    /// The database cannot use its file.
    #[error("DynamoDB does not start: {reason}; another run may be using the same --data")]
    Database {
        /// What it said.
        reason: String,
    },
    /// The table could not be created.
    #[error("the context table cannot be created: {reason}")]
    Table {
        /// What the database said.
        reason: String,
    },
    /// The functions refuse their environment.
    #[error("the functions do not start: {0}")]
    Config(#[from] ConfigError),
    /// The address is not loopback.
    #[error("the local run serves loopback addresses alone")]
    NotLoopback,
}

/// The running service.
#[derive(Debug)]
pub struct Stack {
    api: Api,
    emulator: Emulator,
    database: Database,
}

impl Stack {
    /// Starts everything, in the order in which the parts need each other.
    ///
    /// # Errors
    /// A port is taken, or the data cannot be used.
    pub async fn start(options: &Options) -> Result<Self, StartError> {
        // All ports before any file: a second run by mistake must not touch the data of the first.
        let api = bind(Port::Api, options.port).await?;
        let dynamodb = bind(Port::DynamoDb, options.dynamodb_port).await?;
        let emulator = start_emulator(options).await?;
        let database = Database::start(dynamodb, options.directory())?;

        let services = Services {
            agentcore: &emulator.url(),
            dynamodb: &database.url(),
            memory: DEFAULT_MEMORY_ID,
            model: options.model.as_deref(),
        };
        let development = Development::on(HOST).ok_or(StartError::NotLoopback)?;
        let functions = Functions::connect(&services, development, options.logs)?;
        let created = functions.store().context.create().await;
        created.map_err(|error| StartError::Table {
            reason: error.to_string(),
        })?;
        let limits = Limits {
            requests: options.concurrency.into(),
            ..Limits::default()
        };
        let api = Api::start(api, functions, limits)
            .map_err(|source| listen_error(Port::Api, options.port, source))?;
        Ok(Self {
            api,
            emulator,
            database,
        })
    }

    /// Where the HTTP API is.
    #[must_use]
    pub fn url(&self) -> String {
        self.api.url()
    }

    /// Where AgentCore Memory is.
    #[must_use]
    pub fn agentcore_url(&self) -> String {
        self.emulator.url()
    }

    /// Where DynamoDB is.
    #[must_use]
    pub fn dynamodb_url(&self) -> String {
        self.database.url()
    }

    /// Lets running requests finish, then closes the stores.
    pub async fn stop(self) {
        self.api.stop().await;
        self.database.stop().await;
        self.emulator.stop().await;
    }
}

async fn start_emulator(options: &Options) -> Result<Emulator, StartError> {
    let directory = options
        .directory()
        .map(|directory| directory.join("agentcore"));
    if let Some(directory) = &directory {
        std::fs::create_dir_all(directory).map_err(|source| StartError::Directory {
            directory: directory.clone(),
            source,
        })?;
    }
    let started = Emulator::start(emulator::Options {
        host: HOST,
        port: options.emulator_port,
        data: directory,
        // A first try should show what is reported of the service, not the worst that may be true of it.
        switches: Switches::reported(),
        ..emulator::Options::default()
    });
    started.await.map_err(|error| match error {
        emulator::StartError::Listen { source, .. } => {
            listen_error(Port::Emulator, options.emulator_port, source)
        }
        other => StartError::Emulator(other),
    })
}

async fn bind(what: Port, port: u16) -> Result<TcpListener, StartError> {
    let listener = TcpListener::bind(SocketAddr::new(HOST, port)).await;
    listener.map_err(|source| listen_error(what, port, source))
}

fn listen_error(what: Port, port: u16, source: io::Error) -> StartError {
    match source.kind() {
        io::ErrorKind::AddrInUse => StartError::PortTaken { port, what },
        _ => StartError::Listen { port, what, source },
    }
}
