//! Whether the tests that passed before refactor mode have not been lost in it: as many of them pass as did, which a
//! run's REFACTOR asks as well, and the code passes them as they were.

use std::collections::{BTreeMap, BTreeSet};

use crate::judge::fewer;
use crate::test::{FailureKind, Outcome, TestId, TestRun};
use crate::verdict::Reason;

/// What a run of the whole suite says of each test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suite {
    pub passed: BTreeSet<TestId>,
    pub failed: BTreeMap<TestId, FailureKind>,
    pub skipped: BTreeSet<TestId>,
    /// Whether its runner names tests at all.
    pub names_tests: bool,
    /// For a runner that does not: the command has ended well.
    pub is_success: bool,
}

impl Suite {
    pub fn of(run: &TestRun) -> Self {
        let mut suite = Self {
            is_success: run.own_exit().is_success(),
            names_tests: run.report.is_some(),
            ..Self::default()
        };
        for test in run.report.iter().flat_map(|report| &report.tests) {
            match &test.outcome {
                Outcome::Passed => {
                    suite.passed.insert(test.id.clone());
                }
                Outcome::Skipped => {
                    suite.skipped.insert(test.id.clone());
                }
                Outcome::Failed(failure) => {
                    suite.failed.insert(test.id.clone(), failure.kind);
                }
            }
        }
        suite
    }
}

/// What became of the tests that passed before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    All,
    /// As they were these fail, by what they expect: the code does something else.
    Broken(Vec<TestId>),
    /// As they were these do not pass, and why they were changed only a person can say.
    Changed(Vec<TestId>),
    /// Fewer pass than before.
    Fewer(Reason),
}

/// `before` is the suite without what was changed, `as_they_were` that of the code as it is with the tests as they were,
/// and `now` that of both as they are. `is_same` says of a test whether its file differs by names alone.
pub fn kept(before: &Suite, as_they_were: &Suite, now: &Suite, is_same: impl Fn(&TestId) -> bool) -> Kept {
    if !before.names_tests {
        let is_kept = !before.is_success || as_they_were.is_success;
        return if is_kept { Kept::All } else { Kept::Changed(Vec::new()) };
    }
    let lost = before.passed.difference(&as_they_were.passed).filter(|id| !is_same(id));
    let (broken, changed): (Vec<TestId>, Vec<TestId>) = lost.cloned().partition(|id| {
        as_they_were.failed.get(id).is_some_and(|kind| match kind {
            FailureKind::Assertion | FailureKind::Timeout | FailureKind::Crash => true,
            FailureKind::Error | FailureKind::Missing | FailureKind::Load => false,
        })
    });
    if !broken.is_empty() {
        return Kept::Broken(broken);
    }
    if !changed.is_empty() {
        return Kept::Changed(changed);
    }
    fewer(before.passed.len(), now.passed.len()).map_or(Kept::All, Kept::Fewer)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a b !c ~d ?e`: a and b pass, c fails by what it expects, d is skipped, e does not find what it calls.
    fn suite(words: &str) -> Suite {
        let mut suite = Suite { names_tests: true, ..Suite::default() };
        for word in words.split_whitespace() {
            let id = |name: &str| TestId(name.to_owned());
            match (word.strip_prefix('!'), word.strip_prefix('~'), word.strip_prefix('?')) {
                (Some(name), _, _) => drop(suite.failed.insert(id(name), FailureKind::Assertion)),
                (_, Some(name), _) => drop(suite.skipped.insert(id(name))),
                (_, _, Some(name)) => drop(suite.failed.insert(id(name), FailureKind::Missing)),
                (None, None, None) => drop(suite.passed.insert(id(word))),
            }
        }
        suite
    }

    #[test]
    fn tests_are_kept_or_lost() {
        for (before, as_they_were, now, wanted) in [
            ("a b", "a b", "a b", "all"),
            ("a b", "a b", "a c", "all"),
            ("a b", "a b", "a", "fewer tests than before: 1 now, 2 before"),
            ("a b", "a b", "a ~b", "fewer tests than before: 1 now, 2 before"),
            ("a b", "a !b", "a b", "broken b"),
            ("a b", "a ~b", "a b", "changed b"),
            ("a b", "a ?b", "a b", "changed b"),
            ("a b", "a", "a b", "changed b"),
            ("a b", "!a ?b", "a b", "broken a"),
            // What was red or skipped before is owed by nobody.
            ("a !b ~c", "a !b", "a", "all"),
            ("", "", "", "all"),
            // The file of `same` differs by names alone.
            ("a same", "a ?same", "a other", "all"),
            ("a same", "a ?same", "a", "fewer tests than before: 1 now, 2 before"),
        ] {
            let kept = kept(&suite(before), &suite(as_they_were), &suite(now), |id| id.0 == "same");
            let names = |ids: &[TestId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            let said = match &kept {
                Kept::All => "all".to_owned(),
                Kept::Broken(ids) => format!("broken {}", names(ids)),
                Kept::Changed(ids) => format!("changed {}", names(ids)),
                Kept::Fewer(reason) => reason.to_string(),
            };
            assert_eq!(said, wanted, "{before} / {as_they_were} / {now}");
        }
        let unnamed = |is_success| Suite { is_success, ..Suite::default() };
        let of = |before, after| kept(&unnamed(before), &unnamed(after), &unnamed(true), |_| false);
        assert_eq!((of(true, true), of(false, false)), (Kept::All, Kept::All));
        assert_eq!(of(true, false), Kept::Changed(Vec::new()));
    }
}
