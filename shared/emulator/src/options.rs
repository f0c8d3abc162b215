//! What a caller can choose about an emulator.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use crate::faults::FaultPlan;
use crate::switches::Switches;

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
