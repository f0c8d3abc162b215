//! A commit as DynamoDB writes.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::{
    AttributeValue, CancellationReason, Delete, Put, ReturnValuesOnConditionCheckFailure,
    TransactWriteItem, Update,
};
use conversation::ports::{
    Commit, CommitOutcome, ContextError, ContextItem, KeyRecord, StateWrite, SystemWrite,
};
use conversation::{Conversation, KeyHash};

use crate::attribute::{Item, number};
use crate::error::{not_built, unavailable};
use crate::head::{self, HeadUpdate};
use crate::key::ItemKey;
use crate::size::{ITEM_LIMIT, TRANSACTION_LIMIT, item_size};
use crate::table::TTL_ATTRIBUTE;
use crate::{idempotency, state, system};

/// Whether the head is all that changes, so that one update does.
pub(crate) fn is_head_only(commit: &Commit) -> bool {
    commit.system.is_none()
        && commit.states.is_empty()
        && commit.renew.is_empty()
        && commit.key.is_none()
}

/// The update of the head.
pub(crate) fn head_update(commit: &Commit) -> HeadUpdate {
    head::update(&commit.expected, &commit.head, commit.expires_at)
}

/// One write of a transaction, with what is needed to read its refusal.
#[derive(Debug)]
pub(crate) struct Action<'a> {
    pub(crate) write: TransactWriteItem,
    pub(crate) subject: Subject<'a>,
}

/// What a write of a transaction is about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Subject<'a> {
    Head,
    Key(&'a KeyRecord),
    /// Written without a condition.
    Unconditional,
    State(&'a str),
}

/// All writes of the commit, in a fixed order: a repeated transaction must be the same to the letter.
pub(crate) fn actions<'a>(
    table: &str,
    conversation: &Conversation,
    branch: Option<&str>,
    commit: &'a Commit,
) -> Result<Vec<Action<'a>>, ContextError> {
    let mut actions = vec![head_action(table, conversation, branch, commit)?];
    if let Some(record) = &commit.key {
        actions.push(key_action(table, conversation, record, commit.now_s)?);
    }
    if let Some(write) = &commit.system {
        actions.push(system_action(
            table,
            conversation,
            write,
            commit.expires_at,
        )?);
    }
    for write in &commit.states {
        actions.push(state_action(table, conversation, write, commit.expires_at)?);
    }
    for item in commit.renew.iter().filter(|item| !is_written(commit, item)) {
        actions.push(renewal(table, conversation, item, commit.expires_at)?);
    }
    within_limit(&actions)?;
    Ok(actions)
}

/// What a cancelled transaction means.
pub(crate) fn cancelled(
    actions: &[Action<'_>],
    reasons: &[CancellationReason],
) -> Result<CommitOutcome, ContextError> {
    let mut head = None;
    let mut key = None;
    let mut state = None;
    let refused = |reason: &CancellationReason| reason.code() == Some("ConditionalCheckFailed");
    for (action, reason) in actions
        .iter()
        .zip(reasons)
        .filter(|(_, reason)| refused(reason))
    {
        match action.subject {
            Subject::Head => head = Some(found_head(reason.item())?),
            Subject::Key(record) => key = found_key(&record.key, reason.item())?,
            Subject::Unconditional => {}
            Subject::State(agent) => {
                let version = found_version(reason.item())?;
                state = state.or(Some((agent.to_owned(), version)));
            }
        }
    }
    if head.is_some() || key.is_some() || state.is_some() {
        return Ok(CommitOutcome::Refused { head, key, state });
    }
    Err(obstacle(reasons))
}

/// The head that was there instead of the expected one.
pub(crate) fn found_head(
    item: Option<&Item>,
) -> Result<Option<Box<conversation::Head>>, ContextError> {
    let item = item.filter(|item| !item.is_empty());
    item.map(|item| head::read("head", item).map(Box::new))
        .transpose()
}

fn found_key(key: &KeyHash, item: Option<&Item>) -> Result<Option<Box<KeyRecord>>, ContextError> {
    let item = item.ok_or_else(|| unavailable("refused key not returned"))?;
    Ok(Some(Box::new(idempotency::read(key, item)?)))
}

fn found_version(item: Option<&Item>) -> Result<u64, ContextError> {
    match item.filter(|item| !item.is_empty()) {
        None => Ok(0),
        Some(item) => Ok(state::read(item)?.map_or(0, |state| state.version)),
    }
}

/// A transaction cancelled for no condition of its own.
pub(crate) fn obstacle(reasons: &[CancellationReason]) -> ContextError {
    let codes: Vec<&str> = reasons
        .iter()
        .filter_map(CancellationReason::code)
        .collect();
    let has = |code| codes.contains(&code);
    if has("TransactionConflict") || has("ThrottlingError") || has("ProvisionedThroughputExceeded")
    {
        return ContextError::Throttled;
    }
    if has("ValidationError") || has("ItemCollectionSizeLimitExceeded") {
        return ContextError::Corrupt {
            item: "request".to_owned(),
            detail: "refused by the table's own rules".to_owned(),
        };
    }
    unavailable("transaction cancelled without a reason")
}

fn head_action<'a>(
    table: &str,
    conversation: &Conversation,
    branch: Option<&str>,
    commit: &Commit,
) -> Result<Action<'a>, ContextError> {
    let change = head_update(commit);
    let update = Update::builder()
        .table_name(table)
        .set_key(Some(ItemKey::head(conversation, branch).attributes()))
        .update_expression(change.update)
        .condition_expression(change.condition)
        .set_expression_attribute_values(Some(change.values))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()
        .map_err(|error| not_built(&error))?;
    Ok(Action {
        write: TransactWriteItem::builder().update(update).build(),
        subject: Subject::Head,
    })
}

fn key_action<'a>(
    table: &str,
    conversation: &Conversation,
    record: &'a KeyRecord,
    now_s: i64,
) -> Result<Action<'a>, ContextError> {
    let mut item = idempotency::fields(record);
    item.extend(ItemKey::idempotency(conversation, &record.key).attributes());
    let put = Put::builder()
        .table_name(table)
        .set_item(Some(item))
        .condition_expression(idempotency::free())
        .expression_attribute_values(":now", number(now_s))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()
        .map_err(|error| not_built(&error))?;
    Ok(Action {
        write: TransactWriteItem::builder().put(put).build(),
        subject: Subject::Key(record),
    })
}

fn system_action<'a>(
    table: &str,
    conversation: &Conversation,
    write: &SystemWrite,
    expires_at: i64,
) -> Result<Action<'a>, ContextError> {
    let key = ItemKey::system(conversation).attributes();
    let write = match write {
        SystemWrite::Put(message) => {
            let mut item = system::fields(message)?;
            item.extend(key);
            item.insert(TTL_ATTRIBUTE.to_owned(), number(expires_at));
            fits(system::NAME, item_size(&item))?;
            let put = Put::builder()
                .table_name(table)
                .set_item(Some(item))
                .build();
            TransactWriteItem::builder().put(put.map_err(|error| not_built(&error))?)
        }
        SystemWrite::Remove => {
            let delete = Delete::builder()
                .table_name(table)
                .set_key(Some(key))
                .build();
            TransactWriteItem::builder().delete(delete.map_err(|error| not_built(&error))?)
        }
    };
    Ok(Action {
        write: write.build(),
        subject: Subject::Unconditional,
    })
}

fn state_action<'a>(
    table: &str,
    conversation: &Conversation,
    write: &'a StateWrite,
    expires_at: i64,
) -> Result<Action<'a>, ContextError> {
    let key = ItemKey::state(conversation, &write.agent);
    if key.sort.len() > SORT_KEY_LIMIT {
        return Err(ContextError::TooLarge {
            item: "agent id".to_owned(),
            size_bytes: key.sort.len(),
            limit_bytes: SORT_KEY_LIMIT,
        });
    }
    let change = state::update(write, expires_at);
    let key = key.attributes();
    fits(state::NAME, item_size(&key) + item_size(&change.values))?;
    let update = Update::builder()
        .table_name(table)
        .set_key(Some(key))
        .update_expression(change.update)
        .set_condition_expression(change.condition)
        .set_expression_attribute_values(Some(change.values))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()
        .map_err(|error| not_built(&error))?;
    Ok(Action {
        write: TransactWriteItem::builder().update(update).build(),
        subject: Subject::State(&write.agent),
    })
}

/// What a transaction writes lives on by that, and may not be named in it twice.
fn is_written(commit: &Commit, item: &ContextItem) -> bool {
    match item {
        ContextItem::System => commit.system.is_some(),
        ContextItem::State(agent) => commit.states.iter().any(|write| write.agent == *agent),
        ContextItem::Summary(_) => false,
    }
}

fn renewal<'a>(
    table: &str,
    conversation: &Conversation,
    item: &ContextItem,
    expires_at: i64,
) -> Result<Action<'a>, ContextError> {
    let key = match item {
        ContextItem::System => ItemKey::system(conversation),
        ContextItem::State(agent) => ItemKey::state(conversation, agent),
        ContextItem::Summary(branch) => ItemKey::summary(conversation, Some(branch)),
    };
    let update = Update::builder()
        .table_name(table)
        .set_key(Some(key.attributes()))
        .update_expression(format!("SET {TTL_ATTRIBUTE} = :{TTL_ATTRIBUTE}"))
        .expression_attribute_values(format!(":{TTL_ATTRIBUTE}"), number(expires_at))
        .build()
        .map_err(|error| not_built(&error))?;
    Ok(Action {
        write: TransactWriteItem::builder().update(update).build(),
        subject: Subject::Unconditional,
    })
}

/// The longest sort key the service takes.
const SORT_KEY_LIMIT: usize = 1024;

/// Whether an item is one the service takes.
pub(crate) fn fits(name: &str, size_bytes: usize) -> Result<(), ContextError> {
    if size_bytes <= ITEM_LIMIT {
        return Ok(());
    }
    Err(ContextError::TooLarge {
        item: name.to_owned(),
        size_bytes,
        limit_bytes: ITEM_LIMIT,
    })
}

fn within_limit(actions: &[Action<'_>]) -> Result<(), ContextError> {
    let size_bytes = actions.iter().map(|action| write_size(&action.write)).sum();
    if size_bytes <= TRANSACTION_LIMIT {
        return Ok(());
    }
    Err(ContextError::TooLarge {
        item: "commit".to_owned(),
        size_bytes,
        limit_bytes: TRANSACTION_LIMIT,
    })
}

fn write_size(write: &TransactWriteItem) -> usize {
    let size = |item: Option<&HashMap<String, AttributeValue>>| item.map_or(0, item_size);
    let put = write.put().map_or(0, |put| item_size(put.item()));
    let update = write.update().map_or(0, |update| {
        item_size(update.key()) + size(update.expression_attribute_values())
    });
    put + update
}
