//! What test runners write, read into [`tdd_core::test`] values: one file per format.
//!
//! The tests that are judged may print whatever they like, and most formats share a stream with
//! them, so every parser here prefers to call a report incomplete over calling it green.

pub mod bun;
pub mod cargo_build;
pub mod cargo_metadata;
pub mod go_error;
pub mod go_test;
pub mod js_error;
mod js_modules;
pub mod jsonl;
pub mod junit;
pub mod libtest;
pub mod nextest;
pub mod python_error;
pub mod tap;
mod typescript;

use tdd_core::test::{Failure, FailureKind};

/// Bytes of a report that are read; more is an error, not a short report.
pub const REPORT_CAP: u64 = 200 * 1024 * 1024;

/// Bytes of a failure's message that are kept.
const MESSAGE_CAP: usize = 2048;

/// Names beside the first that are kept of what one file lacks.
const MOST_ABSENT: usize = 100;

/// Makes a failure with its message cut to 2 KiB at a character's border.
pub fn failure(kind: FailureKind, message: &str, absent: Option<String>) -> Failure {
    let message = message.trim();
    let mut end = message.len().min(MESSAGE_CAP);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    Failure { kind, message: message[..end].to_owned(), absent, absent_too: Vec::new() }
}

/// The same of something missing, of which all is told: at most [`MOST_ABSENT`] names.
pub(crate) fn missing(message: &str, absent: Vec<String>) -> Failure {
    let mut names = absent.into_iter();
    let mut failure = failure(FailureKind::Missing, message, names.next());
    for name in names {
        let is_new = failure.absent.as_ref() != Some(&name) && !failure.absent_too.contains(&name);
        if is_new && failure.absent_too.len() < MOST_ABSENT {
            failure.absent_too.push(name);
        }
    }
    failure
}

/// The text between the `nth` pair of backticks, counted from 0.
fn backticked(text: &str, nth: usize) -> Option<&str> {
    text.split('`').nth(nth * 2 + 1)
}

/// The text between the `nth` pair of single quotes, counted from 0.
fn quoted(text: &str, nth: usize) -> Option<&str> {
    text.split('\'').nth(nth * 2 + 1)
}
