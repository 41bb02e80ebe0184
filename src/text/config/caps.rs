//! What a run and an attempt may use, as a person writes it; in `tdd.yaml` and on the command line
//! alike.
//!
//! ```text
//! usd    = digits [ "." digits ]        an optional "$" before it
//! tokens = digits [ "k" | "M" ]         thousands, millions, in either case; "_" may stand between digits
//! wall   = duration
//! ```

use tdd_core::trouble::Trouble;
use tdd_core::usage::{Cap, CapPlan, Caps, MOST_TOKENS, Usd};
use tdd_spec::strict::Table;
use tdd_spec::strict::amount::{DAY_MS, duration_ms};

/// What an amount looks like, for messages.
pub fn wanted(cap: Cap) -> &'static str {
    match cap {
        Cap::Usd => "an amount of US dollars above 0, such as `5` or `0.50`",
        Cap::Tokens => "a number of tokens above 0, such as `200000`, `200k` or `2M`",
        Cap::Wall => "a duration of at most a day, such as `90s`, `10m` or `1h30m`",
    }
}

/// `None` if it is no amount of dollars, or less than a millionth of one.
pub fn usd(text: &str) -> Option<Usd> {
    let text = text.trim();
    let text = text.strip_prefix('$').unwrap_or(text);
    let plain = text.starts_with(|letter: char| letter.is_ascii_digit())
        && text.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
    let dollars: f64 = text.parse().ok().filter(|_| plain)?;
    Usd::of_dollars(dollars).filter(|usd| usd.0 > 0)
}

/// `None` if it is no number of tokens, or zero.
pub fn tokens(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, factor) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1000),
        None => text.strip_suffix(['M', 'm']).map_or((text, 1), |digits| (digits, 1_000_000)),
    };
    if !digits.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let number: u64 = digits.replace('_', "").parse().ok()?;
    number.checked_mul(factor).filter(|tokens| (1..=MOST_TOKENS).contains(tokens))
}

/// Milliseconds.
pub fn wall(text: &str) -> Option<u64> {
    duration_ms(text).filter(|ms| *ms <= DAY_MS)
}

/// The keys `max_usd`, `max_tokens`, `max_wall` and their `_attempt` kin. An attempt's own time is
/// `attempt_deadline`.
pub(super) fn read(top: &Table<'_>) -> Result<CapPlan, Trouble> {
    Ok(CapPlan {
        run: Caps {
            usd: one(top, "max_usd", Cap::Usd, usd)?,
            tokens: one(top, "max_tokens", Cap::Tokens, tokens)?,
            wall_ms: one(top, "max_wall", Cap::Wall, wall)?,
        },
        attempt: Caps {
            usd: one(top, "max_usd_attempt", Cap::Usd, usd)?,
            tokens: one(top, "max_tokens_attempt", Cap::Tokens, tokens)?,
            wall_ms: None,
        },
    })
}

fn one<T>(
    top: &Table<'_>,
    key: &str,
    cap: Cap,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, Trouble> {
    let Some(text) = top.scalar(key)? else { return Ok(None) };
    let wrong =
        || top.wrong(key, &format!("`{text}` is no such amount"), &format!("It wants {}.", wanted(cap)));
    parse(&text).map(Some).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_people_write_them() {
        for (text, want) in [
            ("5", Some(5_000_000)),
            ("0.50", Some(500_000)),
            (" $12.5 ", Some(12_500_000)),
            ("0", None),
            ("0.0000001", None),
            ("-1", None),
            ("+1", None),
            ("1e3", None),
            ("nan", None),
            ("inf", None),
            ("", None),
            ("5 EUR", None),
            ("1.2.3", None),
            ("99999999", None),
        ] {
            assert_eq!(usd(text), want.map(Usd), "{text:?}");
        }
        for (text, want) in [
            ("200000", Some(200_000)),
            ("200_000", Some(200_000)),
            ("200k", Some(200_000)),
            ("2M", Some(2_000_000)),
            ("0", None),
            ("k", None),
            ("-5", None),
            ("_5", None),
            ("1.5M", None),
            ("9999999999999", None),
            ("99999999999999999M", None),
        ] {
            assert_eq!(tokens(text), want, "{text:?}");
        }
        assert_eq!(wall("1h30m"), Some(5_400_000));
        assert_eq!(wall("90"), None);
    }
}
