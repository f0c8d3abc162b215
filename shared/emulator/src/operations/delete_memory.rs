//! `DeleteMemory`.

use serde_json::json;

use super::create_memory::millis;
use crate::error::ApiError;
use crate::limits::Counted;
use crate::route::{Labels, Operation};
use crate::validate::memory_id;
use crate::world::{Context, Reply};

pub(super) fn run(context: &Context<'_>, labels: &Labels) -> Result<Reply, ApiError> {
    let id = memory_id(&labels.memory)?;
    let (outcome, ticket) = context.world.with_store(|store| {
        context.admit(&Counted {
            operation: Operation::DeleteMemory,
            session: None,
            conversational: false,
        })?;
        let mut info = store.memory(id, context.now)?.info.clone();
        let gone_at = context
            .now
            .saturating_add(millis(context.world.options.memory_delay));
        info.gone_at = Some(info.gone_at.unwrap_or(gone_at));
        store.put_memory(info.clone());
        // Without a delay the memory is gone at once, and looking it up drops its contents.
        let _ = store.memory(id, context.now);
        Ok::<_, ApiError>(())
    });
    outcome?;
    Ok(Reply {
        status: 202,
        body: json!({"memoryId": id, "status": "DELETING"}).to_string(),
        ticket,
    })
}
