//! Long-term memory records, as they were put in by a batch.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::timestamp::render_seconds;

/// One record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) namespaces: Vec<String>,
    pub(crate) strategy: Option<String>,
    pub(crate) created_at: u64,
    pub(crate) timestamp: u64,
    pub(crate) metadata: Option<Value>,
}

impl Record {
    /// The summary shape of listings and retrievals.
    pub(crate) fn render(&self, score: Option<f64>) -> String {
        let mut out = Map::new();
        out.insert("memoryRecordId".to_owned(), json!(self.id));
        out.insert("content".to_owned(), json!({"text": self.text}));
        out.insert(
            "memoryStrategyId".to_owned(),
            json!(self.strategy.as_deref().unwrap_or("none")),
        );
        out.insert("namespaces".to_owned(), json!(self.namespaces));
        if let Some(score) = score {
            out.insert("score".to_owned(), json!(score));
        }
        if let Some(metadata) = &self.metadata {
            out.insert("metadata".to_owned(), metadata.clone());
        }
        let text = Value::Object(out).to_string();
        let open = text.strip_suffix('}').unwrap_or(&text);
        format!(
            r#"{open},"createdAt":{},"timestamp":{}}}"#,
            render_seconds(self.created_at),
            render_seconds(self.timestamp)
        )
    }
}
