//! The context table as somebody sees it who has no idea of what its items mean.

use aws::SdkConfig;
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::AttributeValue;

use crate::ports::TABLE;

/// A client of the context table.
#[derive(Debug)]
pub struct Items(Client);

impl Items {
    pub(crate) fn new(config: &SdkConfig) -> Self {
        Self(Client::new(config))
    }

    /// Puts `value` in the place of an attribute of every item whose sort key contains `sort`, and says how many
    /// there were.
    pub async fn overwrite(&self, sort: &str, attribute: &str, value: AttributeValue) -> usize {
        let found = self
            .0
            .scan()
            .table_name(TABLE)
            .filter_expression("contains(sk, :sort)")
            .expression_attribute_values(":sort", AttributeValue::S(sort.to_owned()))
            .send()
            .await
            .expect("the table can be scanned");
        for item in found.items() {
            let key = |name: &str| item.get(name).cloned().expect("every item has its key");
            self.0
                .update_item()
                .table_name(TABLE)
                .key("pk", key("pk"))
                .key("sk", key("sk"))
                .update_expression("SET #a = :value")
                .expression_attribute_names("#a", attribute)
                .expression_attribute_values(":value", value.clone())
                .send()
                .await
                .expect("the item can be written");
        }
        found.items().len()
    }
}
