//! What is known of `cargo test` and `cargo nextest` without running them.

use super::Cargo;
use crate::command_line::{CARGO_WITH_VALUE, base_name};
use crate::runner::adapter::{Adapter, Running};
use crate::runner::facts::{Placement, Runner, fails_as_its_language};
use crate::runner::place::Place;
use crate::runner::scope::Scope;
use crate::runner::verification::Verification;
use tdd_core::commands::RunnerKind;
use tdd_core::path::RelPath;
use tdd_core::ports::{CanaryWish, Observer, Recalled};

pub(in crate::runner) static CARGO: Runner = PLAIN;

pub(in crate::runner) static NEXTEST: Runner = Runner {
    kind: RunnerKind::Nextest,
    called_by: nextest,
    adapter: |making| Ok(Box::new(Cargo::nextest(making.call()?, making.work))),
    ..PLAIN
};

const PLAIN: Runner = Runner {
    kind: RunnerKind::Cargo,
    test_files: &[
        "**/tests/**",
        "**/*_test.rs",
        "**/*_tests.rs",
        "**/tests.rs",
        "**/*.snap",
        // Those that are committed: tests run them first.
        "**/*.proptest-regressions",
        "**/proptest-regressions/**",
    ],
    placement: Some(Placement {
        folder: "tests",
        prefix: "",
        suffix: ".rs",
        suffix_varies: false,
        // A target of its own is a file right below `tests`; unit tests lie in sources.
        only_in: Some("tests"),
    }),
    junit: None,
    environment: &[],
    usage_error: None,
    restamps: true,
    tells_tests: true,
    read_by: "its output",
    called_by: cargo,
    failing: fails_as_its_language,
    adapter: |making| Ok(Box::new(Cargo::new(making.call()?, making.work))),
};

/// `cargo test` options with which no test is judged, or only documentation.
const NOT_A_RUN: &[&str] = &["--no-run", "--doc", "--help", "-h", "--list", "--verification", "--benches"];
/// `cargo nextest run` options with which no test is judged, or none that was built here.
const NEXTEST_NOT_A_RUN: &[&str] = &[
    "--no-run",
    "--help",
    "-h",
    "--debugger",
    "--tracer",
    "--rerun",
    "-R",
    "--archive-file",
    "--cargo-metadata",
    "--binaries-metadata",
];

/// `cargo [+toolchain] [options] (test | t) …`
fn cargo(words: &[&str]) -> Option<usize> {
    let at = subcommand(words)?;
    (matches!(words[at], "test" | "t") && without(&words[at + 1..], NOT_A_RUN)).then_some(at + 1)
}

/// `cargo [+toolchain] [options] nextest (run | r) …`
fn nextest(words: &[&str]) -> Option<usize> {
    let at = subcommand(words)?;
    let is_run = words[at] == "nextest" && matches!(words.get(at + 1), Some(&("run" | "r")));
    (is_run && without(&words[at + 2..], NEXTEST_NOT_A_RUN)).then_some(at + 2)
}

/// The place of the subcommand.
fn subcommand(words: &[&str]) -> Option<usize> {
    if base_name(words.first()?) != "cargo" {
        return None;
    }
    let mut at = 1 + usize::from(words.get(1)?.starts_with('+'));
    while words.get(at)?.starts_with('-') {
        at += if CARGO_WITH_VALUE.contains(&words[at]) { 2 } else { 1 };
    }
    Some(at)
}

fn without(words: &[&str], others: &[&str]) -> bool {
    !words.iter().any(|word| others.contains(word))
}

impl Adapter for Cargo {
    fn run<'a>(
        &'a mut self,
        (place, scope): (&'a Place, &'a Scope),
        _: &'a CanaryWish,
        verification: &'a mut Verification,
        observer: Observer<'a>,
    ) -> Running<'a> {
        Box::pin(Cargo::run(self, place, scope, verification, observer))
    }

    fn selection(&self, place: &Place, files: &[RelPath]) -> String {
        self.selection(place, files)
    }

    fn recall(&mut self, recalled: &Recalled, _: &Place) {
        if let Some(command) = &recalled.command {
            self.recall(command);
        }
    }

    fn whole(&self) -> Option<String> {
        self.whole()
    }

    fn everything(&self, _: &Place) -> Option<String> {
        Some(self.everything())
    }
}
