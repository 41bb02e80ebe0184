//! Durations as a person writes them.
//!
//! ```text
//! duration = (digits unit)+      largest unit first, each at most once
//! unit     = "h" | "m" | "s"
//! ```

/// The longest duration that can be set: a day.
pub const MOST_MS: u64 = 24 * 60 * 60 * 1000;

/// Milliseconds; `None` if it is no duration, zero, or longer than a day.
pub(super) fn read(text: &str) -> Option<u64> {
    read_wait(text).filter(|ms| *ms > 0)
}

/// The same, but a wait may be zero: `0s`.
pub(super) fn read_wait(text: &str) -> Option<u64> {
    if text.trim().is_empty() {
        return None;
    }
    let mut rest = text.trim();
    let mut total: u64 = 0;
    let mut ceiling = u64::MAX;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: u64 = rest[..digits].parse().ok()?;
        let unit = match rest[digits..].bytes().next()? {
            b'h' => 3_600_000,
            b'm' => 60_000,
            b's' => 1000,
            _ => return None,
        };
        if unit >= ceiling {
            return None;
        }
        ceiling = unit;
        total = total.checked_add(number.checked_mul(unit)?)?;
        rest = &rest[digits + 1..];
    }
    (total <= MOST_MS).then_some(total)
}

/// As a person writes it: `1h30m`. Less than a second is told in full: `1500ms`.
pub fn shown(ms: u64) -> String {
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

#[cfg(test)]
mod tests {
    use super::{read, read_wait, shown};

    #[test]
    fn a_duration_is_shown_as_it_is_read() {
        for text in ["1h30m", "90m", "10m", "45s", "24h", "1h1s"] {
            let ms = read(text).unwrap();
            assert_eq!(read(&shown(ms)), Some(ms), "{text}");
        }
        assert_eq!(shown(600_000), "10m");
        assert_eq!(shown(1500), "1500ms");
    }

    #[test]
    fn a_wait_may_be_zero() {
        for (text, want) in [("0s", Some(0)), ("5s", Some(5000)), ("25h", None), ("", None), ("0", None)] {
            assert_eq!(read_wait(text), want, "{text:?}");
        }
    }

    #[test]
    fn durations_have_units_in_order() {
        for (text, want) in [
            ("10m", Some(600_000)),
            (" 90s ", Some(90_000)),
            ("1h30m", Some(5_400_000)),
            ("24h", Some(86_400_000)),
            ("25h", None),
            ("10", None),
            ("0s", None),
            ("", None),
            ("m", None),
            ("30m1h", None),
            ("1m1m", None),
            ("5ms", None),
            ("-1s", None),
            ("1µs", None),
            ("99999999999999999999h", None),
        ] {
            assert_eq!(read(text), want, "{text:?}");
        }
    }
}
