//! When a usage limit is lifted, as agents say it.
//!
//! ```text
//! number = seconds since the epoch             claude's `resetsAt`; larger ones are milliseconds
//! text   = … "|" 10 digits                     what older versions of claude print after the words
//!        | … ( "resets" | "try again at" | "try again in" | "retry after" ) words
//! words  = all up to the end of the line, a full stop or a semicolon    in the agent's own time zone
//! ```

use serde_json::Value;

/// The latest time that is believed: the year 2200.
const LATEST: u64 = 7_258_118_400;
/// Characters of a time in words.
const LONGEST: usize = 60;

/// When a limit is lifted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reset {
    /// Seconds since the epoch.
    At(u64),
    /// As the agent says it: `2:13am (UTC)`, `Nov 23rd, 2026 2:13 AM`.
    Words(String),
}

/// The time that a part of a line tells; `None` if it tells none.
pub fn read(value: &Value) -> Option<Reset> {
    match value {
        Value::Number(number) => number.as_u64().and_then(at),
        Value::String(text) => in_text(text),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn at(number: u64) -> Option<Reset> {
    let seconds = if number > LATEST { number / 1000 } else { number };
    (seconds > 0 && seconds <= LATEST).then_some(Reset::At(seconds))
}

/// The time in a sentence.
pub(super) fn in_text(text: &str) -> Option<Reset> {
    const LEADS: [&str; 4] = ["resets ", "try again at ", "try again in ", "retry after "];
    if let Some((_, digits)) = text.rsplit_once('|')
        && digits.trim().len() == 10
        && let Ok(seconds) = digits.trim().parse()
    {
        return at(seconds);
    }
    let lead = LEADS.into_iter().find_map(|lead| text.find(lead).map(|place| place + lead.len()))?;
    let rest = text.get(lead..)?;
    let end = rest.find(['\n', ';', '.']).unwrap_or(rest.len());
    let words: String =
        rest.get(..end)?.chars().filter(|letter| !letter.is_control()).take(LONGEST).collect();
    let words = words.trim();
    (!words.is_empty()).then(|| Reset::Words(words.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn agents_say_the_time_in_many_ways() {
        let words = |text: &str| Some(Reset::Words(text.to_owned()));
        for (said, want) in [
            (json!(1_795_400_000), Some(Reset::At(1_795_400_000))),
            (json!(1_795_400_000_000_u64), Some(Reset::At(1_795_400_000))),
            (json!(0), None),
            (json!(-5), None),
            (json!(u64::MAX), None),
            (json!(null), None),
            (json!("You've hit your 5-hour limit · resets 2:13am (UTC)"), words("2:13am (UTC)")),
            (
                json!("visit https://x.y/z to purchase more credits or try again at Nov 23rd, 2026 2:13 AM."),
                words("Nov 23rd, 2026 2:13 AM"),
            ),
            (json!("Please try again in 2 hours 5 minutes."), words("2 hours 5 minutes")),
            (json!("Claude AI usage limit reached|1795400000"), Some(Reset::At(1_795_400_000))),
            (json!("limit reached|soon"), None),
            (json!("it resets \u{1b}[0m\n"), words("[0m")),
            (json!("it resets ."), None),
            (json!("no time"), None),
            (json!(format!("resets {}", "x".repeat(1_000))), words(&"x".repeat(60))),
        ] {
            assert_eq!(read(&said), want, "{said}");
        }
    }
}
