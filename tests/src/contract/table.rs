//! What the context store takes for granted of DynamoDB itself, asked of it directly.

use std::collections::HashMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::operation::update_item::UpdateItemError;
use aws_sdk_dynamodb::types::{
    AttributeValue, BillingMode, CancellationReason, KeySchemaElement, Put,
    ReturnValuesOnConditionCheckFailure, TimeToLiveStatus, TransactWriteItem, Update,
};
use dynamodb::{PARTITION_KEY, SORT_KEY, TTL_ATTRIBUTE};

use crate::ports::{TABLE, config};

type Item = HashMap<String, AttributeValue>;

/// All of it, on the table that the store's own code has made at this address.
pub async fn all(address: &str) {
    let client = Client::new(&config(address));
    it_is_billed_on_demand_and_drops_what_has_expired(&client).await;
    a_failed_condition_shows_the_item_there_is(&client).await;
    a_failed_condition_on_nothing_shows_nothing(&client).await;
    a_cancelled_transaction_says_why_write_by_write(&client).await;
}

/// Keys, billing and expiry are as the adapter asks for them.
pub async fn it_is_billed_on_demand_and_drops_what_has_expired(client: &Client) {
    let described = client.describe_table().table_name(TABLE).send().await;
    let described = described.expect("described");
    let table = described.table().expect("a description");
    let keys = table.key_schema().iter();
    let keys: Vec<_> = keys.map(KeySchemaElement::attribute_name).collect();
    assert_eq!(keys, [PARTITION_KEY, SORT_KEY]);
    let billing = table.billing_mode_summary();
    let billing = billing.and_then(|summary| summary.billing_mode());
    assert_eq!(billing, Some(&BillingMode::PayPerRequest));

    let described = client.describe_time_to_live().table_name(TABLE).send();
    let described = described.await.expect("described");
    let expiry = described.time_to_live_description().expect("a description");
    assert_eq!(expiry.attribute_name(), Some(TTL_ATTRIBUTE));
    let enabled = Some(&TimeToLiveStatus::Enabled);
    assert_eq!(expiry.time_to_live_status(), enabled);
}

/// A lost race is told from a replay by the item that comes with the refusal.
pub async fn a_failed_condition_shows_the_item_there_is(client: &Client) {
    put(client, "there", 7).await;
    let shown = refused(client, "there").await;
    assert_eq!(shown, Some(item("there", 7)));
    assert_eq!(read(client, "there").await, Some(item("there", 7)));
}

/// Where there is no item, the refusal comes without one, or with an empty one.
pub async fn a_failed_condition_on_nothing_shows_nothing(client: &Client) {
    let shown = refused(client, "nowhere").await;
    assert_eq!(shown.filter(|item| !item.is_empty()), None);
    assert_eq!(read(client, "nowhere").await, None);
}

/// Each write of a cancelled transaction has its reason, in order, and a refused one its item. Nothing is done.
pub async fn a_cancelled_transaction_says_why_write_by_write(client: &Client) {
    put(client, "first", 1).await;
    let new = Put::builder()
        .table_name(TABLE)
        .set_item(Some(item("new", 1)))
        .condition_expression("attribute_not_exists(pk)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let stale = Update::builder()
        .table_name(TABLE)
        .set_key(Some(key("first")))
        .update_expression("SET v = :new")
        .condition_expression("v = :old")
        .expression_attribute_values(":new", number(9))
        .expression_attribute_values(":old", number(8))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let [new, stale] = [
        TransactWriteItem::builder().put(new.build().expect("whole")),
        TransactWriteItem::builder().update(stale.build().expect("whole")),
    ];
    let answer = client
        .transact_write_items()
        .transact_items(new.build())
        .transact_items(stale.build())
        .send()
        .await;
    let error = answer.expect_err("cancelled").into_service_error();
    let TransactWriteItemsError::TransactionCanceledException(cancelled) = error else {
        panic!("{error:?}");
    };
    let reasons = cancelled.cancellation_reasons();
    let codes: Vec<_> = reasons.iter().map(CancellationReason::code).collect();
    assert_eq!(codes, [Some("None"), Some("ConditionalCheckFailed")]);
    let shown = reasons.last().and_then(CancellationReason::item);
    assert_eq!(shown, Some(&item("first", 1)));
    assert_eq!(read(client, "new").await, None);
    assert_eq!(read(client, "first").await, Some(item("first", 1)));
}

/// Sends an update whose condition does not hold: the item that came with the refusal.
async fn refused(client: &Client, name: &str) -> Option<Item> {
    let answer = client
        .update_item()
        .table_name(TABLE)
        .set_key(Some(key(name)))
        .update_expression("SET v = :new")
        .condition_expression("v = :old")
        .expression_attribute_values(":new", number(9))
        .expression_attribute_values(":old", number(8))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await;
    match answer.expect_err("refused").into_service_error() {
        UpdateItemError::ConditionalCheckFailedException(failed) => failed.item().cloned(),
        other => panic!("{other:?}"),
    }
}

async fn put(client: &Client, name: &str, version: u64) {
    let put = client.put_item().table_name(TABLE);
    let put = put.set_item(Some(item(name, version)));
    put.send().await.expect("put");
}

async fn read(client: &Client, name: &str) -> Option<Item> {
    let read = client.get_item().table_name(TABLE).consistent_read(true);
    let read = read.set_key(Some(key(name))).send().await;
    read.expect("read").item
}

fn item(name: &str, version: u64) -> Item {
    let mut item = key(name);
    item.insert("v".to_owned(), number(version));
    item.insert(TTL_ATTRIBUTE.to_owned(), number(4_000_000_000));
    item
}

fn key(name: &str) -> Item {
    let keys = [(PARTITION_KEY, "contract#table"), (SORT_KEY, name)];
    keys.map(|(key, value)| (key.to_owned(), AttributeValue::S(value.to_owned())))
        .into()
}

fn number(value: u64) -> AttributeValue {
    AttributeValue::N(value.to_string())
}
