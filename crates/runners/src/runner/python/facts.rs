//! What is known of Python's runners without running them.

use crate::command_line::base_name;
use crate::runner::facts::Placement;

pub(in crate::runner) const TEST_FILES: &[&str] =
    &["**/tests/**", "**/test/**", "**/test_*.py", "**/*_test.py", "**/tests.py", "**/__snapshots__/**"];

pub(in crate::runner) const PLACEMENT: Placement =
    Placement { folder: "tests", prefix: "test_", suffix: ".py", suffix_varies: false, only_in: None };

/// `python [options] -m NAME …`: the place of the module's name.
pub(in crate::runner) fn module(words: &[&str]) -> Option<usize> {
    let version = base_name(words.first()?).strip_prefix("python")?;
    if !version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let mut at = 1;
    while *words.get(at)? != "-m" {
        at += match words[at] {
            "-X" | "-W" => 2,
            option if option.starts_with('-') && option.len() > 1 && !option.starts_with("-c") => 1,
            _ => return None,
        };
    }
    words.get(at + 1)?;
    Some(at + 1)
}
