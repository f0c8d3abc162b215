//! The time an invocation has left.

use std::time::Duration;

/// What is kept back to write the answer, the log and the metrics, and to return them.
const MARGIN: Duration = Duration::from_millis(150);
/// The longest a call is worth waiting for: API Gateway gives up after 29 seconds.
const LONGEST: Duration = Duration::from_secs(28);

/// The time a call may take, given when Lambda ends the invocation: both in milliseconds since the epoch.
#[must_use]
pub fn remaining(deadline_ms: u64, now_ms: i64) -> Duration {
    let now_ms = u64::try_from(now_ms).unwrap_or_default();
    let left = Duration::from_millis(deadline_ms.saturating_sub(now_ms));
    left.saturating_sub(MARGIN).min(LONGEST)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::remaining;

    #[test]
    fn the_end_of_an_invocation_is_not_used_up() {
        assert_eq!(remaining(10_000, 7_000), Duration::from_millis(2_850));
        assert_eq!(remaining(10_000, 9_900), Duration::ZERO);
        assert_eq!(remaining(10_000, 20_000), Duration::ZERO);
        assert_eq!(remaining(900_000, 0), Duration::from_secs(28));
    }
}
