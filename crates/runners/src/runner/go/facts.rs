//! What is known of `go test` without running it.

use super::Go;
use crate::command_line::base_name;
use crate::runner::adapter::{Adapter, Running};
use crate::runner::facts::{Placement, Runner, fails_as_its_language};
use crate::runner::place::Place;
use crate::runner::scope::Scope;
use crate::runner::verification::Verification;
use tdd_core::commands::RunnerKind;
use tdd_core::path::RelPath;
use tdd_core::ports::{CanaryWish, Observer, Recalled};

pub(in crate::runner) static RUNNER: Runner = Runner {
    kind: RunnerKind::Go,
    // `testdata` is what go itself passes over, for tests to read.
    test_files: &["**/*_test.go", "**/testdata/**"],
    // In the module's own folder, if nobody names another: a package is a folder.
    placement: Some(Placement {
        folder: "",
        prefix: "",
        suffix: "_test.go",
        suffix_varies: false,
        only_in: None,
    }),
    junit: None,
    environment: &[],
    usage_error: None,
    restamps: false,
    tells_tests: true,
    read_by: "its events",
    called_by,
    failing: fails_as_its_language,
    adapter: |making| Ok(Box::new(Go::new(making.call()?, making.work))),
};

/// Options with which no test is judged, or with which an overlay can't be added.
const NOT_A_RUN: &[&str] =
    &["c", "n", "h", "help", "list", "exec", "overlay", "fuzz", "verification", "o", "i", "x", "C", "work"];

/// `go test …`, of packages and not of files. No option of go itself stands before `test`.
fn called_by(words: &[&str]) -> Option<usize> {
    if base_name(words.first()?) != "go" || *words.get(1)? != "test" {
        return None;
    }
    let mut own = words[2..].iter().take_while(|word| !matches!(**word, "-args" | "--args"));
    let is_plain = own.all(|word| match word.strip_prefix("--").or_else(|| word.strip_prefix('-')) {
        Some(flag) => !NOT_A_RUN.contains(&flag.split('=').next().unwrap_or(flag)),
        // A file makes a package of its own, which is another one.
        None => word.strip_suffix(".go").is_none(),
    });
    is_plain.then_some(2)
}

impl Adapter for Go {
    fn run<'a>(
        &'a mut self,
        at: (&'a Place, &'a Scope),
        wish: &'a CanaryWish,
        verification: &'a mut Verification,
        observer: Observer<'a>,
    ) -> Running<'a> {
        Box::pin(Go::run(self, at, wish, verification, observer))
    }

    fn selection(&self, place: &Place, files: &[RelPath]) -> String {
        self.selection(place, files)
    }

    fn recall(&mut self, recalled: &Recalled, _: &Place) {
        if recalled.command.is_some() {
            self.grow_cold();
        }
    }
}
