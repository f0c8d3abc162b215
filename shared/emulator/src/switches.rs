//! What no public source settles about the service, as switches.

use serde::{Deserialize, Serialize};

/// Behaviour that no public source settles. Each default is the reading that is hardest on a client; see
/// [`Switches::reported`] for the others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Switches {
    /// Blobs other than strings come back as text in Java map notation.
    pub blob_defect: bool,
    /// The same for `json` payloads.
    pub json_defect: bool,
    /// Within which bounds a client token is one and the same.
    pub token_scope: TokenScope,
    /// How long a token is remembered.
    pub token_window_seconds: u64,
    /// Answer to a known token with other parameters.
    pub token_mismatch: TokenMismatch,
    /// Answer to a known token with the same parameters.
    pub token_repeat: TokenRepeat,
    /// Order of events within one millisecond.
    pub tie_order: TieOrder,
    /// What a filter on the branch `main` lists.
    pub main_filter: MainFilter,
    /// When a back-dated event expires.
    pub expiry_basis: ExpiryBasis,
    /// How far ahead of the server an event timestamp may lie; no bound when absent.
    pub max_future_seconds: Option<u64>,
    /// Size at which a listing is cut short, with a token; no bound when absent.
    pub max_list_bytes: Option<usize>,
    /// Size of a request body above which the front end answers 413.
    pub max_body_bytes: usize,
    /// What the limit of 100 000 on a conversational text counts.
    pub text_unit: TextUnit,
    /// Form of `memoryId` in answers to a caller that gave an ARN.
    pub memory_id_echo: MemoryIdEcho,
    /// Time for which a fresh event stays out of unfiltered listings, on the emulator's clock or the machine's,
    /// whichever is over first: a clock that stands still hides nothing for good.
    pub unfiltered_lag_ms: u64,
    /// The same for metadata-filtered listings.
    pub filtered_lag_ms: u64,
    /// How long a write holds its session at least, from its arrival to its answer. Another write to the session
    /// meanwhile is answered 409 and not stored. No write meets another where absent.
    pub conflict_hold_ms: Option<u64>,
}

impl Default for Switches {
    fn default() -> Self {
        Self {
            blob_defect: true,
            json_defect: true,
            token_scope: TokenScope::Account,
            token_window_seconds: 300,
            token_mismatch: TokenMismatch::Error,
            token_repeat: TokenRepeat::FirstEvent,
            tie_order: TieOrder::PerCall,
            main_filter: MainFilter::Nothing,
            expiry_basis: ExpiryBasis::Earlier,
            max_future_seconds: Some(900),
            max_list_bytes: Some(1_000_000),
            max_body_bytes: 10_000_000,
            text_unit: TextUnit::Bytes,
            memory_id_echo: MemoryIdEcho::Id,
            unfiltered_lag_ms: 100,
            filtered_lag_ms: 1_000,
            conflict_hold_ms: Some(5),
        }
    }
}

impl Switches {
    /// What published reports suggest where they say anything, and the mildest reading where only a hard one
    /// would need a client to poll or to repeat: for people who try things out, and for software that cannot be
    /// taught to wait. What is known to be defective stays so.
    #[must_use]
    pub fn reported() -> Self {
        Self {
            main_filter: MainFilter::OwnEvents,
            text_unit: TextUnit::Characters,
            unfiltered_lag_ms: 0,
            filtered_lag_ms: 0,
            conflict_hold_ms: None,
            ..Self::default()
        }
    }
}

/// Within which bounds a client token is one and the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TokenScope {
    /// One table of tokens for everything.
    Account,
    /// One per memory.
    Memory,
    /// One per session of an actor.
    Session,
    /// Tokens are not looked at.
    Ignored,
}

/// Answer to a known token with other parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TokenMismatch {
    /// 400 with the reason `IdempotentParameterMismatchException`.
    Error,
    /// The first event, as if the parameters were the same.
    FirstEvent,
}

/// Answer to a known token with the same parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TokenRepeat {
    /// The event of the first call.
    FirstEvent,
    /// An event with a fresh id that is not stored.
    FreshId,
}

/// Order of events within one millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TieOrder {
    /// By event id, descending.
    EventId,
    /// Shuffled by the seed, the same for every call.
    Stable,
    /// Shuffled anew for each listing, and kept through its pages.
    PerCall,
}

/// What a filter on the branch `main` lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MainFilter {
    /// No events: `main` is the absence of a branch, and a filter has nothing to match.
    Nothing,
    /// Events that were written to `main`.
    OwnEvents,
    /// Events of all branches.
    AllEvents,
}

/// When a back-dated event expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ExpiryBasis {
    /// Counted from the event's timestamp or its creation, whichever is earlier.
    Earlier,
    /// Counted from its creation.
    Creation,
}

/// What the limit on a conversational text counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum TextUnit {
    /// Unicode characters.
    Characters,
    /// UTF-16 code units, as Java counts.
    Utf16,
    /// UTF-8 bytes.
    Bytes,
}

/// Form of `memoryId` in answers to a caller that gave an ARN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MemoryIdEcho {
    /// The bare id.
    Id,
    /// What the caller gave.
    AsGiven,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switches_are_written_in_camel_case_and_left_out_where_default() {
        let switches: Switches = serde_json::from_str(
            r#"{"blobDefect":false,"tieOrder":"eventId","maxListBytes":null}"#,
        )
        .unwrap();
        let expected = Switches {
            blob_defect: false,
            tie_order: TieOrder::EventId,
            max_list_bytes: None,
            ..Switches::default()
        };
        assert_eq!(switches, expected);
    }

    #[test]
    fn a_misspelt_switch_is_refused() {
        assert!(serde_json::from_str::<Switches>(r#"{"blobDefetc":false}"#).is_err());
    }
}
