//! The running emulator.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

use crate::calls::Calls;
use crate::clock::machine_now;
use crate::disk::{Disk, DiskError};
use crate::event::{EventId, Place};
use crate::faults::{FaultPlan, Faults};
use crate::http::serve;
use crate::model::{ModelAnswer, ModelRequest};
use crate::operations::memory_info;
use crate::options::Options;
use crate::random::Random;
use crate::store::Store;
use crate::validate::memory_id;
use crate::world::{World, lock};

/// Why an emulator could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address is taken or not ours.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address asked for.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// A memory to create at the start has an id the service would not give.
    #[error("not a memory id: {0}")]
    MemoryId(String),
    /// The data directory cannot be used.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// An emulator that serves until it is dropped or stopped.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), emulator::StartError> {
/// let emulator = emulator::Emulator::start(emulator::Options::default()).await?;
/// assert!(emulator.url().starts_with("http://127.0.0.1:"));
/// assert_eq!(emulator.calls().count("CreateEvent"), 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Emulator {
    address: SocketAddr,
    world: Arc<World>,
    server: JoinHandle<()>,
}

impl Emulator {
    /// Starts serving.
    pub async fn start(options: Options) -> Result<Self, StartError> {
        let address = SocketAddr::new(options.host, options.port);
        let listener = TcpListener::bind(address)
            .await
            .map_err(|source| StartError::Listen { address, source })?;
        let address = listener
            .local_addr()
            .map_err(|source| StartError::Listen { address, source })?;
        let world = Arc::new(build(options)?);
        let server = tokio::spawn(accept(listener, Arc::clone(&world)));
        Ok(Self {
            address,
            world,
            server,
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.address
    }

    /// The endpoint URL for clients of all the emulated services.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Ids of the memories that exist now.
    #[must_use]
    pub fn memories(&self) -> Vec<String> {
        self.world
            .with_store(|store| store.memories.keys().cloned().collect())
            .0
    }

    /// The calls so far.
    #[must_use]
    pub fn calls(&self) -> Calls {
        lock(&self.world.calls).clone()
    }

    /// Forgets the calls so far.
    pub fn clear_calls(&self) {
        *lock(&self.world.calls) = Calls::default();
    }

    /// Puts another fault plan in place, with its counts at zero.
    pub fn set_faults(&self, plan: FaultPlan) {
        *lock(&self.world.faults) = Faults::new(plan);
    }

    /// Moves the clock forward.
    pub fn advance_clock(&self, by: Duration) {
        self.world.clock.advance(by);
    }

    /// Server time in milliseconds since 1970.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.world.clock.now()
    }

    /// Replaces the payload list of a stored event as it will be served. `false` when there is no such event.
    #[must_use = "`false` says that nothing was changed"]
    pub fn tamper_event(
        &self,
        memory: &str,
        actor: &str,
        session: &str,
        event: &str,
        payload: &Value,
    ) -> bool {
        let place = Place {
            memory: memory.into(),
            actor: actor.into(),
            session: session.into(),
        };
        EventId::parse(event).is_some_and(|id| {
            let change =
                |event: &mut crate::event::StoredEvent| event.payload = payload.to_string().into();
            self.world
                .with_store(|store| store.tamper_event(&place, id, self.now(), change))
                .0
                .is_some()
        })
    }

    /// Removes a stored event behind the API's back. `false` when there is no such event.
    #[must_use = "`false` says that nothing was removed"]
    pub fn drop_event(&self, memory: &str, actor: &str, session: &str, event: &str) -> bool {
        let place = Place {
            memory: memory.into(),
            actor: actor.into(),
            session: session.into(),
        };
        EventId::parse(event).is_some_and(|id| {
            self.world
                .with_store(|store| store.remove_event(&place, id, self.now()))
                .0
                .is_some()
        })
    }

    /// Adds answers for the model to give before it falls back to its default one.
    pub fn script_model(&self, answers: impl IntoIterator<Item = ModelAnswer>) {
        lock(&self.world.model).script.extend(answers);
    }

    /// The requests that reached the model.
    #[must_use]
    pub fn model_requests(&self) -> Vec<ModelRequest> {
        lock(&self.world.model).requests.iter().cloned().collect()
    }

    /// Ends all connections and waits until the data directory is released.
    pub async fn stop(mut self) {
        self.server.abort();
        let _ = (&mut self.server).await;
        // Connections end soon after the task that owned them. Then this is the last holder of the world, and
        // dropping it closes the database.
        while Arc::strong_count(&self.world) > 1 {
            tokio::task::yield_now().await;
        }
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        self.server.abort();
    }
}

fn build(options: Options) -> Result<World, StartError> {
    let given = options.seed.unwrap_or_else(machine_now);
    // Ids must not repeat after a restart, so with a data directory the seed counts only together with time.
    let seed = if options.data.is_some() {
        given ^ machine_now().rotate_left(24)
    } else {
        given
    };
    let mut store = Store::new(given, options.data.is_some());
    let disk = options
        .data
        .as_deref()
        .map(|directory| Disk::open(directory, &mut store))
        .transpose()?;
    let memories = options.memories.clone();
    let world = World::new(options, store, disk, Random::new(seed));
    for memory in memories {
        let id = memory_id(&memory.id).map_err(|_| StartError::MemoryId(memory.id.clone()))?;
        let name = id.rsplit_once('-').map_or(id, |(name, _)| name);
        let info = memory_info(
            &world.options,
            id,
            name,
            memory.expiry_days,
            world.clock.now(),
        );
        world.with_store(|store| {
            if !store.memories.contains_key(id) {
                store.put_memory(info);
            }
        });
    }
    Ok(world)
}

async fn accept(listener: TcpListener, world: Arc<World>) {
    // Connections live in this set, so that they end together with the task that owns it.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(Arc::clone(&world), stream));
                }
                // Running out of descriptors passes; spinning on it would not help.
                Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
            },
            Some(_) = connections.join_next() => {}
        }
    }
}
