//! A file as a whole: what is known of a test whose name its source computes.

use super::super::Language;
use super::super::around::Holds;
use super::super::calls::Call;
use super::super::claim::Weight;
use super::super::claims::claims;
use super::super::plain::Plain;
use super::super::swallowed::is_swallowed;
use super::{BodyFacts, Expectation, MOST_ASKS, Reading};

impl Reading<'_, '_> {
    /// What all tests of the file hold together; where they may be made by what is no test itself
    /// (a macro, a loop over methods), all that stands in the file.
    pub(in super::super) fn of_file(&self, tests: &[(String, BodyFacts)]) -> BodyFacts {
        let mut whole = BodyFacts {
            unconditional: !tests.is_empty() && tests.iter().all(|(_, test)| test.unconditional),
            ..BodyFacts::default()
        };
        for (_, test) in tests {
            whole.looks_at.extend(test.looks_at.iter().cloned());
            let room = MOST_ASKS.saturating_sub(whole.asks.len());
            whole.asks.extend(test.asks.iter().take(room).cloned());
            whole.expectation = stronger(whole.expectation, test.expectation);
        }
        let are_listed = match self.tree.language {
            Language::Rust | Language::Python => false,
            Language::JavaScript | Language::TypeScript | Language::Tsx | Language::Go => !tests.is_empty(),
        };
        if whole.expectation != Expectation::Yes && !are_listed {
            self.scan(&mut whole);
        }
        whole
    }

    fn scan(&self, whole: &mut BodyFacts) {
        let all = self.tree.all();
        for claim in claims(self.tree, &all).iter().filter(|claim| claim.weight == Weight::Full) {
            let is_lost = is_swallowed(self.tree, &claim.whole, &all);
            if !is_lost && !self.is_empty(claim, &Plain::default()) {
                let held = if self.is_unrecorded(claim) { Expectation::Snapshot } else { Expectation::Yes };
                whole.expectation = stronger(whole.expectation, held);
            }
        }
        for at in all {
            if self.inherits_tests(at) {
                whole.expectation = Expectation::Yes;
            }
            match self.calls.classify(self.tree, &self.flow, at) {
                Some(call) if call.holds == Holds::Expectation => whole.expectation = Expectation::Yes,
                Some(call) if whole.asks.len() < MOST_ASKS => {
                    whole.expectation = stronger(whole.expectation, Expectation::Unknown);
                    // What it is given is not asked: the file is judged.
                    whole.asks.push(self.ask(at, Call { given: Vec::new(), ..call }));
                }
                Some(_) | None => {}
            }
        }
    }

    /// A class that has its tests from a helper's file, or from a library.
    fn inherits_tests(&self, at: usize) -> bool {
        let is_class = self.tree.kind(at) == "class_definition";
        let bases = self.tree.child(at, "superclasses").filter(|_| is_class);
        bases.is_some_and(|bases| {
            let mut names = self.tree.tokens(self.tree.span(bases)).map(|at| self.tree.text(at));
            names.any(|name| self.calls.inherits(name))
        })
    }
}

fn stronger(one: Expectation, other: Expectation) -> Expectation {
    let weight = |expectation| match expectation {
        Expectation::Yes => 3,
        Expectation::Unknown => 2,
        Expectation::Snapshot => 1,
        Expectation::No => 0,
    };
    if weight(other) > weight(one) { other } else { one }
}
