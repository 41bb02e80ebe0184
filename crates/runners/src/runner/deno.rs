//! `deno test`, read by the JUnit report that it writes itself.
//!
//! All modules are checked and loaded before the first test runs, so a file that does not load hides all others:
//! deno is run as a runner of the person's own is, file by file where that happens.

use super::facts::{Making, Placement, Runner, fails_as_its_language};
use super::shell::Shell;
use crate::command_line::base_name;
use crate::foreign;
use tdd_core::commands::RunnerKind;

pub(super) static RUNNER: Runner = Runner {
    kind: RunnerKind::Deno,
    // What deno itself takes for tests, and what it records beside them.
    test_files: &[
        "**/*_test.{ts,tsx,mts,js,mjs,jsx}",
        "**/*.test.{ts,tsx,mts,js,mjs,jsx}",
        "**/test.{ts,tsx,mts,js,mjs,jsx}",
        "**/__tests__/**",
        "**/__snapshots__/**",
        "**/tests/**",
    ],
    placement: Some(Placement {
        folder: "tests",
        prefix: "",
        suffix: "_test.ts",
        suffix_varies: false,
        only_in: None,
    }),
    junit: None,
    environment: &[],
    usage_error: None,
    restamps: false,
    tells_tests: true,
    read_by: "its JUnit report",
    called_by,
    failing: fails_as_its_language,
    adapter: |making: &Making<'_>| {
        let setting = foreign::setting(making.line(), &|_| None).ok_or_else(|| making.underivable())?;
        Ok(Box::new(Shell::new(&setting.table)))
    },
};

/// Options with which no test is run.
const NOT_A_RUN: &[&str] = &["--no-run", "--help", "-h", "--watch", "--doc"];

/// `deno test …`
fn called_by(words: &[&str]) -> Option<usize> {
    let is_test = base_name(words.first()?) == "deno" && *words.get(1)? == "test";
    let mut own = words.iter().take_while(|word| **word != "--");
    (is_test && !own.any(|word| NOT_A_RUN.contains(word))).then_some(2)
}
