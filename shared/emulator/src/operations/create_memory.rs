//! `CreateMemory`.

use serde_json::{Map, Value};

use super::strategies::render_strategies;
use crate::error::{ApiError, Reason, Shape};
use crate::limits::Counted;
use crate::options::Options;
use crate::route::Operation;
use crate::store::MemoryInfo;
use crate::validate::{
    MEMORY_NAME, Violations, integer_member, list_member, member, object_member, text_member,
};
use crate::world::{Context, Reply};

const MOST_MEMORIES: usize = 150;
/// Members of the request that the memory shows again as they are.
const ECHOED: [&str; 6] = [
    "description",
    "encryptionKeyArn",
    "memoryExecutionRoleArn",
    "indexedKeys",
    "namespaceKeys",
    "streamDeliveryResources",
];

pub(super) fn run(context: &Context<'_>, body: &Map<String, Value>) -> Result<Reply, ApiError> {
    let (name, days) = parse(body)?;
    let world = context.world;
    let token = text_member(body, "clientToken")?.map(str::to_owned);
    let id = format!("{name}-{}", world.random.alphanumeric(10));
    let mut info = memory_info(&world.options, &id, &name, days, context.now);
    info.active_at = context
        .now
        .saturating_add(millis(world.options.memory_delay));
    info.updated_at = context.now;
    info.extras = extras(body, context)?;
    info.client_token.clone_from(&token);
    let (outcome, ticket) = world.with_store(|store| {
        context.admit(&Counted {
            operation: Operation::CreateMemory,
            session: None,
            conversational: false,
        })?;
        let alive = || {
            store
                .memories
                .values()
                .map(|memory| &memory.info)
                .filter(|info| !info.is_gone(context.now))
        };
        if let Some(existing) = alive().find(|info| info.name == name) {
            // The same token again is a retry, which is answered with the memory of the first call.
            if token.is_some() && existing.client_token == token {
                return Ok(existing.clone());
            }
            return Err(ApiError::validation(
                Reason::ResourceConflict,
                format!("Memory with name {name} already exists"),
            ));
        }
        if alive().count() >= MOST_MEMORIES {
            return Err(ApiError::new(
                Shape::ServiceQuotaExceeded,
                "The number of memories in the account is at its limit",
            ));
        }
        store.put_memory(info.clone());
        Ok(info)
    });
    let memory = outcome?.render(context.now);
    Ok(Reply {
        status: 202,
        body: format!(r#"{{"memory":{memory}}}"#),
        ticket,
    })
}

/// A memory as it is before anything special is said about it.
pub(crate) fn memory_info(
    options: &Options,
    id: &str,
    name: &str,
    expiry_days: u32,
    now: u64,
) -> MemoryInfo {
    MemoryInfo {
        id: id.to_owned(),
        name: name.to_owned(),
        arn: format!(
            "arn:aws:bedrock-agentcore:{}:{}:memory/{id}",
            options.region, options.account
        ),
        expiry_days,
        created_at: now,
        updated_at: now,
        active_at: now,
        updating_until: now,
        gone_at: None,
        client_token: None,
        extras: Map::new(),
    }
}

pub(super) fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Days of event expiry, within the widest bounds any source gives.
pub(super) fn expiry_days(
    body: &Map<String, Value>,
    violations: &mut Violations,
) -> Result<Option<u32>, ApiError> {
    let Some(days) = integer_member(body, "eventExpiryDuration")? else {
        return Ok(None);
    };
    violations.range("eventExpiryDuration", days, 3, 3650);
    Ok(u32::try_from(days).ok())
}

fn parse(body: &Map<String, Value>) -> Result<(String, u32), ApiError> {
    let mut violations = Violations::default();
    let name = text_member(body, "name")?;
    match name {
        Some(name) => violations.text("name", name, &MEMORY_NAME),
        None => violations.missing("name"),
    }
    if let Some(description) = text_member(body, "description")? {
        violations.length("description", description.chars().count(), 1, 4096);
    }
    if member(body, "eventExpiryDuration").is_none() {
        violations.missing("eventExpiryDuration");
    }
    if let Some(tags) = object_member(body, "tags")? {
        violations.length("tags", tags.len(), 0, 50);
    }
    let days = expiry_days(body, &mut violations)?;
    violations.finish()?;
    Ok((
        name.unwrap_or_default().to_owned(),
        days.unwrap_or_default(),
    ))
}

fn extras(
    body: &Map<String, Value>,
    context: &Context<'_>,
) -> Result<Map<String, Value>, ApiError> {
    let mut extras = Map::new();
    for name in ECHOED {
        if let Some(value) = member(body, name) {
            extras.insert(name.to_owned(), value.clone());
        }
    }
    let strategies = list_member(body, "memoryStrategies")?
        .map(Vec::as_slice)
        .unwrap_or_default();
    extras.insert(
        "strategies".to_owned(),
        render_strategies(strategies, context)?,
    );
    Ok(extras)
}
