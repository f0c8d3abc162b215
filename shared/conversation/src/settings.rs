//! What a process decides once: its ports and how conversations are written and checked.

use std::time::Duration;

use codec::Dialect;

/// The ports of one process, built once and borrowed by every call.
#[derive(Clone, Debug)]
pub struct Ports<E, C, K, R> {
    /// The event log.
    pub events: E,
    /// The context store.
    pub context: C,
    /// Time.
    pub clock: K,
    /// Randomness.
    pub entropy: R,
}

/// How conversations are written and checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The form messages are written in.
    pub dialect: Dialect,
    /// How messages are spread over events.
    pub layout: Layout,
    /// How long the memory keeps an event. A missing event older than this is expired, a younger one
    /// is lost.
    pub retention: Duration,
    /// What an altered turn is.
    pub integrity: IntegrityMode,
    /// How many tokens the agent's model takes at once.
    pub context_window_tokens: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            dialect: Dialect::default(),
            layout: Layout::Message,
            retention: Duration::from_hours(7 * 24),
            integrity: IntegrityMode::Report,
            context_window_tokens: 200_000,
        }
    }
}

/// How the messages of a turn are spread over events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One message, one event.
    #[default]
    Message,
    /// As few events as the service's limits allow. The seed dialect cannot, and keeps to one message an
    /// event.
    Turn,
}

/// What to do about a turn whose content does not match its hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntegrityMode {
    /// Give it back, and count it in the report: that the service returns every text unchanged is not
    /// proven.
    #[default]
    Report,
    /// Refuse to load it.
    Enforce,
}
