//! Which of two states of a tree is the better one.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::{FixFindings, FixState};
use crate::path::RelPath;
use crate::test::TestId;

/// Ordered from bad to good: nobody weakened a test, wrote for the tests alone, or changed what checks;
/// everything loads; known greens are kept; fewer failures; fewer of them by a red test that is skipped
/// or gone. By findings only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score {
    honest: bool,
    loads: bool,
    lost: Reverse<usize>,
    failures: Reverse<usize>,
    evaded: Reverse<usize>,
}

impl Score {
    /// `known` are the tests that must be green because they once were.
    pub fn of(findings: &FixFindings, known: &BTreeSet<TestId>) -> Self {
        let greens = findings.greens();
        let lost = known.iter().filter(|id| !greens.contains(id)).count();
        Self {
            honest: findings.faults().is_empty(),
            loads: findings.checks.iter().all(|check| check.unloaded.is_none()),
            lost: Reverse(lost),
            failures: Reverse(findings.failures()),
            evaded: Reverse(findings.checks.iter().map(|check| check.evaded).sum()),
        }
    }

    /// Whether a tree that stands so may be kept at all.
    pub fn is_honest(self) -> bool {
        self.honest
    }

    pub fn lost(self) -> usize {
        self.lost.0
    }

    pub fn loads(self) -> bool {
        self.loads
    }
}

/// Why a state of the tree is not taken, however green it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    Weakened,
    TestAwareCode,
    Rewritten,
    Tool,
}

impl Fault {
    /// The file follows after a colon.
    pub fn words(self) -> &'static str {
        match self {
            Self::Weakened => "a test in this file was changed or removed",
            Self::TestAwareCode => "this file behaves otherwise under test",
            Self::Rewritten => "this file was changed while the checks ran",
            Self::Tool => {
                "this file is of an installed tool and was changed; only a new installation puts it back"
            }
        }
    }
}

impl FixFindings {
    /// What alone keeps this state from being taken, whatever the checks say; each with its file.
    pub fn faults(&self) -> Vec<(Fault, &RelPath)> {
        let weakened = self.weakened.iter().map(|path| (Fault::Weakened, path));
        let test_aware = self.test_aware.iter().map(|test_aware| (Fault::TestAwareCode, &test_aware.path));
        let rewritten = self.rewritten.iter().map(|path| (Fault::Rewritten, path));
        let tools = self.tools.iter().map(|path| (Fault::Tool, path));
        weakened.chain(test_aware).chain(rewritten).chain(tools).collect()
    }
}

impl FixState {
    /// Whether the best state is what was wanted: every check is green, and nothing that was green
    /// is gone.
    pub fn is_fixed(&self) -> bool {
        self.best().is_some_and(|best| {
            let score = Score::of(best, &self.known);
            score.honest && score.lost.0 == 0 && best.checks.iter().all(super::CheckFinding::is_green)
        })
    }

    /// Tests that were red at the start and have no entry in these findings.
    pub fn gone(&self, findings: &FixFindings) -> Vec<TestId> {
        let each = self.must_pass.iter().zip(&findings.checks);
        let gone: BTreeSet<TestId> = each
            .filter(|(_, check)| check.unloaded.is_none())
            .flat_map(|(must_pass, check)| must_pass.gone(check))
            .cloned()
            .collect();
        gone.into_iter().collect()
    }

    /// Known greens that are not green in these findings.
    pub fn lost(&self, findings: &FixFindings) -> Vec<TestId> {
        let greens = findings.greens();
        self.known.iter().filter(|id| !greens.contains(id)).cloned().collect()
    }
}
