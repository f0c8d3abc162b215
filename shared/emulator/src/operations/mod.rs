//! The operations, one file each.

mod batch_create_memory_records;
mod converse;
mod create_event;
mod create_memory;
mod delete_event;
mod delete_memory;
mod get_event;
mod get_memory;
mod list_actors;
mod list_events;
mod list_memories;
mod list_memory_records;
mod list_sessions;
mod name_page;
mod new_event;
mod payload;
mod place;
mod retrieve_memory_records;
mod strategies;
mod update_memory;

use serde_json::{Map, Value};

use crate::error::{ApiError, Shape};
use crate::route::{Labels, Operation};
use crate::world::{Context, Reply};

pub(crate) use create_memory::memory_info;
pub(crate) use payload::render_payload;

/// Runs one operation.
pub(crate) fn run(
    context: &Context<'_>,
    operation: Operation,
    labels: &Labels,
    body: &Map<String, Value>,
) -> Result<Reply, ApiError> {
    match operation {
        Operation::CreateEvent => create_event::run(context, labels, body),
        Operation::GetEvent => get_event::run(context, labels),
        Operation::ListEvents => list_events::run(context, labels, body),
        Operation::DeleteEvent => delete_event::run(context, labels),
        Operation::ListSessions => list_sessions::run(context, labels, body),
        Operation::ListActors => list_actors::run(context, labels, body),
        Operation::CreateMemory => create_memory::run(context, body),
        Operation::GetMemory => get_memory::run(context, labels),
        Operation::UpdateMemory => update_memory::run(context, labels, body),
        Operation::DeleteMemory => delete_memory::run(context, labels),
        Operation::ListMemories => list_memories::run(context, body),
        Operation::BatchCreateMemoryRecords => {
            batch_create_memory_records::run(context, labels, body)
        }
        Operation::ListMemoryRecords => list_memory_records::run(context, labels, body),
        Operation::RetrieveMemoryRecords => retrieve_memory_records::run(context, labels, body),
        Operation::Converse => converse::run(context, labels, body),
        Operation::IngestData
        | Operation::GetMemoryRecord
        | Operation::DeleteMemoryRecord
        | Operation::BatchUpdateMemoryRecords
        | Operation::BatchDeleteMemoryRecords
        | Operation::StartMemoryExtractionJob
        | Operation::ListMemoryExtractionJobs
        | Operation::ConverseStream
        | Operation::InvokeModel
        | Operation::InvokeModelWithResponseStream
        | Operation::CountTokens => Err(ApiError::new(
            Shape::NotEmulated,
            format!("{} is not emulated; nothing was done", operation.name()),
        )),
    }
}
