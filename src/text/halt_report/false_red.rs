//! What fits a RED that is none (mode A): the same attempt once more is not what each of its causes asks for.

use std::collections::{BTreeMap, BTreeSet};

use tdd_core::criterion::CriterionId;
use tdd_core::finding::{RedKind, RunRef};
use tdd_core::judge::Reason;
use tdd_core::mapping;
use tdd_core::state::State;
use tdd_core::test::TestId;

/// Why the tests are not red, as far as what to do about it differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FalseRed {
    /// All that speaks against them is that they pass: the project may do it already.
    Passes,
    /// They do not load, do not end, or the run of them proves nothing.
    DoesNotRun,
    /// Nothing is new, and what lacks a new test has one that was green before the run: it was built already.
    BuiltBefore,
    /// The test-writer gave up, and nothing else is known to be wrong.
    GivenUp,
    /// It wrote tests that are of no use; another attempt may do better.
    Useless,
}

impl FalseRed {
    pub(super) fn of(reasons: &[Reason], runs: &[RunRef]) -> Self {
        let mut rest = reasons.iter().filter(|reason| **reason != Reason::ClaimedFailed).peekable();
        if rest.peek().is_none() {
            return if reasons.is_empty() { Self::Useless } else { Self::GivenUp };
        }
        let does_not_run = |reason: &Reason| {
            matches!(
                reason,
                Reason::NoEvidence(_)
                    | Reason::NotRed { kind: RedKind::Load | RedKind::Timeout | RedKind::Crash, .. }
            )
        };
        let rest: Vec<&Reason> = rest.collect();
        if rest.iter().any(|reason| does_not_run(reason)) {
            return Self::DoesNotRun;
        }
        let passing: Vec<&TestId> = rest.iter().filter_map(|reason| passing(reason)).collect();
        let files: BTreeSet<&str> = passing.iter().map(|test| test.file()).collect();
        // A criterion of which some tests fail is not done.
        let fails_too = runs
            .iter()
            .flat_map(|run| &run.failed)
            .any(|item| item.test.as_ref().is_some_and(|test| files.contains(test.file())));
        if passing.len() == rest.len() && !fails_too { Self::Passes } else { Self::Useless }
    }

    /// What is done before the next attempt.
    pub(super) fn first(self) -> &'static str {
        match self {
            Self::DoesNotRun => {
                "see what keeps the tests from running, install or set what is missing, and try again with new \
                 attempts"
            }
            Self::Passes | Self::BuiltBefore | Self::GivenUp | Self::Useless => "try again with new attempts",
        }
    }

    /// Why the first way on is the recommended one.
    pub(super) fn because(self) -> &'static str {
        match self {
            Self::Passes => "because its tests pass before any code, and only reading them says why",
            Self::BuiltBefore => "because its tests were there and green before the run",
            Self::DoesNotRun => "because tests that do not run can't be seen failing",
            Self::GivenUp => {
                "because the test-writer says itself that it can't, and its last message says why"
            }
            Self::Useless => "because its attempts are used up and nothing else is in the way",
        }
    }
}

/// The criteria without a new test that have one from before the run, which was green then.
pub(super) fn built_before<'s>(state: &'s State, reasons: &[Reason]) -> BTreeMap<CriterionId, &'s TestId> {
    let greens = state.baseline.iter().flat_map(|baseline| &baseline.test.greens);
    let built = reasons.iter().filter_map(|reason| {
        let Reason::NoCandidate(id) = reason else { return None };
        Some((id.clone(), greens.clone().find(|test| mapping::names_criterion(&test.0, id))?))
    });
    built.collect()
}

/// Whether that is all that speaks against a RED.
pub(super) fn is_built_before(state: &State, reasons: &[Reason]) -> bool {
    let rest = reasons.iter().filter(|reason| **reason != Reason::ClaimedFailed).count();
    rest > 0 && built_before(state, reasons).len() == rest
}

/// The criteria whose tests pass before any work: a false RED, or a requirement that is met.
pub(super) fn already_green(reasons: &[Reason]) -> BTreeSet<CriterionId> {
    let passed = reasons.iter().filter_map(|reason| {
        let Reason::NotRed { criterion, kind: RedKind::Passed, .. } = reason else { return None };
        Some(criterion.clone())
    });
    passed.collect()
}

fn passing(reason: &Reason) -> Option<&TestId> {
    let Reason::NotRed { test, kind: RedKind::Passed, .. } = reason else { return None };
    Some(test)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tdd_core::finding::FailedItem;
    use tdd_core::test::{Canary, Exit, FailureKind};

    fn not_red(test: &str, kind: RedKind) -> Reason {
        let criterion = CriterionId::parse("AC-STE-1.1").unwrap();
        Reason::NotRed { criterion, test: TestId(test.to_owned()), kind, why: None }
    }

    #[test]
    fn each_cause_of_a_false_red_has_its_own_way_on() {
        let passed = not_red("tests/a.py::one", RedKind::Passed);
        let no_evidence = Reason::NoEvidence("no canary".to_owned());
        for (reasons, want) in [
            (vec![passed.clone()], FalseRed::Passes),
            (vec![Reason::ClaimedFailed, passed.clone()], FalseRed::Passes),
            (vec![passed.clone(), not_red("tests/b.py::two", RedKind::None)], FalseRed::Useless),
            (vec![passed.clone(), not_red("tests/b.py::two", RedKind::Load)], FalseRed::DoesNotRun),
            (vec![not_red("tests/b.py::two", RedKind::Timeout)], FalseRed::DoesNotRun),
            (vec![no_evidence], FalseRed::DoesNotRun),
            (vec![Reason::ClaimedFailed], FalseRed::GivenUp),
            (vec![], FalseRed::Useless),
        ] {
            assert_eq!(FalseRed::of(&reasons, &[]), want, "{reasons:?}");
        }
    }

    #[test]
    fn a_criterion_of_which_one_test_fails_is_not_done() {
        let run = |test: &str| RunRef {
            command: String::new(),
            exit: Exit::Code(1),
            duration_ms: 0,
            log: String::new(),
            output: String::new(),
            canary: Canary::default(),
            copies: tdd_core::test::Copies::default(),
            failed: vec![FailedItem {
                test: Some(TestId(test.to_owned())),
                file: None,
                kind: FailureKind::Assertion,
                message: String::new(),
            }],
            in_place: false,
        };
        let passed = [not_red("tests/a.py::one", RedKind::Passed)];
        assert_eq!(FalseRed::of(&passed, &[run("tests/a.py::two")]), FalseRed::Useless);
        assert_eq!(FalseRed::of(&passed, &[run("tests/b.py::two")]), FalseRed::Passes);
    }
}
