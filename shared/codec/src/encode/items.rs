//! Where the items of an event go: into a list, or straight into JSON text.

use serde_json::Value;

use crate::json::escape::escape;
use crate::json::{self, Nested, Out};
use crate::limits::Limits;
use crate::payload::{Payload, Role};
use crate::wire::{Kind, VERSION};

/// Takes the items of an event in order.
pub(super) trait Items {
    /// Where the JSON of a blob goes.
    type Blob: Out;

    /// Takes a conversational item.
    fn speech(&mut self, role: &Role, text: &str);

    /// Takes a blob.
    fn blob(&mut self, write: impl FnOnce(&mut Self::Blob));

    /// Takes a blob that is an envelope: the writer gives its data, and what stands beside it.
    fn envelope(&mut self, kind: Kind, data: impl FnOnce(&mut Self::Blob)) {
        self.blob(|out| {
            out.syntax("{");
            json::key(out, "blobType");
            json::word(out, kind.blob_type());
            out.syntax(",");
            json::key(out, "version");
            out.syntax(VERSION);
            out.syntax(",");
            json::key(out, kind.data_key());
            data(out);
            out.syntax("}");
        });
    }
}

impl Items for Vec<Payload> {
    type Blob = String;

    fn speech(&mut self, role: &Role, text: &str) {
        self.push(Payload::Conversational {
            role: role.clone(),
            text: text.to_owned(),
        });
    }

    fn blob(&mut self, write: impl FnOnce(&mut String)) {
        let mut blob = String::with_capacity(256);
        write(&mut blob);
        self.push(Payload::Blob(Value::String(blob)));
    }
}

/// What most events fit into, so that the text is not moved while it grows.
const FIRST_BYTES: usize = 2048;

/// The items of an event as JSON.
#[derive(Debug, Default)]
pub(super) struct JsonItems {
    out: Nested,
    items: usize,
}

impl JsonItems {
    /// The event, if it is within the limits.
    pub(super) fn into_event(self, limits: &Limits) -> Option<String> {
        let mut event = self.out.0;
        event.push(']');
        (self.items <= limits.items && event.len() <= limits.event_bytes).then_some(event)
    }

    fn begin(&mut self) -> &mut String {
        if self.items == 0 {
            self.out.0.reserve(FIRST_BYTES);
        }
        self.out.0.push(if self.items == 0 { '[' } else { ',' });
        self.items += 1;
        &mut self.out.0
    }
}

impl Items for JsonItems {
    type Blob = Nested;

    fn speech(&mut self, role: &Role, text: &str) {
        let out = self.begin();
        out.push_str("{\"conversational\":{\"content\":{\"text\":\"");
        escape(out, text);
        out.push_str("\"},\"role\":\"");
        escape(out, role.as_str());
        out.push_str("\"}}");
    }

    fn blob(&mut self, write: impl FnOnce(&mut Nested)) {
        self.begin().push_str("{\"blob\":\"");
        write(&mut self.out);
        self.out.0.push_str("\"}");
    }
}

/// Items that were built already, as JSON.
pub(super) fn json(payloads: &[Payload]) -> String {
    let mut out = JsonItems::default();
    for payload in payloads {
        match payload {
            Payload::Conversational { role, text } => out.speech(role, text),
            Payload::Blob(Value::String(text)) => {
                out.blob(|blob| escape(&mut blob.0, text));
            }
            // Encoding writes no other items.
            Payload::Blob(_) | Payload::Json(_) | Payload::Unknown(_) => {}
        }
    }
    out.out.0.push(']');
    out.out.0
}
