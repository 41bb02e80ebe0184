//! What is known of pytest without running it.

use super::Pytest;
use crate::canary_text::{self, PythonRunner};
use crate::command_line::base_name;
use crate::runner::adapter::{Adapter, Running};
use crate::runner::facts::{Junit, Runner, Source};
use crate::runner::place::Place;
use crate::runner::python::facts::{PLACEMENT, TEST_FILES, module};
use crate::runner::scope::Scope;
use crate::runner::verification::Verification;
use tdd_core::commands::RunnerKind;
use tdd_core::path::RelPath;
use tdd_core::ports::{CanaryWish, Observer, Recalled};
use tdd_source::Language;

pub(in crate::runner) static RUNNER: Runner = Runner {
    kind: RunnerKind::Pytest,
    test_files: TEST_FILES,
    placement: Some(PLACEMENT),
    junit: Some(Junit::Behind("-o junit_family=xunit1 --junitxml={report}")),
    environment: &["python", "pytest"],
    // It has another code for "no tests".
    usage_error: Some(super::USAGE_ERROR),
    restamps: false,
    tells_tests: true,
    read_by: "our plugin's report",
    called_by,
    failing,
    adapter: |making| Ok(Box::new(Pytest::new(making.call()?, making.work))),
};

/// Options with which no test is run.
const NOT_A_RUN: &[&str] =
    &["--collect-only", "--co", "--help", "-h", "--version", "-V", "--fixtures", "--markers", "--setup-plan"];

/// `pytest …`, `py.test …` or `python [options] -m pytest …`
fn called_by(words: &[&str]) -> Option<usize> {
    let is_name = |name: &str| matches!(name, "pytest" | "py.test");
    let at = if is_name(base_name(words.first()?)) { 0 } else { module(words)? };
    let is_run = !words[at + 1..].iter().any(|word| NOT_A_RUN.contains(word));
    (is_name(base_name(words[at])) && is_run).then_some(at + 1)
}

fn failing(language: Language, source: &Source<'_>) -> Option<String> {
    (language == Language::Python).then(|| {
        format!("{}\n\n{}", source.text, canary_text::python(PythonRunner::Pytest, "", source.secret).source)
    })
}

impl Adapter for Pytest {
    fn run<'a>(
        &'a mut self,
        (place, scope): (&'a Place, &'a Scope),
        _: &'a CanaryWish,
        verification: &'a mut Verification,
        observer: Observer<'a>,
    ) -> Running<'a> {
        Box::pin(Pytest::run(self, place, scope, verification, observer))
    }

    fn selection(&self, place: &Place, files: &[RelPath]) -> String {
        self.selection(place, files)
    }

    fn recall(&mut self, _: &Recalled, _: &Place) {
        self.recall();
    }

    fn everything(&self, place: &Place) -> Option<String> {
        Some(self.everything(place))
    }
}
