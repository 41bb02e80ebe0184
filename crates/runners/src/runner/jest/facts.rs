//! What is known of jest without running it.

use super::Jest;
use crate::canary_text::{JavaScriptRunner, javascript};
use crate::command_line::base_name;
use crate::runner::adapter::{Adapter, Running};
use crate::runner::facts::{Runner, Source};
use crate::runner::javascript::facts::{NOT_A_RUN, TEST_FILES, program, suffixed};
use crate::runner::place::Place;
use crate::runner::scope::Scope;
use crate::runner::verification::Verification;
use tdd_core::commands::RunnerKind;
use tdd_core::path::RelPath;
use tdd_core::ports::{CanaryWish, Observer};
use tdd_source::Language;

pub(in crate::runner) static RUNNER: Runner = Runner {
    kind: RunnerKind::Jest,
    test_files: TEST_FILES,
    placement: Some(suffixed(".test.js")),
    junit: None,
    environment: &[],
    usage_error: None,
    restamps: false,
    tells_tests: true,
    read_by: "our reporter's report",
    called_by,
    failing,
    adapter: |making| Ok(Box::new(Jest::new(making.call()?))),
};

/// `jest …`, or `node [options] …/jest.js …`
fn called_by(words: &[&str]) -> Option<usize> {
    let at = program(words)?;
    let rest = &words[at + 1..];
    let is_name = matches!(base_name(words[at]), "jest" | "jest.js");
    (is_name && !rest.iter().any(|word| NOT_A_RUN.contains(word))).then_some(at + 1)
}

fn failing(language: Language, source: &Source<'_>) -> Option<String> {
    let Source { text, extension, secret } = *source;
    language.is_javascript().then(|| javascript(JavaScriptRunner::Jest, text, extension, secret).source)
}

impl Adapter for Jest {
    fn run<'a>(
        &'a mut self,
        (place, scope): (&'a Place, &'a Scope),
        _: &'a CanaryWish,
        verification: &'a mut Verification,
        observer: Observer<'a>,
    ) -> Running<'a> {
        Box::pin(Jest::run(self, place, scope, verification, observer))
    }

    fn selection(&self, place: &Place, files: &[RelPath]) -> String {
        self.selection(place, files)
    }
}
