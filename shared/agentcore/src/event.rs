//! Events between the SDK's types and the port's.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_bedrockagentcore::primitives::DateTime;
use aws_sdk_bedrockagentcore::types::{
    Branch, Content, Conversational, Event, MemoryJsonData, MetadataValue, PayloadType,
    Role as SdkRole,
};
use codec::{Payload, Role};
use conversation::ports::{BranchRoot, EventId, EventLogError, StoredEvent};
use serde_json::Map;

use crate::document::{from_value, to_value};
use crate::error::{not_built, not_sent};

/// The name the service gives the main line, which has no branch of ours.
const MAIN: &str = "main";

/// The event as the domain sees it.
pub(crate) fn read(event: Event) -> StoredEvent {
    StoredEvent {
        id: EventId(event.event_id),
        timestamp_ms: whole_milliseconds(&event.event_timestamp),
        payload: event.payload.into_iter().map(read_item).collect(),
        metadata: read_metadata(event.metadata.unwrap_or_default()),
        branch: event.branch.and_then(read_branch),
    }
}

/// The timestamp to send. Whole milliseconds, since the service keeps no more.
pub(crate) fn timestamp(timestamp_ms: i64) -> DateTime {
    DateTime::from_millis(timestamp_ms)
}

/// The payload to send.
pub(crate) fn payload(items: &[Payload]) -> Result<Vec<PayloadType>, EventLogError> {
    items.iter().map(write_item).collect()
}

/// The metadata to send; none rather than an empty map.
pub(crate) fn metadata(
    entries: &BTreeMap<String, String>,
) -> Option<HashMap<String, MetadataValue>> {
    let wrapped =
        |(key, value): (&String, &String)| (key.clone(), MetadataValue::StringValue(value.clone()));
    (!entries.is_empty()).then(|| entries.iter().map(wrapped).collect())
}

/// The branch to send.
pub(crate) fn branch(branch: &BranchRoot) -> Result<Branch, EventLogError> {
    Branch::builder()
        .name(&branch.name)
        .set_root_event_id(branch.root.as_ref().map(|root| root.0.clone()))
        .build()
        .map_err(|error| not_built(&error))
}

/// The SDK parses the seconds as a double and cuts, so half of all values come back a millisecond
/// low; the nearest millisecond is the one that was sent.
fn whole_milliseconds(timestamp: &DateTime) -> i64 {
    let half_up = (i64::from(timestamp.subsec_nanos()) + 500_000) / 1_000_000;
    timestamp
        .secs()
        .saturating_mul(1_000)
        .saturating_add(half_up)
}

fn read_branch(branch: Branch) -> Option<BranchRoot> {
    (branch.name != MAIN).then(|| BranchRoot {
        name: branch.name,
        root: branch.root_event_id.map(EventId),
    })
}

fn read_metadata(metadata: HashMap<String, MetadataValue>) -> BTreeMap<String, String> {
    let text = |(key, value)| match value {
        MetadataValue::StringValue(text) => Some((key, text)),
        _ => None,
    };
    metadata.into_iter().filter_map(text).collect()
}

fn read_item(item: PayloadType) -> Payload {
    match item {
        PayloadType::Conversational(Conversational {
            content: Some(Content::Text(text)),
            role,
            ..
        }) => Payload::Conversational {
            role: read_role(&role),
            text,
        },
        PayloadType::Blob(document) => Payload::Blob(to_value(document)),
        PayloadType::Json(MemoryJsonData { content, .. }) => Payload::Json(to_value(content)),
        // The SDK drops what it does not know, so that it was there is all that can be told.
        _ => Payload::Unknown(Map::new()),
    }
}

fn write_item(item: &Payload) -> Result<PayloadType, EventLogError> {
    Ok(match item {
        Payload::Conversational { role, text } => PayloadType::Conversational(
            Conversational::builder()
                .content(Content::Text(text.clone()))
                .role(write_role(role))
                .build()
                .map_err(|error| not_built(&error))?,
        ),
        Payload::Blob(value) => PayloadType::Blob(from_value(value)?),
        Payload::Json(value) => PayloadType::Json(
            MemoryJsonData::builder()
                .content(from_value(value)?)
                .build()
                .map_err(|error| not_built(&error))?,
        ),
        Payload::Unknown(_) => return Err(not_sent("an unknown payload member")),
    })
}

fn read_role(role: &SdkRole) -> Role {
    match role {
        SdkRole::User => Role::User,
        SdkRole::Assistant => Role::Assistant,
        SdkRole::Tool => Role::Tool,
        SdkRole::Other => Role::Other,
        other => Role::Unknown(other.as_str().to_owned()),
    }
}

fn write_role(role: &Role) -> SdkRole {
    match role {
        Role::User => SdkRole::User,
        Role::Assistant => SdkRole::Assistant,
        Role::Tool => SdkRole::Tool,
        Role::Other => SdkRole::Other,
        Role::Unknown(name) => SdkRole::from(name.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What the SDK makes of a timestamp in an answer: a double, cut to nanoseconds.
    fn as_parsed(timestamp_ms: i64) -> DateTime {
        #[allow(clippy::cast_precision_loss)] // that loss is what the test is about
        DateTime::from_secs_f64(timestamp_ms as f64 / 1_000.0)
    }

    #[test]
    fn every_millisecond_of_a_second_survives_the_sdks_parser() {
        let cut = (0..1_000).filter(|ms| {
            let sent = 1_752_235_548_000 + ms;
            assert_eq!(whole_milliseconds(&as_parsed(sent)), sent);
            as_parsed(sent).to_millis().expect("in range") != sent
        });
        // The trap is real: without rounding about half of them would be wrong.
        assert!(cut.count() > 300);
    }

    #[test]
    fn timestamps_before_the_epoch_round_too() {
        assert_eq!(whole_milliseconds(&DateTime::from_millis(-1)), -1);
        assert_eq!(whole_milliseconds(&DateTime::from_millis(-1_500)), -1_500);
    }

    #[test]
    fn payload_items_survive_both_ways() {
        let items = [
            Payload::Conversational {
                role: Role::Tool,
                text: "42".to_owned(),
            },
            Payload::Conversational {
                role: Role::Unknown("REFEREE".to_owned()),
                text: "offside".to_owned(),
            },
            Payload::Blob(json!("{\"a\":1}")),
            Payload::Blob(json!({"a": [1, -2, 2.5, null, true]})),
            Payload::Json(json!(null)),
        ];
        for item in items {
            assert_eq!(read_item(write_item(&item).expect("sendable")), item);
        }
    }

    #[test]
    fn an_unknown_member_is_seen_but_never_sent() {
        assert_eq!(
            read_item(PayloadType::Blob(aws_smithy_types::Document::Null)),
            Payload::Blob(json!(null))
        );
        let refused = write_item(&Payload::Unknown(Map::new()));
        assert!(matches!(refused, Err(EventLogError::Invalid { .. })));
    }

    #[test]
    fn the_main_line_is_no_branch() {
        let named = |name: &str| Branch::builder().name(name).build().expect("a name");
        assert_eq!(read_branch(named("main")), None);
        assert_eq!(
            read_branch(named("draft")),
            Some(BranchRoot {
                name: "draft".to_owned(),
                root: None
            })
        );
    }
}
