//! What is known of unittest without running it.

use super::Unittest;
use crate::runner::adapter::{Adapter, Running};
use crate::runner::facts::{Runner, fails_as_its_language};
use crate::runner::place::Place;
use crate::runner::python::facts::{PLACEMENT, TEST_FILES, module};
use crate::runner::scope::Scope;
use crate::runner::verification::Verification;
use tdd_core::commands::RunnerKind;
use tdd_core::path::RelPath;
use tdd_core::ports::{CanaryWish, Observer, Recalled};

pub(in crate::runner) static RUNNER: Runner = Runner {
    kind: RunnerKind::Unittest,
    test_files: TEST_FILES,
    placement: Some(PLACEMENT),
    junit: None,
    environment: &["python"],
    usage_error: None,
    restamps: false,
    tells_tests: true,
    read_by: "our driver's report",
    called_by,
    failing: fails_as_its_language,
    adapter: |making| Ok(Box::new(Unittest::new(making.call()?, making.work))),
};

/// `python [options] -m unittest …`
fn called_by(words: &[&str]) -> Option<usize> {
    let at = module(words)?;
    (words[at] == "unittest").then_some(at + 1)
}

impl Adapter for Unittest {
    fn run<'a>(
        &'a mut self,
        (place, scope): (&'a Place, &'a Scope),
        _: &'a CanaryWish,
        verification: &'a mut Verification,
        observer: Observer<'a>,
    ) -> Running<'a> {
        Box::pin(Unittest::run(self, place, scope, verification, observer))
    }

    fn selection(&self, place: &Place, files: &[RelPath]) -> String {
        self.selection(place, files)
    }

    /// A plain function is collected by pytest alone. What a file that loads its tests itself makes of it nobody can
    /// tell.
    fn never_runs(&self, name: &str, source: &str) -> Option<&'static str> {
        let is_run = name.contains("::") || source.contains("load_tests");
        (!is_run).then_some("a plain function, and unittest runs methods of a `unittest.TestCase` alone")
    }

    fn recall(&mut self, _: &Recalled, _: &Place) {
        self.recall();
    }
}
