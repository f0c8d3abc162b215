//! The single-document form of a whole session, as file and S3 stores keep it.

use serde_json::Value;

use super::AgentRecord;
use super::record::read_message;
use crate::converse::ConverseMessage;
use crate::foreign::{ForeignReason, Found, Item};
use crate::model::Object;

/// Reads a snapshot of an agent: its messages and its state. The name of the agent is in the snapshot's key in the
/// store and not in the document, so the record gets the default one.
pub(crate) fn read_snapshot(fields: &Object) -> Option<Item> {
    let is_agent = fields.get("scope")? == "agent" && fields.contains_key("schema_version");
    let mut data = fields.get("data")?.as_object()?.clone();
    let Some(Value::Array(messages)) = data.shift_remove("messages") else {
        return None;
    };
    if !is_agent {
        return None;
    }
    let mut found = Found::default();
    for (index, message) in messages.into_iter().enumerate() {
        let path = format!("/data/messages/{index}");
        match ConverseMessage::from_value(message) {
            Ok(message) => {
                let mut read = read_message(message, &path);
                found.messages.append(&mut read.messages);
                found.notes.append(&mut read.notes);
            }
            Err(_) => found.notes.push((path, ForeignReason::BrokenRecord)),
        }
    }
    found.agents.push(agent(data, fields));
    Some(Item::Found(Box::new(found)))
}

fn agent(mut data: Object, fields: &Object) -> AgentRecord {
    let state = data.shift_remove("state").unwrap_or_default();
    let conversation_manager_state = match data.shift_remove("conversation_manager_state") {
        Some(Value::Object(state)) => state,
        _ => Object::new(),
    };
    let mut internal = Object::new();
    for key in ["interrupt_state", "model_state"] {
        if let Some(value) = data.shift_remove(key) {
            internal.insert(key.to_owned(), value);
        }
    }
    let mut extra = data;
    if let Some(app_data) = fields.get("app_data") {
        extra.insert("app_data".to_owned(), app_data.clone());
    }
    let created_at = fields.get("created_at").and_then(Value::as_str);
    AgentRecord {
        agent_id: "default".to_owned(),
        state,
        conversation_manager_state,
        internal_state: Value::Object(internal),
        created_at: created_at.map(str::to_owned),
        updated_at: None,
        extra,
    }
}
