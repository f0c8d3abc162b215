//! Stored events and their ids.

use std::fmt::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::metadata::Metadata;
use crate::timestamp::render_seconds;

/// `<19 digits of milliseconds>#<8 hex digits>`: time of the event as its writer gave it, then chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct EventId {
    pub(crate) millis: u64,
    pub(crate) suffix: u32,
}

impl EventId {
    /// Reads the exact form the service hands out; anything else names no event.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (millis, suffix) = text.split_once('#')?;
        let id = Self {
            millis: millis.parse().ok()?,
            suffix: u32::from_str_radix(suffix, 16).ok()?,
        };
        (id.to_string() == text).then_some(id)
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:019}#{:08x}", self.millis, self.suffix)
    }
}

/// Where an event lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) memory: String,
    pub(crate) actor: String,
    pub(crate) session: String,
}

/// An event as it is kept. The payload is stored in the form it is served in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StoredEvent {
    pub(crate) id: EventId,
    /// Position in the order of writes, which no client can see.
    pub(crate) sequence: u64,
    pub(crate) created_at: u64,
    /// When this process took it in; absent on what an earlier one left on disk.
    pub(crate) taken_at: Option<Instant>,
    pub(crate) expires_at: u64,
    pub(crate) branch: Arc<str>,
    /// The root event named by the writer; echoed only where it was given.
    pub(crate) root_given: Option<EventId>,
    pub(crate) metadata: Metadata,
    /// The payload list as JSON text.
    pub(crate) payload: Box<str>,
}

impl StoredEvent {
    /// The event as the API shows it. `memory` is the name under which the caller asked.
    pub(crate) fn render(&self, memory: &str, place: &Place, with_payload: bool) -> String {
        // Writing to a string cannot fail, so the results of `write!` carry nothing.
        let mut out = format!(
            r#"{{"memoryId":{},"actorId":{},"sessionId":{},"eventId":"{}","eventTimestamp":{}"#,
            json!(memory),
            json!(place.actor),
            json!(place.session),
            self.id,
            render_seconds(self.id.millis)
        );
        if with_payload {
            out.push_str(r#","payload":"#);
            out.push_str(&self.payload);
        }
        out.push_str(r#","branch":{"name":"#);
        out.push_str(&json!(*self.branch).to_string());
        if let Some(root) = self.root_given {
            let _ = write!(out, r#","rootEventId":"{root}""#);
        }
        out.push('}');
        if !self.metadata.is_empty() {
            out.push_str(r#","metadata":"#);
            let mut separator = '{';
            for (key, value) in self.metadata.iter() {
                let (key, value) = (json!(key), json!(value));
                let _ = write!(out, r#"{separator}{key}:{{"stringValue":{value}}}"#);
                separator = ',';
            }
            out.push('}');
        }
        out.push('}');
        out
    }

    /// Whether it is so old on one of the clocks: the emulator's, which may stand still, or the machine's.
    pub(crate) fn is_older_than(&self, millis: u64, now: u64) -> bool {
        self.created_at.saturating_add(millis) <= now
            || self
                .taken_at
                .is_none_or(|taken| taken.elapsed() >= Duration::from_millis(millis))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_the_fixed_width_of_the_service() {
        let id = EventId {
            millis: 1_772_375_782_346,
            suffix: 0xc5e4_dee5,
        };
        assert_eq!(id.to_string(), "0000001772375782346#c5e4dee5");
        assert_eq!(EventId::parse("0000001772375782346#c5e4dee5"), Some(id));
    }

    #[test]
    fn other_spellings_name_no_event() {
        for text in [
            "1772375782346#c5e4dee5",
            "0000001772375782346#C5E4DEE5",
            "1#",
            "#1",
            "",
            "99999999999999999999999#0",
        ] {
            assert_eq!(EventId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn ids_sort_as_their_text_does() {
        let ids =
            [(1, 9), (2, 0), (2, 1), (10, 0)].map(|(millis, suffix)| EventId { millis, suffix });
        let texts: Vec<String> = ids.iter().map(ToString::to_string).collect();
        assert!(ids.is_sorted() && texts.is_sorted());
    }
}
