//! `GetMemory`.

use crate::error::ApiError;
use crate::limits::Counted;
use crate::route::{Labels, Operation};
use crate::validate::memory_id;
use crate::world::{Context, Reply};

pub(super) fn run(context: &Context<'_>, labels: &Labels) -> Result<Reply, ApiError> {
    let id = memory_id(&labels.memory)?;
    let (memory, _) = context.world.with_store(|store| {
        context.admit(&Counted {
            operation: Operation::GetMemory,
            session: None,
            conversational: false,
        })?;
        Ok::<_, ApiError>(store.memory(id, context.now)?.info.render(context.now))
    });
    Ok(Reply::new(200, format!(r#"{{"memory":{}}}"#, memory?)))
}
