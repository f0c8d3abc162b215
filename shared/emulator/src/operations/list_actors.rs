//! `ListActors`.

use serde_json::{Map, Value, json};

use super::name_page::Asked;
use crate::error::ApiError;
use crate::limits::Counted;
use crate::route::{Labels, Operation};
use crate::store::Ranked;
use crate::validate::{Violations, memory_id};
use crate::world::{Context, Reply};

pub(super) fn run(
    context: &Context<'_>,
    labels: &Labels,
    body: &Map<String, Value>,
) -> Result<Reply, ApiError> {
    let mut violations = Violations::default();
    let asked = Asked::parse(body, &mut violations)?;
    let memory = memory_id(&labels.memory)?;
    violations.finish()?;
    let page = asked.of(format!("ListActors {memory}"))?;
    let (found, _) = context.world.with_store(|store| {
        let memory = store.active_memory(memory, context.now)?;
        context.admit(&Counted {
            operation: Operation::ListActors,
            session: None,
            conversational: false,
        })?;
        let found = memory
            .actors_after(page.after.as_ref())
            .filter_map(|(name, mut sessions)| {
                sessions
                    .any(|session| session.is_listed(context.now, false))
                    .then(|| name.clone())
            })
            .take(page.wanted());
        Ok::<_, ApiError>(found.collect::<Vec<_>>())
    });
    let item = |actor: &Ranked| json!({"actorId": actor.name}).to_string();
    Ok(page.reply("actorSummaries", &found?, |actor| actor, item))
}
