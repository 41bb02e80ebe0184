//! Tests that a session asks for, and what one call of their runner said of them.

use tdd_core::event::{TestIdSource, TestRunFact};
use tdd_core::path::RelPath;
use tdd_core::test::TestId;

/// What is kept and told of a run's output.
pub(super) const MOST_OUTPUT: usize = 16 << 10;

/// A test that is asked for: as the session calls it, and as its runner does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) id: TestId,
    pub(super) native: TestId,
    pub(super) source: TestIdSource,
    pub(super) file: Option<RelPath>,
}

/// What one call of the runner said.
pub(super) struct Ran {
    pub(super) facts: Vec<TestRunFact>,
    /// Why nothing that it said counts.
    pub(super) no_evidence: Option<String>,
    /// Tests that were asked for and are not there.
    pub(super) gone: Vec<TestId>,
    /// Tests that fail whatever the code does.
    pub(super) unconditional: Vec<TestId>,
    /// Tests that did not say anything because they are marked so. They are no red that counts.
    pub(super) skipped: Vec<TestId>,
    /// All that the report names, for a word about one that is gone.
    pub(super) known: Vec<TestId>,
    /// Files that were asked for and have no test.
    pub(super) empty: Vec<RelPath>,
    /// Whether anything is red, be it that a file does not load.
    pub(super) is_red: bool,
    /// Masked, its head and its tail.
    pub(super) output: String,
    pub(super) duration_ms: u64,
}

impl Ran {
    /// Takes from a run of their files the cases of tests that are gone, and what else is known there.
    pub(super) fn take_cases_of(&mut self, files: Self) {
        let gone = std::mem::take(&mut self.gone);
        let is_wanted = |case: &TestId| gone.iter().any(|id| is_case_of(case, id));
        let before = self.facts.len();
        self.facts.extend(files.facts.into_iter().filter(|fact| is_wanted(&fact.test_id)));
        self.unconditional.extend(files.unconditional.into_iter().filter(is_wanted));
        self.skipped.extend(files.skipped.into_iter().filter(is_wanted));
        self.is_red |= files.is_red && self.facts.len() > before;
        if before == 0 {
            (self.output, self.no_evidence) = (files.output, files.no_evidence);
        }
        self.duration_ms += files.duration_ms;
        let has_cases = |id: &TestId| self.facts.iter().any(|fact| is_case_of(&fact.test_id, id));
        self.gone = gone.into_iter().filter(|id| !has_cases(id)).collect();
        self.known.extend(files.known);
    }
}

/// Whether an id is that of a case of a test with parameters.
pub(super) fn is_case_of(case: &TestId, id: &TestId) -> bool {
    case.0.strip_prefix(&id.0).is_some_and(|rest| rest.starts_with('['))
}
