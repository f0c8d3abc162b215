//! `ListMemoryRecords`, and the choice of records it shares with retrieval.

use serde_json::{Map, Value, json};

use crate::error::{ApiError, Shape};
use crate::limits::Counted;
use crate::page_token::PageToken;
use crate::route::{Labels, Operation};
use crate::store::Record;
use crate::validate::{
    NAMESPACE, STRATEGY_ID, Violations, max_results, member, memory_id, text_member,
};
use crate::world::{Context, Reply};

const DEFAULT_PAGE: usize = 20;

pub(super) fn run(
    context: &Context<'_>,
    labels: &Labels,
    body: &Map<String, Value>,
) -> Result<Reply, ApiError> {
    let mut violations = Violations::default();
    let choice = Choice::parse(body, body, &mut violations)?;
    let records = choice.read(
        context,
        labels,
        Operation::ListMemoryRecords,
        body,
        violations,
    )?;
    let records = records.iter().map(|record| record.render(None)).collect();
    page(labels, body, "ListMemoryRecords", records)
}

/// Which records a call is about.
#[derive(Debug)]
pub(super) struct Choice {
    namespace: Option<String>,
    path: Option<String>,
    strategy: Option<String>,
}

impl Choice {
    /// `criteria` is the object that holds the strategy and filters; it differs between the two operations.
    pub(super) fn parse(
        body: &Map<String, Value>,
        criteria: &Map<String, Value>,
        violations: &mut Violations,
    ) -> Result<Self, ApiError> {
        if member(criteria, "metadataFilters").is_some() {
            return Err(ApiError::new(
                Shape::NotEmulated,
                "metadataFilters on memory records are not emulated",
            ));
        }
        let namespace = text_member(body, "namespace")?;
        let path = text_member(body, "namespacePath")?;
        for (name, value) in [("namespace", namespace), ("namespacePath", path)] {
            if let Some(value) = value {
                violations.text(name, value, &NAMESPACE);
            }
        }
        if namespace.is_some() == path.is_some() {
            violations.add(
                "namespace",
                "Exactly one of namespace and namespacePath must be set",
            );
        }
        let strategy = text_member(criteria, "memoryStrategyId")?;
        if let Some(strategy) = strategy {
            violations.text("memoryStrategyId", strategy, &STRATEGY_ID);
        }
        Ok(Self {
            namespace: namespace.map(str::to_owned),
            path: path.map(str::to_owned),
            strategy: strategy.map(str::to_owned),
        })
    }

    /// The chosen records, newest first.
    pub(super) fn read(
        &self,
        context: &Context<'_>,
        labels: &Labels,
        operation: Operation,
        body: &Map<String, Value>,
        mut violations: Violations,
    ) -> Result<Vec<Record>, ApiError> {
        max_results(body, &mut violations, DEFAULT_PAGE)?;
        let id = memory_id(&labels.memory)?;
        violations.finish()?;
        let (records, _) = context.world.with_store(|store| {
            let memory = store.active_memory(id, context.now)?;
            context.admit(&Counted {
                operation,
                session: None,
                conversational: false,
            })?;
            Ok::<_, ApiError>(
                memory
                    .records
                    .iter()
                    .filter(|record| self.covers(record))
                    .cloned()
                    .collect::<Vec<_>>(),
            )
        });
        let mut records = records?;
        records.sort_by(|a, b| (b.timestamp, &b.id).cmp(&(a.timestamp, &a.id)));
        Ok(records)
    }

    fn covers(&self, record: &Record) -> bool {
        let exact = |wanted: &str| {
            record
                .namespaces
                .iter()
                .any(|namespace| namespace == wanted)
        };
        let below = |wanted: &str| {
            let folder = format!("{}/", wanted.trim_end_matches('/'));
            record
                .namespaces
                .iter()
                .any(|namespace| namespace == wanted || namespace.starts_with(&folder))
        };
        self.namespace.as_deref().is_none_or(exact)
            && self.path.as_deref().is_none_or(below)
            && self
                .strategy
                .as_ref()
                .is_none_or(|wanted| record.strategy.as_ref() == Some(wanted))
    }
}

/// One page of rendered records.
pub(super) fn page(
    labels: &Labels,
    body: &Map<String, Value>,
    operation: &str,
    records: Vec<String>,
) -> Result<Reply, ApiError> {
    let limit = max_results(body, &mut Violations::default(), DEFAULT_PAGE)?;
    let listing = format!("{operation} {}", labels.memory);
    let token = text_member(body, "nextToken")?
        .map(|token| PageToken::decode(token, &listing))
        .transpose()?;
    let start = token
        .and_then(|token| usize::try_from(token.first).ok())
        .unwrap_or(0);
    let more = records.len() > start.saturating_add(limit);
    let items: Vec<String> = records.into_iter().skip(start).take(limit).collect();
    let tail = if more {
        let first = u64::try_from(start + limit).unwrap_or(u64::MAX);
        let token = PageToken {
            first,
            second: 0,
            salt: 0,
            name: String::new(),
        };
        format!(r#","nextToken":{}"#, json!(token.encode(&listing)))
    } else {
        String::new()
    };
    Ok(Reply::new(
        200,
        format!(r#"{{"memoryRecordSummaries":[{}]{tail}}}"#, items.join(",")),
    ))
}
