//! The state of one agent.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::model::Object;

/// A Strands agent state record. An event that was flushed in a batch may hold several for one agent,
/// oldest first: the last one counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentRecord {
    /// The agent's name within its session; `default` where the writer gave none.
    pub agent_id: String,
    /// What the agent's program keeps: free JSON.
    pub state: Value,
    /// How far the window or the summary had come, in the conversation manager's own form.
    pub conversation_manager_state: Object,
    /// Interrupts and model state (`_internal_state`); null in records of older versions.
    pub internal_state: Value,
    /// When the agent was first stored, as written.
    pub created_at: Option<String>,
    /// When this record was stored, as written.
    pub updated_at: Option<String>,
    /// Fields this version does not know.
    pub extra: Object,
}

impl AgentRecord {
    /// Reads a record from its JSON, or gives nothing where it is of another shape.
    pub(crate) fn from_object(mut fields: Object) -> Option<Self> {
        let Some(Value::Object(conversation_manager_state)) =
            fields.shift_remove("conversation_manager_state")
        else {
            return None;
        };
        let agent_id = match fields.shift_remove("agent_id") {
            Some(Value::String(id)) => id,
            Some(Value::Null) | None => "default".to_owned(),
            Some(_) => return None,
        };
        Some(Self {
            agent_id,
            state: fields.shift_remove("state").unwrap_or_default(),
            conversation_manager_state,
            internal_state: fields.shift_remove("_internal_state").unwrap_or_default(),
            created_at: take_text(&mut fields, "created_at"),
            updated_at: take_text(&mut fields, "updated_at"),
            extra: fields,
        })
    }

    /// How many messages the conversation manager dropped from the front of the history. With pinned
    /// messages in play this is a count, not an offset into the stored list.
    #[must_use]
    pub fn removed_message_count(&self) -> Option<u64> {
        self.conversation_manager_state
            .get("removed_message_count")?
            .as_u64()
    }

    /// The summary that stands for the removed messages, a Converse message, where there is one.
    #[must_use]
    pub fn summary_message(&self) -> Option<&Object> {
        self.conversation_manager_state
            .get("summary_message")?
            .as_object()
    }
}

impl Serialize for AgentRecord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("agent_id", &self.agent_id)?;
        map.serialize_entry("state", &self.state)?;
        map.serialize_entry(
            "conversation_manager_state",
            &self.conversation_manager_state,
        )?;
        if !self.internal_state.is_null() {
            map.serialize_entry("_internal_state", &self.internal_state)?;
        }
        if let Some(at) = &self.created_at {
            map.serialize_entry("created_at", at)?;
        }
        if let Some(at) = &self.updated_at {
            map.serialize_entry("updated_at", at)?;
        }
        for (key, value) in &self.extra {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

/// A text field; one of another type stays with the unknown fields.
fn take_text(fields: &mut Object, key: &str) -> Option<String> {
    if !fields.get(key)?.is_string() {
        return None;
    }
    match fields.shift_remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    }
}
