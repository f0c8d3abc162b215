//! Moments written as RFC 3339, the way log lines carry them.

const MS_PER_DAY: i64 = 86_400_000;

/// Milliseconds since the epoch as `2026-01-31T12:34:56.789Z`.
pub(crate) fn rfc3339(ms: i64) -> String {
    let (year, month, day) = date(ms.div_euclid(MS_PER_DAY));
    let of_day = ms.rem_euclid(MS_PER_DAY);
    let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (second, milli) = (of_day / 1_000 % 60, of_day % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

/// The civil date of a day counted from the epoch. Years are taken to begin in March, so that the leap day is
/// the last of its year and every month's length follows one formula.
fn date(days: i64) -> (i64, i64, i64) {
    let since = days + 719_468;
    let era = since.div_euclid(146_097);
    let of_era = since.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::rfc3339;

    #[test]
    fn moments_are_written_in_utc() {
        for (ms, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (1_795_000_000_123, "2026-11-18T11:06:40.123Z"),
        ] {
            assert_eq!(rfc3339(ms), expected);
        }
    }
}
