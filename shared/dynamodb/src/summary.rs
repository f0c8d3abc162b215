//! The summary of a branch as an item.
//!
//! ```text
//! i  id            a  first message   x  hash of the input        d  created, milliseconds
//! m  text          z  last message    u  tokens read              w  model
//! p  previous id   t  turn it ends at o  tokens written           q  version of the instructions
//! k  tokens of the messages it stands for
//! ```

use aws_sdk_dynamodb::types::{
    CancellationReason, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update,
};
use conversation::ports::{ContextError, SummaryOutcome, SummaryWrite};
use conversation::{Conversation, SummaryId, SummaryRecord, TurnId};

use crate::attribute::{Item, Reader, bytes, number, text};
use crate::commit::{fits, obstacle};
use crate::error::not_built;
use crate::head::SUMMARIZED;
use crate::key::ItemKey;
use crate::size::item_size;
use crate::table::TTL_ATTRIBUTE;

/// What the item is called in an error.
pub(crate) const NAME: &str = "summary";

/// The writes that replace a summary: the summary itself, and the hint with its head. The head's revision is
/// left as it is, so that a commit under way still finds the head it expects.
pub(crate) fn writes(
    table: &str,
    conversation: &Conversation,
    branch: Option<&str>,
    write: &SummaryWrite,
) -> Result<Vec<TransactWriteItem>, ContextError> {
    let mut item = fields(&write.record);
    item.extend(ItemKey::summary(conversation, branch).attributes());
    item.insert(TTL_ATTRIBUTE.to_owned(), number(write.expires_at));
    fits(NAME, item_size(&item))?;
    let put = Put::builder()
        .table_name(table)
        .set_item(Some(item))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
    let put = match write.replaces {
        // An item whose expiry was renewed after it had gone has no id.
        None => put.condition_expression("attribute_not_exists(i)"),
        Some(id) => put
            .condition_expression("i = :was")
            .expression_attribute_values(":was", bytes(&id.0)),
    };
    let hint = Update::builder()
        .table_name(table)
        .set_key(Some(ItemKey::head(conversation, branch).attributes()))
        .update_expression(format!("SET {SUMMARIZED} = :tokens"))
        .condition_expression("c >= :covered")
        .expression_attribute_values(":tokens", number(write.record.covered_tokens))
        .expression_attribute_values(":covered", number(write.record.covered()));
    let put = put.build().map_err(|error| not_built(&error))?;
    let hint = hint.build().map_err(|error| not_built(&error))?;
    Ok(vec![
        TransactWriteItem::builder().put(put).build(),
        TransactWriteItem::builder().update(hint).build(),
    ])
}

/// What it means that the writes were cancelled.
pub(crate) fn cancelled(reasons: &[CancellationReason]) -> Result<SummaryOutcome, ContextError> {
    let refused = |place: usize| {
        let reason: Option<&CancellationReason> = reasons.get(place);
        reason.filter(|reason| reason.code() == Some("ConditionalCheckFailed"))
    };
    if let Some(reason) = refused(0) {
        let current = reason.item().map(read).transpose()?.flatten();
        return Ok(SummaryOutcome::Refused {
            current: current.map(Box::new),
        });
    }
    match refused(1) {
        Some(_) => Ok(SummaryOutcome::NoHead),
        None => Err(obstacle(reasons)),
    }
}

/// The attributes of a summary.
pub(crate) fn fields(record: &SummaryRecord) -> Item {
    let mut fields = vec![
        ("i", bytes(&record.id.0)),
        ("m", text(&record.text)),
        ("a", number(record.first_seq)),
        ("z", number(record.last_seq)),
        ("t", bytes(&record.ends_at.0)),
        ("w", text(&record.model)),
        ("q", number(record.prompt_version)),
        ("x", bytes(&record.input_hash)),
        ("u", number(record.input_tokens)),
        ("o", number(record.output_tokens)),
        ("k", number(record.covered_tokens)),
        ("d", number(record.created_at_ms)),
    ];
    if let Some(previous) = record.previous {
        fields.push(("p", bytes(&previous.0)));
    }
    let named = |(name, value): (&str, _)| (name.to_owned(), value);
    fields.into_iter().map(named).collect()
}

/// Reads a summary; none where nothing but an expiry is left of it.
pub(crate) fn read(item: &Item) -> Result<Option<SummaryRecord>, ContextError> {
    if !item.contains_key("i") {
        return Ok(None);
    }
    let reader = Reader { name: NAME, item };
    let previous = if item.contains_key("p") {
        Some(SummaryId(reader.bytes("p")?))
    } else {
        None
    };
    Ok(Some(SummaryRecord {
        id: SummaryId(reader.bytes("i")?),
        text: reader.text("m")?.to_owned(),
        first_seq: reader.number("a")?,
        last_seq: reader.number("z")?,
        ends_at: TurnId(reader.bytes("t")?),
        model: reader.text("w")?.to_owned(),
        prompt_version: reader.number("q")?,
        input_hash: reader.bytes("x")?,
        input_tokens: reader.number("u")?,
        output_tokens: reader.number("o")?,
        covered_tokens: reader.number("k")?,
        created_at_ms: reader.number("d")?,
        previous,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> SummaryRecord {
        SummaryRecord {
            id: SummaryId([1; 32]),
            text: "They met.".to_owned(),
            first_seq: 2,
            last_seq: 9,
            ends_at: TurnId([3; 32]),
            model: "model".to_owned(),
            prompt_version: 4,
            input_hash: [5; 32],
            input_tokens: 6,
            output_tokens: 7,
            covered_tokens: 8,
            created_at_ms: -9,
            previous: Some(SummaryId([10; 32])),
        }
    }

    #[test]
    fn a_summary_is_read_as_it_was_written() {
        let first = SummaryRecord {
            previous: None,
            ..record()
        };
        for record in [record(), first] {
            assert_eq!(read(&fields(&record)), Ok(Some(record)));
        }
    }

    #[test]
    fn what_is_left_after_its_expiry_is_none_and_a_damaged_one_is_named() {
        let mut item = Item::from([("expires".to_owned(), number(1))]);
        assert_eq!(read(&item), Ok(None));
        item.extend(fields(&record()));
        item.remove("t");
        let error = read(&item).expect_err("it ends nowhere");
        assert_eq!(
            error.to_string(),
            "context item summary is corrupt: attribute t is missing"
        );
    }
}
