//! Timestamps on the wire: JSON numbers of epoch seconds, kept to the millisecond.
//!
//! The decimal text is read digit by digit. Going through a floating point number would put half of all
//! milliseconds one too low.

/// Milliseconds since 1970 of a JSON number of seconds, finer digits cut off. `None` for negative
/// times, text that is not a number, and numbers beyond any calendar.
pub(crate) fn parse_millis(text: &str) -> Option<u64> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = whole.chars().chain(fraction.chars()).collect();
    if whole.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let wanted = i64::try_from(whole.len()).ok()? + i64::from(exponent) + 3;
    // Leading zeros carry no value, and a number of more than 18 digits is no time.
    let significant = digits.bytes().skip_while(|byte| *byte == b'0').count();
    let leading = digits.len() - significant;
    if significant == 0 {
        return Some(0);
    }
    let wanted = wanted - i64::try_from(leading).ok()?;
    if wanted <= 0 {
        return Some(0);
    }
    let wanted = usize::try_from(wanted)
        .ok()
        .filter(|wanted| *wanted <= 18)?;
    let padding = std::iter::repeat('0');
    let kept: String = digits
        .chars()
        .skip(leading)
        .chain(padding)
        .take(wanted)
        .collect();
    kept.parse().ok()
}

/// The JSON number for a time in milliseconds.
pub(crate) fn render_seconds(millis: u64) -> String {
    match millis % 1000 {
        0 => format!("{}", millis / 1000),
        rest => format!("{}.{rest:03}", millis / 1000),
    }
}

/// The `date` header for a time in milliseconds.
pub(crate) fn render_http_date(millis: u64) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let seconds = millis / 1000;
    let days = seconds / 86_400;
    let (year, month, day) = civil(days);
    let name = |names: &[&'static str], index: u64| {
        usize::try_from(index)
            .ok()
            .and_then(|index| names.get(index).copied())
            .unwrap_or("???")
    };
    format!(
        "{}, {day:02} {} {year:04} {:02}:{:02}:{:02} GMT",
        name(&DAYS, days % 7),
        name(&MONTHS, month - 1),
        seconds / 3600 % 24,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// Year, month and day of a count of days since 1970, by the rule of 400-year cycles that begin in March.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let cycle = shifted / 146_097;
    let in_cycle = shifted % 146_097;
    let year = (in_cycle - in_cycle / 1_460 + in_cycle / 36_524 - in_cycle / 146_096) / 365;
    let in_year = in_cycle - (365 * year + year / 4 - year / 100);
    let march_month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    (year + cycle * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_floored_to_the_millisecond() {
        let table = [
            ("1752235548", Some(1_752_235_548_000)),
            ("1752235548.12", Some(1_752_235_548_120)),
            ("1752235548.123456789", Some(1_752_235_548_123)),
            ("1752235548.9999999", Some(1_752_235_548_999)),
            ("1752235548123", Some(1_752_235_548_123_000)),
            ("1.752235548123E9", Some(1_752_235_548_123)),
            ("0", Some(0)),
            ("0.0009", Some(0)),
            ("0.001", Some(1)),
            ("1e-3", Some(1)),
            ("1e-9", Some(0)),
            ("-1", None),
            ("1e400", None),
            ("99999999999999999999", None),
            ("", None),
            ("abc", None),
        ];
        for (text, millis) in table {
            assert_eq!(parse_millis(text), millis, "{text}");
        }
    }

    #[test]
    fn every_millisecond_survives_the_round_trip() {
        for millis in 1_752_235_548_000..1_752_235_549_000 {
            assert_eq!(parse_millis(&render_seconds(millis)), Some(millis));
        }
    }

    #[test]
    fn http_dates_name_the_right_day() {
        assert_eq!(
            render_http_date(784_111_777_000),
            "Sun, 06 Nov 1994 08:49:37 GMT"
        );
        assert_eq!(
            render_http_date(1_709_164_800_000),
            "Thu, 29 Feb 2024 00:00:00 GMT"
        );
        assert_eq!(render_http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
    }
}
