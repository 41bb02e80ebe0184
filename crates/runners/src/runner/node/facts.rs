//! What is known of `node --test` without running it.

use super::Node;
use crate::canary_text;
use crate::command_line::base_name;
use crate::runner::adapter::{Adapter, Running};
use crate::runner::facts::{Junit, Runner, Source};
use crate::runner::javascript::facts::{TEST_FILES, own_options, suffixed};
use crate::runner::place::Place;
use crate::runner::scope::Scope;
use crate::runner::verification::Verification;
use tdd_core::commands::RunnerKind;
use tdd_core::path::RelPath;
use tdd_core::ports::{CanaryWish, Observer};
use tdd_source::Language;

pub(in crate::runner) static RUNNER: Runner = Runner {
    kind: RunnerKind::Node,
    test_files: TEST_FILES,
    placement: Some(suffixed(".test.js")),
    // Options of node stand before its files.
    junit: Some(Junit::Instead(
        "--test",
        "--test --test-reporter=junit --test-reporter-destination={report}",
    )),
    environment: &[],
    usage_error: None,
    restamps: false,
    tells_tests: true,
    read_by: "our reporter's report",
    called_by,
    failing,
    adapter: |making| Ok(Box::new(Node::new(making.call()?))),
};

/// `node [options] --test …`
fn called_by(words: &[&str]) -> Option<usize> {
    let is_node = matches!(base_name(words.first()?), "node" | "nodejs") && !words.contains(&"--watch");
    (is_node && own_options(words).any(|option| option == "--test")).then_some(1)
}

fn failing(language: Language, source: &Source<'_>) -> Option<String> {
    let Source { text, extension, secret } = *source;
    language.is_javascript().then(|| canary_text::node(text, extension, secret).source)
}

impl Adapter for Node {
    fn run<'a>(
        &'a mut self,
        (place, scope): (&'a Place, &'a Scope),
        _: &'a CanaryWish,
        verification: &'a mut Verification,
        observer: Observer<'a>,
    ) -> Running<'a> {
        Box::pin(Node::run(self, place, scope, verification, observer))
    }

    fn selection(&self, place: &Place, files: &[RelPath]) -> String {
        self.selection(place, files)
    }
}
