//! The diagnostics behind a point: which file it is of, and what kind of failure it is.

use super::super::{failure, junit};
use tdd_core::test::{Failure, FailureKind};

/// `file: t/a.t`, `at: t/a.t:3`, `location: '/p/t/a.mjs:3:1'`, also one level below `at:`.
pub(super) fn file_in(notes: &str) -> Option<String> {
    let value = |line: &str| -> Option<String> {
        let (key, value) = line.split_once(':')?;
        let value = value.trim().trim_matches(['\'', '"']);
        let known = matches!(key.trim(), "file" | "fileName" | "location" | "at");
        (known && !value.is_empty()).then(|| without_place(value).to_owned())
    };
    notes.lines().find_map(value)
}

/// A path without the line and the column behind it.
fn without_place(path: &str) -> &str {
    let mut path = path;
    while let Some((before, number)) = path.rsplit_once(':') {
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        path = before;
    }
    path
}

pub(super) fn judge(notes: &str) -> Failure {
    if let Some(absent) = junit::absent(notes) {
        return failure(FailureKind::Missing, notes, Some(absent));
    }
    let lower = notes.to_ascii_lowercase();
    let thrown = ["typeerror", "referenceerror", "rangeerror", "uncaughtexception", "unhandledrejection"];
    let kind = if lower.contains("timed out") || lower.contains("testtimeoutfailure") {
        FailureKind::Timeout
    } else if thrown.iter().any(|word| lower.contains(word)) {
        FailureKind::Error
    } else {
        FailureKind::Assertion
    };
    failure(kind, notes, None)
}
