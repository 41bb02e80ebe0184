//! A key that is given twice: which, and where.
//!
//! The YAML reader names the key and, below the top, where its table begins:
//!
//! ```text
//! message = [ path ": " ] "duplicate entry with key \"" key "\"" [ " at line " n " column " n ]
//! ```

use tdd_core::trouble::Trouble;

/// The trouble, if that is what the error is about. Both lines are named if they can be told.
pub(super) fn trouble(file_name: &str, source: &str, error: &serde_yaml::Error) -> Option<Trouble> {
    let message = error.to_string();
    let (before, after) = message.split_once("duplicate entry with key \"")?;
    let (key, _) = after.rsplit_once('"')?;
    let dotted = format!("{}{key}", before.replace(": ", "."));
    let (line, column) = error.location().map_or((1, 1), |at| (at.line(), at.column()));
    let lines = places(source, key, line, column);
    let why = match lines.as_slice() {
        [first, second, ..] => format!("it stands on line {first} and on line {second}"),
        [_] | [] => "two values for one setting would leave it open which is meant".to_owned(),
    };
    let what = format!("{file_name} gives the setting `{dotted}` twice");
    Some(Trouble::config(what).because(why).advise(format!("Leave only one line with `{key}:`.")))
}

/// The lines that begin with the key in the table that begins at this line and column, from 1.
fn places(source: &str, key: &str, line: usize, column: usize) -> Vec<usize> {
    let margin = column.saturating_sub(1);
    let table = source.lines().enumerate().skip(line.saturating_sub(1)).take_while(|(_, text)| {
        let indent = text.len() - text.trim_start_matches(' ').len();
        let is_nothing = text.trim().is_empty() || text.trim_start().starts_with('#');
        is_nothing || indent >= margin
    });
    let begins = |text: &str| {
        let entry = text.get(margin..).unwrap_or_default().trim_start_matches(['"', '\'']);
        let rest = entry.strip_prefix(key).map(|rest| rest.trim_start_matches(['"', '\'']).trim_start());
        rest.is_some_and(|rest| rest.starts_with(':'))
    };
    table.filter(|(_, text)| begins(text)).map(|(at, _)| at + 1).collect()
}
