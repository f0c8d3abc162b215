//! Rows as they are kept on disk. Names of tables and members are stored forever.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::{Deserialize, Serialize};

use super::{BranchOrigin, Digest};
use crate::event::{EventId, Place, StoredEvent};

/// Parts of a key are joined by a character that no id may contain.
const SEPARATOR: char = '\u{1f}';

/// The tables on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    Memories,
    Events,
    Records,
}

/// One change to a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    Put(Table, String, String),
    Delete(Table, String),
}

impl Change {
    pub(crate) fn put(table: Table, key: String, value: &impl Serialize) -> Self {
        // Rows are plain structs of text and numbers, for which writing JSON cannot fail.
        Self::Put(table, key, serde_json::to_string(value).unwrap_or_default())
    }
}

pub(super) fn event_key(place: &Place, id: EventId) -> String {
    format!(
        "{}{SEPARATOR}{}{SEPARATOR}{}{SEPARATOR}{id}",
        place.memory, place.actor, place.session
    )
}

pub(super) fn record_key(memory: &str, record: &str) -> String {
    format!("{memory}{SEPARATOR}{record}")
}

pub(super) fn split_key(key: &str) -> Vec<&str> {
    key.split(SEPARATOR).collect()
}

/// An event without what its key says already.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct EventRow {
    created_at: u64,
    expires_at: u64,
    branch: String,
    root_given: Option<String>,
    origin_root: Option<String>,
    origin_parent: Option<String>,
    metadata: Vec<(String, String)>,
    payload: String,
    token: Option<String>,
    digest: Option<String>,
}

impl EventRow {
    pub(super) fn new(
        event: &StoredEvent,
        origin: Option<&BranchOrigin>,
        token: Option<&(String, Digest)>,
    ) -> Self {
        let pairs = event.metadata.iter();
        let pairs = pairs.map(|(key, value)| (key.to_owned(), value.to_owned()));
        Self {
            created_at: event.created_at,
            expires_at: event.expires_at,
            branch: event.branch.to_string(),
            root_given: event.root_given.map(|id| id.to_string()),
            origin_root: origin.map(|origin| origin.root.to_string()),
            origin_parent: origin.map(|origin| origin.parent.to_string()),
            metadata: pairs.collect(),
            payload: event.payload.to_string(),
            token: token.map(|(token, _)| token.clone()),
            digest: token.map(|(_, digest)| STANDARD_NO_PAD.encode(digest)),
        }
    }

    pub(super) fn into_event(
        self,
        id: EventId,
        sequence: u64,
    ) -> (StoredEvent, Option<BranchOrigin>, Option<(String, Digest)>) {
        let root = |text: &Option<String>| text.as_deref().and_then(EventId::parse);
        let origin = root(&self.origin_root)
            .zip(self.origin_parent.as_deref())
            .map(|(root, parent)| BranchOrigin {
                root,
                parent: Arc::from(parent),
            });
        let digest = self
            .digest
            .and_then(|text| STANDARD_NO_PAD.decode(text).ok()?.try_into().ok());
        let event = StoredEvent {
            id,
            sequence,
            created_at: self.created_at,
            taken_at: None,
            expires_at: self.expires_at,
            root_given: root(&self.root_given),
            branch: self.branch.into(),
            metadata: self.metadata.into_iter().collect(),
            payload: self.payload.into(),
        };
        (event, origin, self.token.zip(digest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_give_back_the_event() {
        let id = EventId {
            millis: 5,
            suffix: 6,
        };
        let event = StoredEvent {
            id,
            sequence: 9,
            created_at: 1,
            taken_at: None,
            expires_at: 2,
            branch: "b".into(),
            root_given: Some(EventId {
                millis: 3,
                suffix: 4,
            }),
            metadata: [("k", "v")].into_iter().collect(),
            payload: r#"[{"blob":"x"}]"#.into(),
        };
        let origin = BranchOrigin {
            root: EventId {
                millis: 3,
                suffix: 4,
            },
            parent: "main".into(),
        };
        let token = ("t".to_owned(), [7; 32]);
        let text =
            serde_json::to_string(&EventRow::new(&event, Some(&origin), Some(&token))).unwrap();
        let row: EventRow = serde_json::from_str(&text).unwrap();
        assert_eq!(row.into_event(id, 9), (event, Some(origin), Some(token)));
    }
}
