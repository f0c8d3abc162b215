//! `UpdateMemory`.

use serde_json::{Map, Value};

use super::create_memory::{expiry_days, millis};
use crate::error::{ApiError, Shape};
use crate::limits::Counted;
use crate::route::{Labels, Operation};
use crate::validate::{Violations, member, memory_id, text_member};
use crate::world::{Context, Reply};

pub(super) fn run(
    context: &Context<'_>,
    labels: &Labels,
    body: &Map<String, Value>,
) -> Result<Reply, ApiError> {
    let id = memory_id(&labels.memory)?;
    let mut violations = Violations::default();
    let days = expiry_days(body, &mut violations)?;
    if let Some(description) = text_member(body, "description")? {
        violations.length("description", description.chars().count(), 1, 4096);
    }
    violations.finish()?;
    if member(body, "memoryStrategies").is_some() {
        return Err(ApiError::new(
            Shape::NotEmulated,
            "changing memoryStrategies is not emulated; nothing was done",
        ));
    }
    let (outcome, ticket) = context.world.with_store(|store| {
        context.admit(&Counted {
            operation: Operation::UpdateMemory,
            session: None,
            conversational: false,
        })?;
        let mut info = store.active_memory(id, context.now)?.info.clone();
        info.expiry_days = days.unwrap_or(info.expiry_days);
        for name in ["description", "memoryExecutionRoleArn"] {
            if let Some(value) = member(body, name) {
                info.extras.insert(name.to_owned(), value.clone());
            }
        }
        info.updated_at = context.now;
        info.updating_until = context
            .now
            .saturating_add(millis(context.world.options.memory_delay));
        store.put_memory(info.clone());
        Ok::<_, ApiError>(info)
    });
    let memory = outcome?.render(context.now);
    Ok(Reply {
        status: 202,
        body: format!(r#"{{"memory":{memory}}}"#),
        ticket,
    })
}
