//! The first screen of a review (contract section 13): what went wrong, and what can be done about it, each
//! under one key. Pure: the program that asks lies in `commands`.

use super::page::Page;
use super::{HaltFacts, NextStep, Report};
use tdd_core::halt::Halt;
use tdd_core::harmless;
use tdd_core::state::State;

/// Lines of output on the first screen; all of it is behind a key.
const FEW: usize = 12;

/// A halt as an operator sees it first.
pub struct Review {
    pub page: String,
    /// What can be done, in the order of its numbers from 1; the first one is recommended.
    pub steps: Vec<NextStep>,
    /// Where to look first: a file of the repository and a line.
    pub place: Option<(String, u32)>,
    /// Lines of output around the failure.
    pub evidence: Vec<String>,
}

/// The review of a halt.
pub fn review(state: &State, halt: &Halt, facts: &HaltFacts) -> Review {
    Report::new(state, halt, facts).review()
}

impl NextStep {
    /// Whether it only looks at something: then it has a key of its own.
    fn only_looks(&self) -> bool {
        self.command.starts_with("git ") || self.command.starts_with("tdd log ")
    }

    /// Whether it can't be taken back by the next key: then it is asked once more.
    pub fn is_final(&self) -> bool {
        let word = |word: &str| self.command.split_whitespace().any(|part| part == word);
        word("undo") || word("--abandon") || word("--accept")
    }
}

impl Report<'_> {
    fn review(self) -> Review {
        let steps: Vec<NextStep> = self.next.iter().filter(|step| !step.only_looks()).cloned().collect();
        let evidence = self.run().map(|run| self.evidence(run).1).unwrap_or_default();
        let mut page = Page::default();
        page.words("", &self.headline());
        if let Some(place) = &self.cause.place {
            page.line(&format!("look at: {}", harmless::line(&place.to_string())));
        }
        page.line("");
        self.criterion(&mut page);
        page.words("", &self.attempts_line());
        for line in self.state_of_work() {
            page.words("", &line);
        }
        if !evidence.is_empty() {
            page.line("");
            page.quote(&evidence[evidence.len().saturating_sub(FEW)..]);
        }
        page.line("");
        for (index, step) in steps.iter().enumerate() {
            let sign = if index == 0 { '*' } else { ' ' };
            page.words(&format!("{sign}{:>2}  ", index + 1), &step.what);
        }
        let place = self.cause.place.as_ref().map(|place| (place.file.clone(), place.line));
        Review { page: page.into_text(), steps, place, evidence }
    }

    fn criterion(&self, page: &mut Page) {
        let Some(id) = self.halt.key.criterion() else { return };
        if let Some(criterion) = self.state.run.requirement.criterion(id) {
            page.words(&format!("{id}: "), &harmless::short(&criterion.text, super::LINE_WIDTH));
        }
    }
}
