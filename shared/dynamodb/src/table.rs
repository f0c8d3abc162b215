//! The table itself.

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::client::Waiters;
use aws_sdk_dynamodb::error::BuildError;
use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
    TimeToLiveSpecification,
};
use conversation::ports::ContextError;

use crate::error::{not_built, refused, unavailable};

/// The attribute that holds memory and actor: what an access policy isolates actors by.
pub const PARTITION_KEY: &str = "pk";

/// The attribute that holds session and kind of item.
pub const SORT_KEY: &str = "sk";

/// The attribute by which the table drops items: seconds since the epoch.
pub const TTL_ATTRIBUTE: &str = "expires";

/// How long a new table may take to become usable.
const CREATION_LIMIT: Duration = Duration::from_mins(2);

/// Creates the table, waits until it is usable and switches its expiry on. A table that is there
/// already is left as it is.
pub(crate) async fn create(client: &Client, name: &str) -> Result<(), ContextError> {
    let (schema, attributes) = keys().map_err(|error| not_built(&error))?;
    let created = client
        .create_table()
        .table_name(name)
        .set_key_schema(Some(schema))
        .set_attribute_definitions(Some(attributes))
        .billing_mode(BillingMode::PayPerRequest)
        .send()
        .await;
    match created {
        Ok(_) => {}
        Err(error)
            if error
                .as_service_error()
                .is_some_and(CreateTableError::is_resource_in_use_exception) =>
        {
            return Ok(());
        }
        Err(error) => return Err(refused(&error)),
    }
    client
        .wait_until_table_exists()
        .table_name(name)
        .wait(CREATION_LIMIT)
        .await
        .map_err(|_| unavailable("table not active in time"))?;
    expire_items(client, name).await
}

async fn expire_items(client: &Client, name: &str) -> Result<(), ContextError> {
    let expiry = TimeToLiveSpecification::builder()
        .attribute_name(TTL_ATTRIBUTE)
        .enabled(true)
        .build()
        .map_err(|error| not_built(&error))?;
    client
        .update_time_to_live()
        .table_name(name)
        .time_to_live_specification(expiry)
        .send()
        .await
        .map_err(|error| refused(&error))?;
    Ok(())
}

fn keys() -> Result<(Vec<KeySchemaElement>, Vec<AttributeDefinition>), BuildError> {
    let columns = [(PARTITION_KEY, KeyType::Hash), (SORT_KEY, KeyType::Range)];
    let schema = |(name, kind): (&str, KeyType)| {
        KeySchemaElement::builder()
            .attribute_name(name)
            .key_type(kind)
            .build()
    };
    let attribute = |(name, _): (&str, KeyType)| {
        AttributeDefinition::builder()
            .attribute_name(name)
            .attribute_type(ScalarAttributeType::S)
            .build()
    };
    Ok((
        columns
            .clone()
            .into_iter()
            .map(schema)
            .collect::<Result<_, _>>()?,
        columns
            .into_iter()
            .map(attribute)
            .collect::<Result<_, _>>()?,
    ))
}
