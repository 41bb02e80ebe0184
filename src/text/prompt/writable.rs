//! What the test-writer may write.

use super::{ExistingTests, MAX_LISTED, TestWriterBrief, list, quote};

/// What of the files that fit a test pattern is no test.
#[derive(Clone, Copy, Debug, Default)]
pub struct Configuration<'a> {
    pub fixed: &'a [String],
    /// `allow_config:` of the requirement.
    pub allowed: &'a [String],
}

pub(super) fn writable(brief: &TestWriterBrief<'_>) -> String {
    let patterns = match list(brief.test_patterns) {
        None => "test files".to_owned(),
        Some(list) => format!("test files, which are those that match one of these patterns:\n\n{list}\n\n"),
    };
    let gap = if patterns.ends_with('\n') { "" } else { ". " };
    let existing = match brief.existing_tests {
        ExistingTests::MayBeSuperseded => {
            "Existing tests stay as they are, except those that the requirement makes wrong: change these, and \
             name them under `supersedes`."
        }
        ExistingTests::Fixed => {
            "Existing tests stay as they are, all of them. If the requirement makes one wrong, say \
             `status: failed` and name it in `notes`."
        }
    };
    format!(
        "You may write {patterns}{gap}Everything else is read-only for you, but for a development dependency that \
         your tests need. {} {existing}",
        configuration(brief.configuration)
    )
}

/// A fixture belongs into the file of the tests that need it, where no role may change what configures all tests.
fn configuration(of: Configuration<'_>) -> String {
    let quoted = |files: &[String]| {
        let named: Vec<String> = files.iter().take(MAX_LISTED).map(|file| quote::code(file)).collect();
        named.join(", ")
    };
    let fixed = match of.fixed {
        [] => String::new(),
        files => format!(" ({})", quoted(files)),
    };
    let but = match of.allowed {
        [] => String::new(),
        files => format!(", but for {}", quoted(files)),
    };
    format!(
        "What configures the test runner is read-only too, even where a pattern fits{fixed}{but}: put fixtures and \
         helpers into test files of your own."
    )
}
