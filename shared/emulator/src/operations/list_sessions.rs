//! `ListSessions`.

use serde_json::{Map, Value, json};

use super::name_page::Asked;
use crate::error::ApiError;
use crate::limits::Counted;
use crate::route::{Labels, Operation};
use crate::store::Ranked;
use crate::timestamp::render_seconds;
use crate::validate::{ACTOR_ID, Violations, memory_id, object_member, text_member};
use crate::world::{Context, Reply};

pub(super) fn run(
    context: &Context<'_>,
    labels: &Labels,
    body: &Map<String, Value>,
) -> Result<Reply, ApiError> {
    let mut violations = Violations::default();
    let asked = Asked::parse(body, &mut violations)?;
    violations.text("actorId", &labels.actor, &ACTOR_ID);
    let only_with_events = match object_member(body, "filter")? {
        Some(filter) => text_member(filter, "eventFilter")?.inspect(|kind| {
            violations.one_of("filter.eventFilter", kind, &["HAS_EVENTS"]);
        }),
        None => None,
    }
    .is_some();
    let memory = memory_id(&labels.memory)?;
    violations.finish()?;
    let page = asked.of(format!("ListSessions {memory} {}", labels.actor))?;
    let (found, _) = context.world.with_store(|store| {
        let memory = store.active_memory(memory, context.now)?;
        context.admit(&Counted {
            operation: Operation::ListSessions,
            session: None,
            conversational: false,
        })?;
        let found = memory
            .sessions_after(&labels.actor, page.after.as_ref())
            .filter(|(_, session)| session.is_listed(context.now, only_with_events))
            .take(page.wanted())
            .map(|(name, session)| (name.clone(), session.created_at));
        Ok::<_, ApiError>(found.collect::<Vec<_>>())
    });
    let item = |(session, created_at): &(Ranked, u64)| {
        let (session, actor) = (json!(session.name), json!(labels.actor));
        format!(
            r#"{{"sessionId":{session},"actorId":{actor},"createdAt":{}}}"#,
            render_seconds(*created_at)
        )
    };
    Ok(page.reply("sessionSummaries", &found?, |(name, _)| name, item))
}
