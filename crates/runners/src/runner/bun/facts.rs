//! What is known of `bun test` without running it.

use super::Bun;
use crate::canary_text::{JavaScriptRunner, javascript};
use crate::command_line::base_name;
use crate::runner::adapter::{Adapter, Running};
use crate::runner::facts::{Junit, Runner, Source};
use crate::runner::javascript::facts::{TEST_FILES, suffixed};
use crate::runner::place::Place;
use crate::runner::scope::Scope;
use crate::runner::verification::Verification;
use tdd_core::commands::RunnerKind;
use tdd_core::path::RelPath;
use tdd_core::ports::{CanaryWish, Observer};
use tdd_source::Language;

pub(in crate::runner) static RUNNER: Runner = Runner {
    kind: RunnerKind::Bun,
    test_files: TEST_FILES,
    placement: Some(suffixed(".test.ts")),
    junit: Some(Junit::Behind("--reporter=junit --reporter-outfile={report}")),
    environment: &[],
    usage_error: None,
    restamps: false,
    tells_tests: true,
    read_by: "its output",
    called_by,
    failing,
    adapter: |making| Ok(Box::new(Bun::new(making.call()?))),
};

/// Options before `test` that take a value of their own.
const WITH_VALUE: &[&str] =
    &["--cwd", "--config", "-c", "--env-file", "--preload", "-r", "--tsconfig-override"];

/// `bun [options] test …`
fn called_by(words: &[&str]) -> Option<usize> {
    if base_name(words.first()?) != "bun" {
        return None;
    }
    let mut at = 1;
    while *words.get(at)? != "test" {
        if !words[at].starts_with('-') || words[at] == "--" {
            return None;
        }
        at += if WITH_VALUE.contains(&words[at]) { 2 } else { 1 };
    }
    let is_run = !words[at + 1..].iter().any(|word| matches!(*word, "--help" | "-h" | "--watch" | "--hot"));
    is_run.then_some(at + 1)
}

fn failing(language: Language, source: &Source<'_>) -> Option<String> {
    let Source { text, extension, secret } = *source;
    language.is_javascript().then(|| javascript(JavaScriptRunner::Bun, text, extension, secret).source)
}

impl Adapter for Bun {
    fn run<'a>(
        &'a mut self,
        (place, scope): (&'a Place, &'a Scope),
        _: &'a CanaryWish,
        verification: &'a mut Verification,
        observer: Observer<'a>,
    ) -> Running<'a> {
        Box::pin(Bun::run(self, place, scope, verification, observer))
    }

    fn selection(&self, place: &Place, files: &[RelPath]) -> String {
        self.selection(place, files)
    }
}
