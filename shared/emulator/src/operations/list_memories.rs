//! `ListMemories`.

use serde_json::{Map, Value, json};

use crate::error::ApiError;
use crate::limits::Counted;
use crate::page_token::PageToken;
use crate::route::Operation;
use crate::validate::{Violations, max_results, text_member};
use crate::world::{Context, Reply};

const DEFAULT_PAGE: usize = 10;
const LISTING: &str = "ListMemories";

pub(super) fn run(context: &Context<'_>, body: &Map<String, Value>) -> Result<Reply, ApiError> {
    let mut violations = Violations::default();
    let limit = max_results(body, &mut violations, DEFAULT_PAGE)?;
    violations.finish()?;
    let after = text_member(body, "nextToken")?
        .map(|token| PageToken::decode(token, LISTING))
        .transpose()?;
    let after = after.map_or_else(String::new, |token| token.name);
    let (page, _) = context.world.with_store(|store| {
        context.admit(&Counted {
            operation: Operation::ListMemories,
            session: None,
            conversational: false,
        })?;
        let rest = store
            .memories
            .values()
            .map(|memory| &memory.info)
            .filter(|info| info.id > after);
        let alive = rest
            .filter(|info| !info.is_gone(context.now))
            .take(limit + 1);
        Ok::<_, ApiError>(
            alive
                .map(|info| (info.id.clone(), info.render_summary(context.now)))
                .collect::<Vec<_>>(),
        )
    });
    let page = page?;
    let items: Vec<&str> = page
        .iter()
        .take(limit)
        .map(|(_, text)| text.as_str())
        .collect();
    let more = (page.len() > limit).then(|| page.get(limit - 1)).flatten();
    let tail = more.map_or_else(String::new, |(id, _)| {
        let token = PageToken {
            first: 0,
            second: 0,
            salt: 0,
            name: id.clone(),
        };
        format!(r#","nextToken":{}"#, json!(token.encode(LISTING)))
    });
    Ok(Reply::new(
        200,
        format!(r#"{{"memories":[{}]{tail}}}"#, items.join(",")),
    ))
}
