//! What a role is told of what it may not write.

use super::{list, quote};
use tdd_core::path::RelPath;

/// What the role may not change.
#[derive(Clone, Copy, Debug, Default)]
pub struct Protected<'a> {
    /// Patterns of test files, for a person to read.
    pub tests: &'a [String],
    /// Files that would be, but for the requirement, which needs them.
    pub but: &'a [RelPath],
}

pub(super) fn protected(places: Protected<'_>) -> String {
    const RULE: &str = "Read-only for you: tests, their helpers and data, and what decides which tests run or how (of a \
                        manifest only dependencies may change). What is written there, new files too, is refused or put \
                        back, and the attempt counts as failed.";
    let but: Vec<String> = places.but.iter().map(|path| quote::code(path.as_str())).collect();
    let but = if but.is_empty() {
        String::new()
    } else {
        format!(" This requirement lets you write: {}.", but.join(", "))
    };
    match list(places.tests) {
        None => format!("{RULE}{but}"),
        Some(list) => format!("{RULE}{but} Tests are what matches one of these patterns:\n\n{list}"),
    }
}
