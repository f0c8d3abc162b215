//! The time an invocation has left.

use std::time::Duration;

use crate::call::Source;

/// What is kept back to write the answer, the log and the metrics, and to return them.
const MARGIN: Duration = Duration::from_millis(150);
/// The longest a call is worth waiting for: API Gateway gives up after 29 seconds.
const LONGEST: Duration = Duration::from_secs(28);

/// The longest a program that calls directly is worth waiting for: no invocation lasts longer.
const LONGEST_DIRECT: Duration = Duration::from_mins(15);

/// The year 2001. What lies before it is no moment Lambda could mean.
const EARLIEST_MS: u64 = 1_000_000_000_000;

/// The time a call may take, given when Lambda ends the invocation: both in milliseconds since the epoch.
#[must_use]
pub fn remaining(deadline_ms: u64, now_ms: i64) -> Duration {
    left(deadline_ms, now_ms).min(LONGEST)
}

/// The time a call may take that came this way: a model's work may well take longer than a gateway waits.
#[must_use]
pub fn remaining_for(source: Source, deadline_ms: u64, now_ms: i64) -> Duration {
    let longest = if source.is_http() {
        LONGEST
    } else {
        LONGEST_DIRECT
    };
    left(deadline_ms, now_ms).min(longest)
}

fn left(deadline_ms: u64, now_ms: i64) -> Duration {
    let now_ms = u64::try_from(now_ms).unwrap_or_default();
    let left = if deadline_ms < EARLIEST_MS {
        // `cargo lambda watch` gives the length of the invocation in place of its end.
        Duration::from_millis(deadline_ms)
    } else {
        Duration::from_millis(deadline_ms.saturating_sub(now_ms))
    };
    left.saturating_sub(MARGIN)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{remaining, remaining_for};
    use crate::call::Source;

    #[test]
    fn the_end_of_an_invocation_is_not_used_up() {
        let now = 1_795_000_000_000;
        let moment = |ms: i64| u64::try_from(now + ms).unwrap();
        assert_eq!(remaining(moment(3_000), now), Duration::from_millis(2_850));
        assert_eq!(remaining(moment(100), now), Duration::ZERO);
        assert_eq!(remaining(moment(-10_000), now), Duration::ZERO);
        assert_eq!(remaining(moment(900_000), now), Duration::from_secs(28));
        let minutes = moment(120_000);
        let http = remaining_for(Source::HttpApi, minutes, now);
        let direct = remaining_for(Source::Direct, minutes, now);
        assert_eq!(http, Duration::from_secs(28));
        assert_eq!(direct, Duration::from_millis(119_850));
    }

    #[test]
    fn a_length_in_place_of_a_moment_is_understood() {
        assert_eq!(
            remaining(10_000, 1_795_000_000_000),
            Duration::from_millis(9_850)
        );
        assert_eq!(remaining(1, 1_795_000_000_000), Duration::ZERO);
    }
}
