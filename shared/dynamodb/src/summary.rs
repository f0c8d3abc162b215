//! The summary of a branch as an item.
//!
//! ```text
//! i  id            a  first message   x  hash of the input        d  created, milliseconds
//! m  text          z  last message    u  tokens read              w  model
//! p  previous id   t  turn it ends at o  tokens written           q  version of the instructions
//! k  tokens of the messages it stands for
//! ```

use conversation::ports::ContextError;
use conversation::{SummaryId, SummaryRecord, TurnId};

use crate::attribute::{Item, Reader, bytes, number, text};

/// What the item is called in an error.
pub(crate) const NAME: &str = "summary";

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
