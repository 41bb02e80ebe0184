//! Durations and sizes as people write them.
//!
//! ```text
//! duration = number unit { number unit } ;  unit = "h" | "m" | "s" | "ms" ;     30m, 1h30m, 500ms
//! size     = number [ unit ] ;  unit = "B" | "KB" | "MB" | "GB" | "KiB" | "MiB" | "GiB"
//! ```
//!
//! The largest unit stands first, and each at most once. A duration without a unit is refused, because half of
//! its readers would take it for milliseconds. Zero is refused but for waits: no deadline of ours is none.

/// The longest duration that is read: 100 days.
const LONGEST_MS: u64 = 100 * DAY_MS;
pub const DAY_MS: u64 = 24 * 3_600_000;

/// Milliseconds; `None` if the text is no duration, is zero, or is longer than 100 days.
pub fn duration_ms(text: &str) -> Option<u64> {
    wait_ms(text).filter(|ms| *ms > 0)
}

/// The same, but a wait may be zero: `0s`.
pub fn wait_ms(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    let (mut total, mut ceiling): (u64, u64) = (0, u64::MAX);
    while !rest.is_empty() {
        let (number, after) = number(rest)?;
        let unit_end = after.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        let factor = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => return None,
        };
        if factor >= ceiling {
            return None;
        }
        ceiling = factor;
        total = total.checked_add(number.checked_mul(factor)?)?;
        rest = after.trim_start();
    }
    (total <= LONGEST_MS).then_some(total)
}

/// As a person writes it: `1h30m`. What is no whole number of seconds is told in full: `1500ms`.
pub fn shown_duration(ms: u64) -> String {
    if ms == 0 {
        return "0s".to_owned();
    }
    if !ms.is_multiple_of(1000) {
        return format!("{ms}ms");
    }
    let units = [("h", ms / 3_600_000), ("m", ms / 60_000 % 60), ("s", ms / 1000 % 60)];
    let said: Vec<String> = units
        .into_iter()
        .filter(|(_, number)| *number > 0)
        .map(|(unit, number)| format!("{number}{unit}"))
        .collect();
    said.concat()
}

/// Bytes; `None` if the text is no size or is zero.
pub fn size_bytes(text: &str) -> Option<u64> {
    let (number, unit) = number(text.trim())?;
    let factor = match unit.trim_start() {
        "" | "B" => 1,
        "KB" | "kB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    number.checked_mul(factor).filter(|bytes| *bytes > 0)
}

/// In the largest unit that needs no fraction: `64MiB`.
pub fn shown_size(bytes: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let unit = units.into_iter().find(|(factor, _)| bytes >= *factor && bytes.is_multiple_of(*factor));
    unit.map_or_else(|| format!("{bytes}B"), |(factor, unit)| format!("{}{unit}", bytes / factor))
}

fn number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    Some((text.get(..end)?.parse().ok()?, text.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_a_unit() {
        for (text, want) in [
            ("30m", Some(1_800_000)),
            ("2s", Some(2_000)),
            ("1h30m", Some(5_400_000)),
            ("1h 30m", Some(5_400_000)),
            ("500ms", Some(500)),
            ("30", None),
            ("0s", None),
            ("", None),
            ("m", None),
            ("-2s", None),
            ("1.5h", None),
            ("99999999999999999999h", None),
            ("9999999999h", None),
            ("2401h", None),
            ("30m1h", None),
            ("1m1m", None),
            ("1µs", None),
        ] {
            assert_eq!(duration_ms(text), want, "{text:?}");
        }
    }

    #[test]
    fn a_duration_is_shown_as_it_is_read() {
        for text in ["1h30m", "90m", "10m", "45s", "24h", "1h1s", "500ms"] {
            let ms = duration_ms(text).unwrap();
            assert_eq!(duration_ms(&shown_duration(ms)), Some(ms), "{text}");
        }
        assert_eq!(shown_duration(600_000), "10m");
        assert_eq!(shown_duration(1500), "1500ms");
    }

    #[test]
    fn a_wait_may_be_zero() {
        for (text, want) in [("0s", Some(0)), ("5s", Some(5000)), ("", None), ("0", None), (" ", None)] {
            assert_eq!(wait_ms(text), want, "{text:?}");
        }
    }

    #[test]
    fn sizes_tell_thousands_from_powers_of_two() {
        for (text, want) in [
            ("64MiB", Some(64 << 20)),
            ("64 MiB", Some(64 << 20)),
            ("1MB", Some(1_000_000)),
            ("512", Some(512)),
            ("2GiB", Some(2 << 30)),
            ("0", None),
            ("64M", None),
            ("MiB", None),
            ("99999999999999GiB", None),
        ] {
            assert_eq!(size_bytes(text), want, "{text:?}");
        }
    }
}
