//! What a caller can choose about an emulator.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::faults::FaultPlan;

/// Settings of one emulator. The defaults suit a test: a free port, nothing kept, no limits, one memory.
#[derive(Debug, Clone)]
pub struct Options {
    /// Address to listen on; loopback by default.
    pub host: IpAddr,
    /// Port to listen on; 0 picks a free one.
    pub port: u16,
    /// Directory in which everything is kept; in memory only without one.
    pub data: Option<PathBuf>,
    /// Seed of ids and of arbitrary orders; drawn from the clock without one.
    pub seed: Option<u64>,
    /// Time a memory stays in `CREATING`, `UPDATING` and `DELETING`.
    pub memory_delay: Duration,
    /// Memories that exist from the start.
    pub memories: Vec<MemorySpec>,
    /// Behaviour that the public sources leave open.
    pub switches: Switches,
    /// Whether the service's rate limits apply.
    pub rate_limits: bool,
    /// What is asked of request signatures.
    pub auth: Auth,
    /// Faults to inject from the first call on.
    pub faults: FaultPlan,
    /// A moment (milliseconds since 1970) at which the clock stands still until it is moved.
    pub fixed_clock: Option<u64>,
    /// Region named in ARNs.
    pub region: String,
    /// Account named in ARNs.
    pub account: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            data: None,
            seed: None,
            memory_delay: Duration::ZERO,
            memories: vec![MemorySpec::default()],
            switches: Switches::default(),
            rate_limits: false,
            auth: Auth::Accept,
            faults: FaultPlan::default(),
            fixed_clock: None,
            region: "us-east-1".to_owned(),
            account: "000000000000".to_owned(),
        }
    }
}

/// A memory to create at the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemorySpec {
    /// Full id, `<name>-<10 letters or digits>`.
    pub id: String,
    /// Days after which its events expire.
    pub expiry_days: u32,
}

impl Default for MemorySpec {
    fn default() -> Self {
        Self {
            id: crate::DEFAULT_MEMORY_ID.to_owned(),
            expiry_days: 7,
        }
    }
}

/// What is asked of request signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Auth {
    /// Requests are accepted with any signature, or with none.
    Accept,
    /// Every request must carry a valid Signature Version 4 by this key.
    Verify {
        /// Access key id expected in the credential scope.
        access_key_id: String,
        /// Secret with which the signature is computed.
        secret_access_key: String,
    },
}

impl Auth {
    /// Verification with the well-known test key.
    #[must_use]
    pub fn verify_test_key() -> Self {
        Self::Verify {
            access_key_id: crate::TEST_ACCESS_KEY_ID.to_owned(),
            secret_access_key: crate::TEST_SECRET_ACCESS_KEY.to_owned(),
        }
    }
}

/// Behaviour that no public source settles. Each default is the reading that is hardest on a client.
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
    /// Time for which a fresh event stays out of unfiltered listings.
    pub unfiltered_lag_ms: u64,
    /// Time for which a fresh event stays out of metadata-filtered listings.
    pub filtered_lag_ms: u64,
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
            main_filter: MainFilter::OwnEvents,
            expiry_basis: ExpiryBasis::Earlier,
            max_future_seconds: Some(900),
            max_list_bytes: Some(1_000_000),
            max_body_bytes: 10_000_000,
            text_unit: TextUnit::Characters,
            memory_id_echo: MemoryIdEcho::Id,
            unfiltered_lag_ms: 0,
            filtered_lag_ms: 0,
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
