//! What stands in one row of a list, and when it was.

/// More is cut, between two words.
const LONGEST_ROW: usize = 400;

/// What a child said must neither fill a screen nor steer a terminal.
pub fn one_row(text: &str) -> String {
    let mut row: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST_ROW + 1).collect();
    if row.chars().count() <= LONGEST_ROW {
        return row;
    }
    row.pop();
    // A word that fills the row is cut.
    let whole = row.rfind(' ').filter(|at| *at > row.len() / 2).unwrap_or(row.len());
    row.truncate(whole);
    format!("{} …", row.trim_end())
}

/// UTC, to the second.
pub fn time(ts_ms: u64) -> String {
    i64::try_from(ts_ms)
        .ok()
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
        .map_or_else(|| "????-??-??T??:??:??Z".to_owned(), |at| format!("{at:.0}"))
}
