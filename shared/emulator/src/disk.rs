//! The store on disk: one thread that commits what has piled up while it was committing.

use std::path::Path;
use std::sync::mpsc;
use std::thread::JoinHandle;

use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};
use tokio::sync::oneshot;

use crate::store::{Change, Store, Table};

const MEMORIES: TableDefinition<'_, &str, &str> = TableDefinition::new("memories");
const EVENTS: TableDefinition<'_, &str, &str> = TableDefinition::new("events");
const RECORDS: TableDefinition<'_, &str, &str> = TableDefinition::new("records");

/// Most requests that one commit covers.
const GROUP: usize = 4_096;

/// What the database may hold in memory. All is read from the store, so more would only be kept twice.
const CACHE_BYTES: usize = 2 * 1_024 * 1_024;

/// Why the data directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    /// The directory cannot be made.
    #[error("cannot create the data directory: {0}")]
    Directory(#[from] std::io::Error),
    /// The database is damaged, locked by another process, or cannot be written.
    #[error("the database in the data directory cannot be used: {0}")]
    Database(#[from] Box<redb::Error>),
    /// A row is not one of ours.
    #[error("a stored row cannot be read: {0}")]
    Row(#[from] serde_json::Error),
}

/// A promise that changes are on disk. Waiting for it is what makes an answer an acknowledgement.
pub(crate) type Ticket = oneshot::Receiver<Result<(), String>>;

/// The thread that owns the database.
#[derive(Debug)]
pub(crate) struct Disk {
    requests: Option<mpsc::Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Request {
    changes: Vec<Change>,
    done: oneshot::Sender<Result<(), String>>,
}

impl Disk {
    /// Opens or creates the database and reads it into the store.
    pub(crate) fn open(directory: &Path, store: &mut Store) -> Result<Self, DiskError> {
        std::fs::create_dir_all(directory)?;
        let database = load(&directory.join("emulator.redb"), store)?;
        let (requests, inbox) = mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("emulator-disk".to_owned())
            .spawn(move || commit_in_groups(&database, &inbox))?;
        Ok(Self {
            requests: Some(requests),
            thread: Some(thread),
        })
    }

    /// Hands over changes. The order of calls is the order on disk.
    pub(crate) fn submit(&self, changes: Vec<Change>) -> Ticket {
        let (done, ticket) = oneshot::channel();
        // A closed inbox drops `done`, which the holder of the ticket sees as an error.
        if let Some(requests) = &self.requests {
            let _ = requests.send(Request { changes, done });
        }
        ticket
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // The thread ends by itself once the inbox is closed and empty; a panic there has nobody to tell.
            let _ = thread.join();
        }
    }
}

fn load(path: &Path, store: &mut Store) -> Result<Database, DiskError> {
    let mut builder = Database::builder();
    builder.set_cache_size(CACHE_BYTES);
    let database = builder.create(path).map_err(boxed)?;
    let write = database.begin_write().map_err(boxed)?;
    for table in [MEMORIES, EVENTS, RECORDS] {
        write.open_table(table).map_err(boxed)?;
    }
    write.commit().map_err(boxed)?;
    let read = database.begin_read().map_err(boxed)?;
    // Memories come first: events and records are put into them.
    for (kind, table) in [
        (Table::Memories, MEMORIES),
        (Table::Events, EVENTS),
        (Table::Records, RECORDS),
    ] {
        let table = read.open_table(table).map_err(boxed)?;
        for row in table.iter().map_err(boxed)? {
            let (key, value) = row.map_err(boxed)?;
            store.restore(kind, key.value(), value.value())?;
        }
    }
    drop(read);
    Ok(database)
}

fn commit_in_groups(database: &Database, inbox: &mpsc::Receiver<Request>) {
    while let Ok(first) = inbox.recv() {
        let group: Vec<Request> = std::iter::once(first)
            .chain(inbox.try_iter().take(GROUP))
            .collect();
        let outcome = commit(database, &group).map_err(|error| error.to_string());
        for request in group {
            // A caller that went away no longer waits for its ticket.
            let _ = request.done.send(outcome.clone());
        }
    }
}

fn commit(database: &Database, group: &[Request]) -> Result<(), Box<redb::Error>> {
    let write = database.begin_write().map_err(boxed)?;
    {
        let mut memories = write.open_table(MEMORIES).map_err(boxed)?;
        let mut events = write.open_table(EVENTS).map_err(boxed)?;
        let mut records = write.open_table(RECORDS).map_err(boxed)?;
        for change in group.iter().flat_map(|request| &request.changes) {
            let table = match change {
                Change::Put(table, ..) | Change::Delete(table, _) => table,
            };
            let table = match table {
                Table::Memories => &mut memories,
                Table::Events => &mut events,
                Table::Records => &mut records,
            };
            match change {
                Change::Put(_, key, value) => {
                    drop(table.insert(key.as_str(), value.as_str()).map_err(boxed)?);
                }
                Change::Delete(_, key) => drop(table.remove(key.as_str()).map_err(boxed)?),
            }
        }
    }
    write.commit().map_err(boxed)
}

fn boxed(error: impl Into<redb::Error>) -> Box<redb::Error> {
    Box::new(error.into())
}
