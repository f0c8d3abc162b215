//! `ListSessions`.

use serde_json::{Map, Value, json};

use crate::error::ApiError;
use crate::limits::Counted;
use crate::page_token::PageToken;
use crate::route::{Labels, Operation};
use crate::store::Ranked;
use crate::timestamp::render_seconds;
use crate::validate::{ACTOR_ID, Violations, max_results, memory_id, object_member, text_member};
use crate::world::{Context, Reply};

const DEFAULT_PAGE: usize = 20;

pub(super) fn run(
    context: &Context<'_>,
    labels: &Labels,
    body: &Map<String, Value>,
) -> Result<Reply, ApiError> {
    let mut violations = Violations::default();
    let limit = max_results(body, &mut violations, DEFAULT_PAGE)?;
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
    let listing = format!("ListSessions {memory} {}", labels.actor);
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
            operation: Operation::ListSessions,
            session: None,
            conversational: false,
        })?;
        let found = memory
            .sessions_after(&labels.actor, after.as_ref())
            .filter(|(_, session)| session.is_listed(context.now, only_with_events))
            .take(limit + 1)
            .map(|(name, session)| (name.clone(), session.created_at));
        Ok::<_, ApiError>(found.collect::<Vec<_>>())
    });
    let page = page?;
    let items: Vec<String> = page
        .iter()
        .take(limit)
        .map(|(session, created_at)| {
            let (session, actor) = (json!(session.name), json!(labels.actor));
            format!(
                r#"{{"sessionId":{session},"actorId":{actor},"createdAt":{}}}"#,
                render_seconds(*created_at)
            )
        })
        .collect();
    let tail = next_token(page.iter().map(|(name, _)| name), limit, &listing);
    Ok(Reply::new(
        200,
        format!(r#"{{"sessionSummaries":[{}]{tail}}}"#, items.join(",")),
    ))
}

/// The `nextToken` member for a page of names that was read one past its end.
pub(super) fn next_token<'a>(
    names: impl ExactSizeIterator<Item = &'a Ranked>,
    limit: usize,
    listing: &str,
) -> String {
    if names.len() <= limit {
        return String::new();
    }
    let last = names.take(limit).last();
    last.map_or_else(String::new, |last| {
        let token = PageToken {
            first: last.rank,
            second: 0,
            salt: 0,
            name: last.name.clone(),
        };
        format!(r#","nextToken":{}"#, json!(token.encode(listing)))
    })
}
