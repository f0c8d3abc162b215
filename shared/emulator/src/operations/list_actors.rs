//! `ListActors`.

use serde_json::{Map, Value, json};

use super::list_sessions::next_token;
use crate::error::ApiError;
use crate::limits::Counted;
use crate::page_token::PageToken;
use crate::route::{Labels, Operation};
use crate::store::Ranked;
use crate::validate::{Violations, max_results, memory_id, text_member};
use crate::world::{Context, Reply};

const DEFAULT_PAGE: usize = 20;

pub(super) fn run(
    context: &Context<'_>,
    labels: &Labels,
    body: &Map<String, Value>,
) -> Result<Reply, ApiError> {
    let mut violations = Violations::default();
    let limit = max_results(body, &mut violations, DEFAULT_PAGE)?;
    let memory = memory_id(&labels.memory)?;
    violations.finish()?;
    let listing = format!("ListActors {memory}");
    let after = text_member(body, "nextToken")?
        .map(|token| PageToken::decode(token, &listing))
        .transpose()?;
    let after = after.map(|token| Ranked {
        rank: token.first,
        name: token.name,
    });
    let (page, _) = context.world.with_store(|store| {
        let memory = store.active_memory(memory, context.now)?;
        context.admit(&Counted {
            operation: Operation::ListActors,
            session: None,
            conversational: false,
        })?;
        let found = memory
            .actors_after(after.as_ref())
            .filter_map(|(name, mut sessions)| {
                sessions
                    .any(|session| session.is_listed(context.now, false))
                    .then(|| name.clone())
            })
            .take(limit + 1);
        Ok::<_, ApiError>(found.collect::<Vec<_>>())
    });
    let page = page?;
    let items: Vec<String> = page
        .iter()
        .take(limit)
        .map(|actor| json!({"actorId": actor.name}).to_string())
        .collect();
    let tail = next_token(page.iter(), limit, &listing);
    Ok(Reply::new(
        200,
        format!(r#"{{"actorSummaries":[{}]{tail}}}"#, items.join(",")),
    ))
}
