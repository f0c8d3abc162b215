//! `BatchCreateMemoryRecords`.

use serde_json::{Map, Value, json};

use crate::error::ApiError;
use crate::limits::Counted;
use crate::route::{Labels, Operation};
use crate::store::Record;
use crate::timestamp::parse_millis;
use crate::validate::{
    NAMESPACE, REQUEST_IDENTIFIER, STRATEGY_ID, Violations, list_member, member, memory_id,
    object_member, text_member,
};
use crate::world::{Context, Reply};

pub(super) fn run(
    context: &Context<'_>,
    labels: &Labels,
    body: &Map<String, Value>,
) -> Result<Reply, ApiError> {
    let memory = memory_id(&labels.memory)?;
    let mut violations = Violations::default();
    let items = list_member(body, "records")?.map(Vec::as_slice);
    match items {
        Some(items) => violations.length("records", items.len(), 1, 100),
        None => violations.missing("records"),
    }
    let mut records = Vec::new();
    for (index, item) in items.unwrap_or_default().iter().enumerate() {
        let path = format!("records.{}.member", index + 1);
        let Some(item) = item.as_object() else {
            return Err(ApiError::cannot_parse(format!(
                "member '{path}' must be an object"
            )));
        };
        records.push(parse_record(item, &path, context, &mut violations)?);
    }
    violations.finish()?;
    let (outcome, ticket) = context.world.with_store(|store| {
        store.active_memory(memory, context.now)?;
        context.admit(&Counted {
            operation: Operation::BatchCreateMemoryRecords,
            session: None,
            conversational: false,
        })?;
        for (_, record) in &records {
            store.add_record(memory, record.clone());
        }
        Ok::<_, ApiError>(())
    });
    outcome?;
    let done: Vec<Value> = records
        .iter()
        .map(|(request, record)| json!({"memoryRecordId": record.id, "status": "SUCCEEDED", "requestIdentifier": request}))
        .collect();
    Ok(Reply {
        status: 201,
        body: json!({"successfulRecords": done, "failedRecords": []}).to_string(),
        ticket,
    })
}

fn parse_record(
    item: &Map<String, Value>,
    path: &str,
    context: &Context<'_>,
    violations: &mut Violations,
) -> Result<(String, Record), ApiError> {
    let request = text_member(item, "requestIdentifier")?;
    match request {
        Some(request) => violations.text(
            &format!("{path}.requestIdentifier"),
            request,
            &REQUEST_IDENTIFIER,
        ),
        None => violations.missing(&format!("{path}.requestIdentifier")),
    }
    let namespaces = parse_namespaces(item, path, violations)?;
    let text = match object_member(item, "content")? {
        Some(inner) => text_member(inner, "text")?,
        None => None,
    };
    match text {
        Some(text) => violations.length(
            &format!("{path}.content.text"),
            text.chars().count(),
            1,
            16_000,
        ),
        None => violations.missing(&format!("{path}.content.text")),
    }
    let timestamp = member(item, "timestamp")
        .and_then(Value::as_number)
        .and_then(|number| parse_millis(number.as_str()));
    if timestamp.is_none() {
        violations.missing(&format!("{path}.timestamp"));
    }
    let strategy = text_member(item, "memoryStrategyId")?;
    if let Some(strategy) = strategy {
        violations.text(&format!("{path}.memoryStrategyId"), strategy, &STRATEGY_ID);
    }
    let record = Record {
        id: format!("mem-{}", context.world.random.uuid()),
        text: text.unwrap_or_default().to_owned(),
        namespaces,
        strategy: strategy.map(str::to_owned),
        created_at: context.now,
        timestamp: timestamp.unwrap_or_default(),
        metadata: member(item, "metadata").cloned(),
    };
    Ok((request.unwrap_or_default().to_owned(), record))
}

fn parse_namespaces(
    item: &Map<String, Value>,
    path: &str,
    violations: &mut Violations,
) -> Result<Vec<String>, ApiError> {
    let path = format!("{path}.namespaces");
    let Some(list) = list_member(item, "namespaces")? else {
        violations.missing(&path);
        return Ok(Vec::new());
    };
    violations.length(&path, list.len(), 0, 1);
    let mut namespaces = Vec::new();
    for namespace in list {
        let Some(namespace) = namespace.as_str() else {
            return Err(ApiError::cannot_parse(format!(
                "member '{path}' must hold strings"
            )));
        };
        violations.text(&path, namespace, &NAMESPACE);
        namespaces.push(namespace.to_owned());
    }
    Ok(namespaces)
}
