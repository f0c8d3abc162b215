//! The client that reads and moves heads.

use aws::{PlainRequests, SdkConfig};
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{
    AttributeValue, KeysAndAttributes, ReturnValuesOnConditionCheckFailure,
};
use aws_sdk_dynamodb::{Client, Config};
use conversation::ports::{
    Commit, CommitOutcome, ContextError, ContextItems, ContextReader, ContextWriter, HeadLookup,
    KeyRecord, SummaryOutcome, SummaryWrite, SummaryWriter,
};
use conversation::{Conversation, Head, KeyHash};

use crate::attribute::{Item, Reader, text};
use crate::commit::{actions, cancelled, found_head, head_update, is_head_only};
use crate::error::{not_built, refused};
use crate::key::{ItemKey, Kind, kind, partition, prefix};
use crate::request_token::request_token;
use crate::table::{self, PARTITION_KEY, SORT_KEY};
use crate::{head, idempotency, state, summary, system};

/// How often a read of two items is repeated for the one the service left out.
const READ_ATTEMPTS: usize = 3;

/// The table that holds the context of all conversations.
#[derive(Clone, Debug)]
pub struct ContextTable {
    client: Client,
    name: String,
}

impl ContextTable {
    /// The table of this name, reached with these settings.
    #[must_use]
    pub fn new(config: &SdkConfig, name: &str) -> Self {
        Self {
            client: Client::from_conf(
                Config::new(config)
                    .to_builder()
                    .interceptor(PlainRequests)
                    .build(),
            ),
            name: name.to_owned(),
        }
    }

    /// Creates the table, on demand and with its expiry on, unless it is there already.
    pub async fn create(&self) -> Result<(), ContextError> {
        table::create(&self.client, &self.name).await
    }

    async fn query(
        &self,
        conversation: &Conversation,
        start: Option<Item>,
    ) -> Result<(Vec<Item>, Option<Item>), ContextError> {
        let answer = self
            .client
            .query()
            .table_name(&self.name)
            .consistent_read(true)
            .key_condition_expression(format!(
                "{PARTITION_KEY} = :pk AND begins_with({SORT_KEY}, :sk)"
            ))
            .expression_attribute_values(":pk", text(partition(conversation)))
            .expression_attribute_values(":sk", text(prefix(conversation)))
            .set_exclusive_start_key(start)
            .send()
            .await
            .map_err(|error| refused(&error))?;
        Ok((
            answer.items.unwrap_or_default(),
            answer.last_evaluated_key.filter(|key| !key.is_empty()),
        ))
    }

    async fn one_item(&self, key: &ItemKey) -> Result<Option<Item>, ContextError> {
        let answer = self
            .client
            .get_item()
            .table_name(&self.name)
            .set_key(Some(key.attributes()))
            .consistent_read(true)
            .send()
            .await
            .map_err(|error| refused(&error))?;
        Ok(answer.item)
    }

    /// Both items in one call; the service may leave some out when it is busy.
    async fn two_items(&self, keys: [&ItemKey; 2]) -> Result<Vec<Item>, ContextError> {
        let mut found = Vec::new();
        let mut wanted: Vec<Item> = keys.iter().map(|key| key.attributes()).collect();
        for _ in 0..READ_ATTEMPTS {
            let request = KeysAndAttributes::builder()
                .set_keys(Some(wanted))
                .consistent_read(true)
                .build()
                .map_err(|error| not_built(&error))?;
            let mut answer = self
                .client
                .batch_get_item()
                .request_items(&self.name, request)
                .send()
                .await
                .map_err(|error| refused(&error))?;
            // The answer names the table as it was asked for, and there is only one.
            let items = answer.responses.take().unwrap_or_default().into_values();
            found.extend(items.flatten());
            let left_out = answer
                .unprocessed_keys
                .take()
                .unwrap_or_default()
                .into_values();
            wanted = left_out.flat_map(|rest| rest.keys).collect();
            if wanted.is_empty() {
                return Ok(found);
            }
        }
        Err(ContextError::Throttled)
    }

    async fn update_head(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        commit: &Commit,
    ) -> Result<CommitOutcome, ContextError> {
        let change = head_update(commit);
        let answer = self
            .client
            .update_item()
            .table_name(&self.name)
            .set_key(Some(ItemKey::head(conversation, branch).attributes()))
            .update_expression(change.update)
            .condition_expression(change.condition)
            .set_expression_attribute_values(Some(change.values))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .send()
            .await;
        let Err(error) = answer else {
            return Ok(CommitOutcome::Committed);
        };
        match error.as_service_error() {
            Some(UpdateItemError::ConditionalCheckFailedException(failed)) => {
                Ok(CommitOutcome::Refused {
                    head: Some(found_head(failed.item())?),
                    key: None,
                    state: None,
                })
            }
            _ => Err(refused(&error)),
        }
    }

    async fn transact(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        commit: &Commit,
    ) -> Result<CommitOutcome, ContextError> {
        let actions = actions(&self.name, conversation, branch, commit)?;
        let writes = actions.iter().map(|action| action.write.clone()).collect();
        let answer = self
            .client
            .transact_write_items()
            .set_transact_items(Some(writes))
            .client_request_token(request_token(&commit.request_token))
            .send()
            .await;
        let Err(error) = answer else {
            return Ok(CommitOutcome::Committed);
        };
        match error.as_service_error() {
            Some(TransactWriteItemsError::TransactionCanceledException(reason)) => {
                cancelled(&actions, reason.cancellation_reasons())
            }
            _ => Err(refused(&error)),
        }
    }
}

impl ContextReader for ContextTable {
    async fn items(&self, conversation: &Conversation) -> Result<ContextItems, ContextError> {
        let mut found = ContextItems::default();
        let mut start = None;
        loop {
            let (items, next) = self.query(conversation, start).await?;
            for item in &items {
                add(conversation, item, &mut found)?;
            }
            // One call reads a megabyte, which only large states go beyond.
            if next.is_none() {
                return Ok(found);
            }
            start = next;
        }
    }

    async fn head(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        key: Option<&KeyHash>,
        now_s: i64,
    ) -> Result<HeadLookup, ContextError> {
        let head_key = ItemKey::head(conversation, branch);
        let Some(key) = key else {
            let item = self.one_item(&head_key).await?;
            let head = item.as_ref().map(read_head).transpose()?;
            return Ok(HeadLookup { head, key: None });
        };
        let record_key = ItemKey::idempotency(conversation, key);
        let items = self.two_items([&head_key, &record_key]).await?;
        let item = |wanted: &ItemKey| items.iter().find(|item| is_at(item, wanted));
        let record = item(&record_key)
            .map(|item| idempotency::read(key, item))
            .transpose()?;
        Ok(HeadLookup {
            head: item(&head_key).map(read_head).transpose()?,
            key: record.filter(|record: &KeyRecord| record.expires_at > now_s),
        })
    }
}

impl ContextWriter for ContextTable {
    async fn commit(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        commit: &Commit,
    ) -> Result<CommitOutcome, ContextError> {
        if is_head_only(commit) {
            self.update_head(conversation, branch, commit).await
        } else {
            self.transact(conversation, branch, commit).await
        }
    }
}

impl SummaryWriter for ContextTable {
    async fn put_summary(
        &self,
        conversation: &Conversation,
        branch: Option<&str>,
        write: &SummaryWrite,
    ) -> Result<SummaryOutcome, ContextError> {
        let writes = summary::writes(&self.name, conversation, branch, write)?;
        let answer = self
            .client
            .transact_write_items()
            .set_transact_items(Some(writes))
            .client_request_token(request_token(&write.request_token))
            .send()
            .await;
        let Err(error) = answer else {
            return Ok(SummaryOutcome::Put);
        };
        match error.as_service_error() {
            Some(TransactWriteItemsError::TransactionCanceledException(reason)) => {
                summary::cancelled(reason.cancellation_reasons())
            }
            _ => Err(refused(&error)),
        }
    }
}

fn add(
    conversation: &Conversation,
    item: &Item,
    found: &mut ContextItems,
) -> Result<(), ContextError> {
    let reader = Reader {
        name: "context",
        item,
    };
    match kind(conversation, reader.text(SORT_KEY)?) {
        Some(Kind::Head(branch)) => {
            found.heads.insert(branch, read_head(item)?);
        }
        Some(Kind::System) => found.system = system::read(item)?,
        Some(Kind::State(agent)) => {
            found
                .states
                .extend(state::read(item)?.map(|state| (agent, state)));
        }
        Some(Kind::Summary(branch)) => {
            found
                .summaries
                .extend(summary::read(item)?.map(|summary| (branch, summary)));
        }
        // Written by a version that keeps more than this one.
        None => {}
    }
    Ok(())
}

fn read_head(item: &Item) -> Result<Head, ContextError> {
    head::read("head", item)
}

fn is_at(item: &Item, key: &ItemKey) -> bool {
    matches!(item.get(SORT_KEY), Some(AttributeValue::S(sort)) if *sort == key.sort)
}
