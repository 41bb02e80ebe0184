//! `--since`: a moment, a day or a span of time.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Span, SpanRelativeTo, Timestamp, Unit};

use tdd_core::trouble::Trouble;

/// The moment in milliseconds since the epoch; days are those of UTC.
pub fn read(word: &str, now_ms: u64) -> Result<u64, Trouble> {
    let moment = moment(word.trim(), now_ms).filter(|moment| *moment >= 0);
    moment.and_then(|moment| u64::try_from(moment).ok()).ok_or_else(|| {
        Trouble::user(format!("--since: `{}` is no time", tdd_core::harmless::line(word)))
            .advise("name a day (2026-03-01), a moment (2026-03-01T12:00:00Z) or a span (36h, 7d, 2w)")
    })
}

fn moment(word: &str, now_ms: u64) -> Option<i64> {
    if let Ok(moment) = word.parse::<Timestamp>() {
        return Some(moment.as_millisecond());
    }
    if let Ok(day) = word.parse::<Date>() {
        return Some(day.to_zoned(TimeZone::UTC).ok()?.timestamp().as_millisecond());
    }
    let span: Span = word.parse().ok()?;
    let days = SpanRelativeTo::days_are_24_hours();
    #[expect(clippy::cast_possible_truncation, reason = "whole milliseconds of a span that jiff can hold")]
    let span_ms = span.total((Unit::Millisecond, days)).ok()? as i64;
    let now = i64::try_from(now_ms).ok()?;
    (span_ms >= 0).then(|| now.saturating_sub(span_ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_day_a_moment_or_a_span() {
        let now = 1_800_000_000_000;
        for (word, want) in [
            ("2026-03-01", Some(1_772_323_200_000)),
            ("2026-03-01T12:00:00Z", Some(1_772_366_400_000)),
            ("36h", Some(now - 36 * 3_600_000)),
            ("7d", Some(now - 7 * 24 * 3_600_000)),
            ("2w", Some(now - 14 * 24 * 3_600_000)),
            ("yesterday", None),
            ("", None),
            ("-3d", None),
            ("1900-01-01", None),
            ("999999999999y", None),
        ] {
            assert_eq!(read(word, now).ok(), want, "{word}");
        }
    }
}
