//! What is known of JavaScript's runners without running them.

use crate::command_line::{NODE_REPORTERS, NODE_WITH_VALUE, base_name};
use crate::runner::facts::Placement;

pub(in crate::runner) const TEST_FILES: &[&str] = &[
    "**/test/**",
    "**/tests/**",
    "**/__tests__/**",
    "**/__snapshots__/**",
    "**/*.test.{js,mjs,cjs,jsx,ts,mts,cts,tsx}",
    "**/*.spec.{js,mjs,cjs,jsx,ts,mts,cts,tsx}",
    "**/*_spec.{js,mjs,cjs,jsx,ts,mts,cts,tsx}",
    "**/*-test.{js,mjs,cjs,ts,mts,cts}",
    "**/*_test.{js,mjs,cjs,ts,mts,cts}",
    "**/test-*.{js,mjs,cjs,ts,mts,cts}",
    "**/test.{js,mjs,cjs,ts,mts,cts}",
];

/// Options of vitest and jest with which no test is run.
pub(in crate::runner) const NOT_A_RUN: &[&str] = &[
    "--help",
    "-h",
    "--version",
    "-v",
    "--listTests",
    "--showConfig",
    "--init",
    "--clearCache",
    "--clearMocksCache",
    "--mergeReports",
    "--standalone",
];

/// Of the languages there is more than one, so the project's own tests say which.
pub(in crate::runner) const fn suffixed(suffix: &'static str) -> Placement {
    Placement { folder: "test", prefix: "", suffix, suffix_varies: true, only_in: None }
}

/// The place of a package's program: the first word, or the file that node runs.
pub(in crate::runner) fn program(words: &[&str]) -> Option<usize> {
    let is_node = matches!(base_name(words.first()?), "node" | "nodejs");
    if !is_node {
        return Some(0);
    }
    if words.contains(&"--watch") {
        return None;
    }
    let at = 1 + own_options(words).map(|option| if takes_value(option) { 2 } else { 1 }).sum::<usize>();
    words.get(at).filter(|word| **word != "--").map(|_| at)
}

/// Node's own options in a call of it, without their values.
pub(in crate::runner) fn own_options<'a>(words: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let mut rest = words.iter().skip(1).copied();
    std::iter::from_fn(move || {
        let option = rest.next().filter(|word| word.starts_with('-') && *word != "--")?;
        if takes_value(option) {
            rest.next();
        }
        Some(option)
    })
}

fn takes_value(option: &str) -> bool {
    [NODE_WITH_VALUE, NODE_REPORTERS].iter().any(|list| list.contains(&option))
}
