//! Durations and sizes as people write them.
//!
//! ```text
//! duration = number unit { number unit } ;  unit = "ms" | "s" | "m" | "h" ;   30m, 1h30m, 500ms
//! size     = number [ unit ] ;  unit = "B" | "KB" | "MB" | "GB" | "KiB" | "MiB" | "GiB"
//! ```
//!
//! A duration without a unit is refused, because half of its readers would take it for
//! milliseconds. Zero is refused: no wait of ours is without a deadline.

/// Milliseconds; `None` if the text is no duration, is zero, or is longer than 100 days.
pub fn duration_ms(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (number, after) = number(rest)?;
        let unit_end = after.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        let factor = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" | "min" => 60_000,
            "h" => 3_600_000,
            _ => return None,
        };
        total = total.checked_add(number.checked_mul(factor)?)?;
        rest = after.trim_start();
    }
    (total > 0 && total <= 100 * 24 * 3_600_000).then_some(total)
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
        ] {
            assert_eq!(duration_ms(text), want, "{text:?}");
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
