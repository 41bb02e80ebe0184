//! What type checkers print, read error by error.
//!
//! ```text
//! tsc    = { FILE "(" LINE "," COL "): error TS" N ": " words | FILE ":" LINE ":" COL " - error TS" N ": " words
//!          | "error TS" N ": " words }, each with the indented lines below it
//! cargo  = { "error" [ "[E" N "]" ] ": " words }, each with the lines up to an empty one
//! mypy   = { FILE ":" LINE [ ":" COL ] ": error: " words }, each with the lines that only go on with it
//! go vet = see `test_report::go_error`
//! ```
//!
//! Leniency: colours are taken out first, because `FORCE_COLOR` makes tsc and mypy paint into a file.

use crate::test_report::go_error;
use tdd_core::fix::classify::TypeErrors;
use tdd_core::fix::{KEPT_COMPLAINTS, TypeChecker};
use tdd_core::terminal_noise::clean_text;

/// Lines of one error, at most: a code frame fits, a list of all implementors does not.
const LINES: usize = 12;
/// Characters of one error, at most.
const CHARACTERS: usize = 1000;

/// All errors in what a checker printed; only the first and the last are kept, all are counted.
pub fn read(checker: TypeChecker, said: &str) -> TypeErrors {
    let said = clean_text(said);
    if checker == TypeChecker::Go {
        let errors = go_error::errors(&said);
        let text = |error: &go_error::BuildError| format!("{}:{}: {}", error.file, error.line, error.message);
        return bounded(errors.iter().map(text).collect());
    }
    let mut errors: Vec<Vec<&str>> = Vec::new();
    let mut goes_on = false;
    for line in said.lines() {
        if starts(checker, line) {
            errors.push(vec![line]);
            goes_on = true;
        } else if goes_on && belongs(checker, line) {
            if let Some(error) = errors.last_mut().filter(|error| error.len() < LINES) {
                error.push(line);
            }
        } else {
            goes_on = false;
        }
    }
    bounded(errors.into_iter().map(|lines| lines.join("\n")).collect())
}

/// Whether the checker itself is not there, though the interpreter that should run it is: that is no
/// finding about the project.
pub fn is_missing(checker: TypeChecker, said: &str) -> bool {
    let last = said.trim_end().lines().next_back().unwrap_or_default();
    match checker {
        TypeChecker::Mypy => last.ends_with("No module named mypy"),
        TypeChecker::Tsc => {
            // npx without the package: its own one-line page, or the refusal to fetch it.
            said.contains("This is not the tsc command you are looking for")
                || said.contains("npx canceled due to missing packages")
        }
        TypeChecker::Cargo => last.starts_with("error: no such command"),
        TypeChecker::Go => false,
    }
}

fn starts(checker: TypeChecker, line: &str) -> bool {
    match checker {
        TypeChecker::Tsc => is_tsc_error(line),
        TypeChecker::Cargo => is_cargo_error(line),
        TypeChecker::Mypy => at_place(line).is_some_and(|rest| rest.starts_with("error: ")),
        TypeChecker::Go => false,
    }
}

fn belongs(checker: TypeChecker, line: &str) -> bool {
    match checker {
        TypeChecker::Tsc => line.starts_with(' '),
        TypeChecker::Cargo => !line.trim().is_empty(),
        // Without `--pretty` an error is one line; with it long words go on and a code frame follows.
        TypeChecker::Mypy => {
            at_place(line).is_none() && !line.starts_with("Found ") && !line.trim().is_empty()
        }
        TypeChecker::Go => false,
    }
}

fn is_tsc_error(line: &str) -> bool {
    let is_numbered = |rest: &str| {
        let code = rest.strip_prefix("TS").and_then(|rest| rest.split_once(": "));
        code.is_some_and(|(code, _)| !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if let Some(rest) = line.strip_prefix("error ") {
        return is_numbered(rest);
    }
    let plain = line.split_once("): error ").filter(|(place, _)| place.contains('('));
    let pretty = line.split_once(" - error ").filter(|(place, _)| place.contains(':'));
    let placed = plain.or(pretty);
    placed.is_some_and(|(place, rest)| !place.starts_with(' ') && is_numbered(rest))
}

/// The line that counts the errors, and the one that gives up, are no errors of their own.
fn is_cargo_error(line: &str) -> bool {
    if line.starts_with("error[") {
        return line.contains("]: ");
    }
    let said = line.strip_prefix("error: ");
    said.is_some_and(|said| !said.starts_with("could not compile") && !said.starts_with("aborting due to"))
}

/// What stands behind `FILE:LINE:` or `FILE:LINE:COL:`, and a blank.
fn at_place(line: &str) -> Option<&str> {
    let (place, rest) = line.split_once(": ")?;
    let mut parts = place.rsplit(':');
    let is_number = |part: Option<&str>| {
        part.is_some_and(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    (is_number(parts.next()) && parts.next().is_some_and(|file| !file.is_empty())).then_some(rest)
}

fn bounded(mut errors: Vec<String>) -> TypeErrors {
    let count = errors.len();
    if count > 2 * KEPT_COMPLAINTS {
        errors.drain(KEPT_COMPLAINTS..count - KEPT_COMPLAINTS);
    }
    let shown = errors.into_iter().map(|text| text.chars().take(CHARACTERS).collect()).collect();
    TypeErrors { shown, count }
}

#[cfg(test)]
mod tests;
